// Instructions that the kernels of the library do not use. Every kernel reads n words and writes four a thread; the
// same is computed by plain C in test_odd.c.

// Parts of a word: bytes to floats and back, dot products of halves with bytes.
extern "C" __global__ void bytes(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned a = in[i], b = in[(i + 1) % n];
    const uchar4 part = {(unsigned char)a, (unsigned char)(a >> 8), (unsigned char)(a >> 16), (unsigned char)(a >> 24)};

    out[4 * i] = __float_as_int(part.x + 2.0f * part.y + 4.0f * part.z + 8.0f * part.w);
    out[4 * i + 1] = (unsigned char)(part.y * 0.9f) | (unsigned short)(part.z * 200.5f) << 8;
    out[4 * i + 2] = __dp2a_lo((int)a, (int)b, 3);
    out[4 * i + 3] = __dp2a_hi(a, b, 5u);
}

// Rounding, least and greatest of doubles.
extern "C" __global__ void doubles(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double a = (int)in[i] * 1e-6, b = i % 5 == 0 ? __longlong_as_double(-1) : (int)in[(i + 1) % n] * 1e-6;
    const double rounded = floor(a) + 3 * ceil(b == b ? b : 1) + 5 * rint(a * 3) + 7 * trunc(a * 5);
    const double chosen = fmin(a, b) + 2 * fmax(b, a);

    out[4 * i] = __double2loint(rounded);
    out[4 * i + 1] = __double2hiint(rounded);
    out[4 * i + 2] = __double2loint(chosen);
    out[4 * i + 3] = __double2hiint(chosen);
}

// Halves and bytes in a word.
extern "C" __global__ void packed(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned a = in[i], b = i % 7 ? in[(i + 1) % n] : a, c = in[(i + 2) % n];
    bool high, low, taken;
    const unsigned least = __vibmin_s16x2(a, b, &high, &low);
    const int most = __vibmax_s32((int)b, (int)c, &taken);

    out[4 * i] = __viaddmax_s16x2(a, b, c);
    out[4 * i + 1] = least ^ (high ? 1 : 0) ^ (low ? 2 : 0) ^ (taken ? 4 : 0) ^ most << 3;
    out[4 * i + 2] = __vabsdiffu4(a, b) + __vsadu4(b, c);
    out[4 * i + 3] = __vimin3_s16x2_relu(a, b, c) ^ __vsub4(a, c);
}

// The greatest and the least of three halves, and of three bfloats, two at a time.
extern "C" __global__ void threes(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned a = in[i] & 0xfb7ffb7f | 0x10001, b = in[(i + 1) % n] & 0xfb7ffb7f | 0x10001, c = in[(i + 2) % n] & 0xfb7ffb7f | 0x10001;

#define OF_THREE(k, type, first, change) \
    asm("{ .reg .b32 x; " change ".f16x2 x, %2; " first "." type " x, %1, x; " first "." type " %0, x, %3; }" : "=r"(out[4 * i + k]) : "r"(a), "r"(b), "r"(c))
    OF_THREE(0, "f16x2", "max", "abs");
    OF_THREE(1, "f16x2", "min", "neg");
    OF_THREE(2, "bf16x2", "max", "neg");
    OF_THREE(3, "bf16x2", "min", "abs");
}

template <int SELECTOR> __device__ unsigned pick(unsigned a, unsigned b)
{
    unsigned out;

    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "n"(SELECTOR));
    return out;
}

// Bytes of two words, and their signs, by selectors that all lanes share and by each lane's own.
extern "C" __global__ void permuted(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];

    out[4 * i] = pick<0x6240>(a, b) ^ pick<0x3715>(b, c) << 1;
    out[4 * i + 1] = pick<0xf1a8>(a, b) ^ pick<0x09dc>(c, a) << 1;
    out[4 * i + 2] = __byte_perm(a, b, c);
    out[4 * i + 3] = __byte_perm(b, c, i * 0x1357);
}

__device__ unsigned triple(unsigned x)
{
    return 3 * x + 1;
}

__device__ unsigned flip(unsigned x)
{
    return x ^ 0x5555;
}

__device__ __noinline__ unsigned divide(unsigned x)
{
    return x % 7 + x / 5;
}

__device__ unsigned (*const functions[3])(unsigned) = {triple, flip, divide};

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// A jump table in a loop, function pointers, recursion.
extern "C" __global__ void jumps(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned v = in[i];
    unsigned r = v;

    for (unsigned k = 0; k < 3; k++)
        switch ((v + k) % 9) {
        case 0: r = r * 5 + __popc(r); break;
        case 1: r ^= r << 3; break;
        case 2: r += 7; break;
        case 3: r = r / 3; break;
        case 4: r = r % 1001; break;
        case 5: r = __brev(r); break;
        case 6: r = 0 - r; break;
        case 7: r = (unsigned)sqrtf((float)(r & 0xffff)); break;
        default: r = ~r;
        }
    out[4 * i] = r;
    out[4 * i + 1] = functions[v % 3](v);
    out[4 * i + 2] = fibonacci(v % 8);
    out[4 * i + 3] = n;
}

