// Smith-Waterman scores with affine gaps: a group of LANES lanes aligns one pair, a lane holding CELLS columns of the
// query in registers; rows of the subject run through the lanes as a wavefront, by shuffles.
#define QUERY  (LANES * CELLS)
#define OPEN   11
#define EXTEND 1

#if PACKED
// Two pairs at once, 16 bits each.
typedef unsigned score_t;
#define SPLAT(x) (((unsigned)(x) & 0xffffu) * 0x10001u)
__device__ __forceinline__ score_t add(score_t a, score_t b) { return __vadd2(a, b); }
__device__ __forceinline__ score_t sub(score_t a, score_t b) { return __vsub2(a, b); }
__device__ __forceinline__ score_t larger(score_t a, score_t b) { return __vmaxs2(a, b); }
#define PAIRS 2
#else
typedef int score_t;
#define SPLAT(x) (x)
__device__ __forceinline__ score_t add(score_t a, score_t b) { return a + b; }
__device__ __forceinline__ score_t sub(score_t a, score_t b) { return a - b; }
__device__ __forceinline__ score_t larger(score_t a, score_t b) { return max(a, b); }
#define PAIRS 1
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
    smith_waterman(int *__restrict__ best, const unsigned char *__restrict__ query,
                   const unsigned char *__restrict__ subjects, const signed char *__restrict__ blosum, int length,
                   int pairs)
{
    __shared__ signed char matrix[24][32];
    for (int i = threadIdx.x; i < 24 * 24; i += THREADS)
        matrix[i / 24][i % 24] = blosum[i];
    __syncthreads();

    const int lane = threadIdx.x % LANES;
    const int group = (blockIdx.x * THREADS + threadIdx.x) / LANES;
    const int first = group * PAIRS;
    if (first >= pairs)
        return;
    const unsigned char *subject = subjects + (size_t)first * length;

    unsigned char q[CELLS];
#pragma unroll
    for (int c = 0; c < CELLS; c++)
        q[c] = query[lane * CELLS + c];

    score_t h[CELLS], e[CELLS], top = SPLAT(0);
#pragma unroll
    for (int c = 0; c < CELLS; c++)
        h[c] = SPLAT(0), e[c] = SPLAT(-OPEN);
    score_t out_h = SPLAT(0), out_f = SPLAT(-OPEN), diagonal = SPLAT(0);

    for (int step = 0; step < length + LANES - 1; step++) {
        const int row = step - lane;
        score_t in_h = __shfl_up_sync(~0u, out_h, 1, LANES), f = __shfl_up_sync(~0u, out_f, 1, LANES);
        if (lane == 0)
            in_h = SPLAT(0), f = SPLAT(-OPEN);
        if (row < 0 || row >= length)
            continue;
        const int s0 = subject[row];
#if PACKED
        const int s1 = subject[length + row];
#endif
        score_t d = diagonal, left = in_h;
        diagonal = in_h;
#pragma unroll
        for (int c = 0; c < CELLS; c++) {
#if PACKED
            const score_t w = ((unsigned)matrix[s0][q[c]] & 0xffffu) | (unsigned)matrix[s1][q[c]] << 16;
#else
            const score_t w = matrix[s0][q[c]];
#endif
            e[c] = larger(sub(e[c], SPLAT(EXTEND)), sub(h[c], SPLAT(OPEN)));
            f = larger(sub(f, SPLAT(EXTEND)), sub(left, SPLAT(OPEN)));
            score_t now = larger(larger(add(d, w), SPLAT(0)), larger(e[c], f));
            d = h[c];
            h[c] = left = now;
            top = larger(top, now);
        }
        out_h = left;
        out_f = f;
    }
#pragma unroll
    for (int mask = LANES / 2; mask; mask /= 2)
        top = larger(top, __shfl_xor_sync(~0u, top, mask, LANES));
    if (lane == 0) {
#if PACKED
        best[first] = (short)(top & 0xffff);
        best[first + 1] = (short)(top >> 16);
#else
        best[first] = top;
#endif
    }
}

// A thread per pair, row by row.
extern "C" __global__ void smith_waterman_reference(int *best, const unsigned char *query,
                                                    const unsigned char *subjects, const signed char *blosum,
                                                    int length, int pairs)
{
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs)
        return;
    int h[128], e[128], top = 0;
    for (int c = 0; c < 128; c++)
        h[c] = 0, e[c] = -OPEN;
    for (int row = 0; row < length; row++) {
        int d = 0, left = 0, f = -OPEN;
        for (int c = 0; c < 128; c++) {
            e[c] = max(e[c] - EXTEND, h[c] - OPEN);
            f = max(f - EXTEND, left - OPEN);
            const int now = max(max(d + blosum[subjects[(size_t)pair * length + row] * 24 + query[c]], 0), max(e[c], f));
            d = h[c];
            h[c] = left = now;
            top = max(top, now);
        }
    }
    best[pair] = top;
}