// Shared memory has no atomic add of floats, doubles, 64-bit numbers: the compiler makes a loop.
extern "C" __global__ void loops(unsigned *out, const unsigned *in, int n)
{
    __shared__ float f;
    __shared__ unsigned long long l;
    __shared__ unsigned count, keys[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = in[i] % 128;

    if (threadIdx.x == 0)
        f = l = count = 0;
    for (int k = threadIdx.x; k < 128; k += blockDim.x)
        keys[k] = 0;
    __syncthreads();
    atomicAdd(&f, 0.5f);
    atomicAdd(&l, (unsigned long long)in[i]);
    while (atomicCAS(&keys[at], 0u, in[i] | 1u))
        at = (at + 1) % 128;
    atomicInc(&count, 1000u);
    __syncthreads();
    out[4 * i] = __float_as_int(f);
    out[4 * i + 1] = (unsigned)l;
    out[4 * i + 2] = (unsigned)(l >> 32);
    out[4 * i + 3] = count;
}

// Masks that differ among the lanes of a warp.
extern "C" __global__ void masks(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned v = in[i] % 4, tile = 0xffu << (threadIdx.x & 24);
    const unsigned same = __match_any_sync(tile, v) & tile;

    out[4 * i] = same;
    out[4 * i + 1] = __reduce_add_sync(same, in[i]);
    out[4 * i + 2] = __ballot_sync(tile, v == 1) & tile;
    out[4 * i + 3] = __shfl_sync(tile, in[i], 3, 8);
}

// Shuffles behind loops whose lanes are not seen to stay together: what follows a condition of few lanes is branched
// around by all or none (BRA.U).
extern "C" __global__ void merges(unsigned *out, const unsigned *in, int n)
{
    __shared__ float left[64][4][9];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, which = threadIdx.x % 32 / 8;
    float part[4][8] = {{0}};

    for (int k = which; k < 16; k += 4)
        for (int j = 0; j < 8; j++) {
            float score = in[(i + k * 8 + j) % n] & 255;
            for (int d = 4; d; d /= 2)
                score += __shfl_xor_sync(~0u, score, d);
            for (int g = 0; g < 4; g++)
                part[g][j] += score * g;
        }
    for (int g = 0; g < 4; g++) {
        float most = part[g][0];
        for (int d = 16; d >= 8; d /= 2) {
            float value[8];
            const float top = __shfl_xor_sync(~0u, most, d);
            for (int k = 0; k < 8; k++)
                value[k] = __shfl_xor_sync(~0u, part[g][k], d);
            const float mine = most < top ? 2 : 1, other = top < most ? 2 : 1;
            for (int k = 0; k < 8; k++)
                part[g][k] = part[g][k] * mine + value[k] * other;
            most = fmaxf(top, most);
        }
        if (which == 0) {
            for (int k = 0; k < 8; k++)
                left[threadIdx.x][g][k] = part[g][k];
            if (threadIdx.x % 8 == 0)
                left[threadIdx.x][g][8] = most;
        }
    }
    __syncthreads();
    const int first = threadIdx.x / 32 * 32;
    out[4 * i] = (unsigned)left[first + threadIdx.x % 8][1][threadIdx.x % 8];
    out[4 * i + 1] = (unsigned)left[first][2][8];
    out[4 * i + 2] = (unsigned)part[3][7];
    out[4 * i + 3] = (unsigned)part[0][0];
}

// FP8 and back.
extern "C" __global__ void fp8(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 890
    const float a = (int)in[i] * (1.0f / (1 << (i % 8 * 4))), b = 1000.0f / (1 + in[i] % 5000);
    unsigned short e4m3, e5m2;
    unsigned halves4, halves5;

    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(e4m3) : "f"(a), "f"(b));
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(e5m2) : "f"(a), "f"(b));
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves4) : "h"(e4m3));
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(halves5) : "h"(e5m2));
    out[4 * i] = e4m3;
    out[4 * i + 1] = e5m2;
    out[4 * i + 2] = halves4;
    out[4 * i + 3] = halves5;
#endif
}

// Atomics of 128 bits, and of several floats or halves at once.
extern "C" __global__ void wide(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    typedef unsigned long long u64;
    __shared__ ulonglong2 held[64];
    const u64 next = in[(i + 1) % n];
    const unsigned mine = (unsigned)__cvta_generic_to_shared(&held[threadIdx.x]);
    float4 *const sums = (float4 *)(out + 4 * i);
    u64 first, second, ignored;

    held[threadIdx.x] = make_ulonglong2(i, in[i]);
    *sums = make_float4(1, 2, 3, 4);
    asm volatile("{ .reg .b128 old, new; mov.b128 new, {%3, %3}; atom.shared.exch.b128 old, [%2], new;"
                 "mov.b128 {%0, %1}, old; }" : "=l"(ignored), "=l"(first) : "r"(mine), "l"(next) : "memory");
    asm volatile("{ .reg .b128 old, is, new; mov.b128 is, {%3, %4}; mov.b128 new, {%3, %3};"
                 "atom.shared.cas.b128 old, [%2], is, new; mov.b128 {%0, %1}, old; }"
                 : "=l"(ignored), "=l"(second) : "r"(mine), "l"(next), "l"(next + i % 2) : "memory");
    asm volatile("{ .reg .b128 old, is, new; mov.b128 is, {%3, %3}; mov.b128 new, {%4, %3};"
                 "atom.shared.cas.b128 old, [%2], is, new; mov.b128 {%0, %1}, old; }"
                 : "=l"(ignored), "=l"(ignored) : "r"(mine), "l"(next), "l"(7ull + i % 3) : "memory");
    const float4 before = atomicAdd(sums, make_float4(first & 255, second & 255, held[threadIdx.x].x & 255, 8));
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"(sums), "f"(before.x), "f"(before.w) : "memory");
    out[4 * i + 3] = 0x40003c00;
    asm volatile("red.global.max.noftz.v2.f16x2 [%0], {%1, %2};" :: "l"(out + 4 * i + 2), "r"(0u), "r"(0xc0004200)
                 : "memory");
#endif
}

// What no emulation can follow, and where a kernel stops itself.
extern "C" __global__ void prints(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i == n - 1)
        printf("%u\n", in[i]);
    out[4 * i] = in[i];
}

extern "C" __global__ void asserts(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    assert(i < n - 1);
    out[4 * i] = in[i];
}

// Quotients of denormal numbers, the special case of a division.
extern "C" __global__ void divides(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[4 * i] = __float_as_uint(__uint_as_float(in[i] & 0x7fffff) / __uint_as_float(in[(i + 1) % n] | 1));
}

// Powers of e beyond doubles, the special case of exp().
extern "C" __global__ void exponentials(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[4 * i] = __double2hiint(exp(709.0 + (in[i] & 0xff)));
}

// Roots of denormal numbers in some lanes, which decide nothing: a branch of the compiler's around the special case.
extern "C" __global__ void roots(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float root = 0;

    if (in[i] & 4)
        root = sqrtf(__uint_as_float(in[i] % n));
    out[4 * i] = __float_as_uint(root);
}

// The root of zero, a special case, decides.
extern "C" __global__ void nears(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned near = 0;

    for (int k = 0; k < 8; k++) {
        const float apart = (float)(in[(i + k) % n] % 4);

        if (sqrtf(apart * 3) < 1)
            near += 1 + in[(i + near) % n] % 2;
    }
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = near;
}

// A division under a condition, which is a branch around the division's own special cases.
extern "C" __global__ void inverts(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int k = 0; k < 8; k++) {
        const float apart = (float)(in[(i + k) % n] % 4);

        sum += apart < 2 ? __frcp_rn(fmaxf(apart, 0.25f)) : 0;
    }
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = (unsigned)sum;
}

// How far a loop goes says a number that one thread draws for its block; what lies beside it in shared memory decides nothing ...
extern "C" __global__ void draws(unsigned *out, const unsigned *in, int n)
{
    __shared__ unsigned scratch[64], drawn;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;

    scratch[threadIdx.x] = in[i] * 3;
    if (threadIdx.x == 0)
        drawn = in[i] % 9;
    __syncthreads();
    for (unsigned k = 0; k < drawn; k++)
        sum += in[(i + k) % n];
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = sum + scratch[(threadIdx.x + k) % 64];
}

// ... or does: each thread writes its own place of an array, and all read one of them.
extern "C" __global__ void shares(unsigned *out, const unsigned *in, int n)
{
    __shared__ unsigned scratch[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;

    scratch[threadIdx.x] = in[i];
    __syncthreads();
    for (unsigned k = 0; k < scratch[5] % 9; k++)
        sum += in[(i + k) % n];
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = sum;
}

// Floats added to words of 32 banks, then to words of one.
extern "C" __global__ void banks(unsigned *out, const unsigned *in, int n)
{
    __shared__ float apart[64], together[64 * 32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    apart[threadIdx.x] = together[threadIdx.x * 32] = in[i] % 5;
    __syncthreads();
    atomicAdd(&apart[threadIdx.x], 2.0f);
    atomicAdd(&together[threadIdx.x * 32], 3.0f);
    __syncthreads();
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = (unsigned)(apart[threadIdx.x] + together[threadIdx.x * 32]);
}

// What a product of words is less than a number of two, whose low word is zero here and there.
extern "C" __global__ void lesses(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int a = (int)in[i], b = (int)in[(i + 1) % n];
    const unsigned long long c = (unsigned long long)in[(i + 2) % n] << 32 | (i % 3 ? in[(i + 3) % n] : 0);
    const unsigned long long first = (long long)a * b - (long long)c, second = (unsigned long long)(unsigned)a * (unsigned)b - c;

    out[4 * i] = (unsigned)first;
    out[4 * i + 1] = (unsigned)(first >> 32);
    out[4 * i + 2] = (unsigned)second;
    out[4 * i + 3] = (unsigned)(second >> 32);
}
