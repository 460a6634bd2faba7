/* The worker's own kernels: fills, poison, guards, comparison, clock stamps. Kept beside it as PTX for any GPU since sm_75
 * (kernels.ptx), so that a worker needs no compiler; a test tells when the two differ.
 *
 * The text is C as well as CUDA: the driver that the tests pretend to have includes it, after it has defined KERNEL,
 * DEVICE, first_index and the other few names that only a GPU has. */
#include "kernels.h"

#ifdef __CUDACC_RTC__
#define KERNEL extern "C" __global__ void
#define DEVICE static __device__ __forceinline__

DEVICE word first_index(void)
{
    return (word)blockIdx.x * blockDim.x + threadIdx.x;
}

DEVICE word index_step(void)
{
    return (word)gridDim.x * blockDim.x;
}

DEVICE unsigned block_index(void)
{
    return blockIdx.x;
}

DEVICE unsigned thread_index(void)
{
    return threadIdx.x;
}

DEVICE unsigned thread_count(void)
{
    return blockDim.x;
}

DEVICE void lower(word *place, word value)
{
    if (value < *(volatile word *)place)
        atomicMin(place, value);
}

DEVICE unsigned sm_index(void)
{
    unsigned sm;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* Never fused with an addition that follows. */
DEVICE double product(double a, double b)
{
    return __dmul_rn(a, b);
}

DEVICE word cycle_clock(void)
{
    word now;

    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

DEVICE word time_ns(void)
{
    word now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}
#endif

#define NOTHING (~0ull)

/* The bits of element i, `size` bytes wide. */
DEVICE word bits_of(const void *data, unsigned size, word i)
{
    switch (size) {
    case 1:
        return ((const unsigned char *)data)[i];
    case 2:
        return ((const unsigned short *)data)[i];
    case 4:
        return ((const unsigned *)data)[i];
    default:
        return ((const word *)data)[i];
    }
}

DEVICE void set_bits(void *data, unsigned size, word i, word bits)
{
    switch (size) {
    case 1:
        ((unsigned char *)data)[i] = (unsigned char)bits;
        break;
    case 2:
        ((unsigned short *)data)[i] = (unsigned short)bits;
        break;
    case 4:
        ((unsigned *)data)[i] = (unsigned)bits;
        break;
    default:
        ((word *)data)[i] = bits;
    }
}

DEVICE float float_of(unsigned bits)
{
    union {
        unsigned bits;
        float value;
    } both;

    both.bits = bits;
    return both.value;
}

/* A half's exponent and fraction, shifted into a float's place, give its value times 2^-112; subnormals too. */
DEVICE float half_of(unsigned bits)
{
    unsigned sign = (bits & 0x8000u) << 16, rest = (bits & 0x7fffu) << 13;

    if (rest >= 0x0f800000u)
        return float_of(sign | 0x7f800000u | rest);
    return float_of(sign | 0x77800000u) * float_of(rest);
}

DEVICE double value_of(int kind, word bits)
{
    union {
        word bits;
        double value;
    } both;

    switch (kind) {
    case KIND_FLOAT16:
        return half_of((unsigned)bits);
    case KIND_BFLOAT16:
        return float_of((unsigned)bits << 16);
    case KIND_FLOAT32:
        return float_of((unsigned)bits);
    default:
        both.bits = bits;
        return both.value;
    }
}

/* |got - want| / (absolute + relative |want|); infinite where no tolerance helps: NaN, infinities, a zero tolerance. */
DEVICE double error_ratio(double got, double want, double relative, double absolute)
{
    double difference = got - want, allowed;

    if (got == want || (got != got && want != want))
        return 0;
    difference = difference < 0 ? -difference : difference;
    allowed = absolute + relative * (want < 0 ? -want : want);
    if (!(difference <= 1.7976931348623157e308) || !(allowed > 0))
        return value_of(KIND_FLOAT64, 0x7ff0000000000000ull);
    return difference / allowed;
}

DEVICE word flipped_bits(double value)
{
    union {
        double value;
        word bits;
    } both;

    both.value = value;
    return ~both.bits;
}

DEVICE word bits_of_value(double value)
{
    return ~flipped_bits(value);
}

/* Element i in 64 bits: a double, or an integer of the same sign. */
DEVICE word wide_bits(int kind, unsigned size, int is_signed, const void *data, word i)
{
    word bits = bits_of(data, size, i);
    unsigned spare = 64 - 8 * size;

    if (kind != KIND_BITS)
        return bits_of_value(value_of(kind, bits));
    return is_signed ? (word)((long long)(bits << spare) >> spare) : bits;
}

/* Two of them as one. Integers wrap; a NaN stays one. */
DEVICE word joined(int kind, int is_signed, int operation, word a, word b)
{
    double x = value_of(KIND_FLOAT64, a), y = value_of(KIND_FLOAT64, b);
    int less;

    if (operation == REDUCE_SUM)
        return kind == KIND_BITS ? a + b : bits_of_value(x + y);
    if (kind == KIND_BITS)
        less = is_signed ? (long long)b < (long long)a : b < a;
    else if (x != x || y != y)
        return bits_of_value(x + y);
    else
        less = y < x;
    return less == (operation == REDUCE_MIN) ? b : a;
}

/* Reduces `parts` parts of `count` elements each, one behind the other, to `chunks` <= parts of them: out[c * count + e] is
 * element e of every chunks-th part from part c on. */
KERNEL occ_reduce(int kind, unsigned size, int is_signed, int operation, const void *data, word parts, word count,
                  word chunks, word *out)
{
    word t, p;

    for (t = first_index(); t < count * chunks; t += index_step()) {
        word element = t % count, all = wide_bits(kind, size, is_signed, data, t);

        for (p = t / count + chunks; p < parts; p += chunks)
            all = joined(kind, is_signed, operation, all, wide_bits(kind, size, is_signed, data, p * count + element));
        out[t] = all;
    }
}

/* Compares `count` elements with the expected ones. Kinds without a tolerance (KIND_BITS) must be equal. */
KERNEL occ_compare(int kind, unsigned size, const void *got, const void *want, word count, double relative,
                   double absolute, struct found *found)
{
    word first = NOTHING, i;
    double worst = 0;

    for (i = first_index(); i < count; i += index_step()) {
        word got_bits = bits_of(got, size, i), want_bits = bits_of(want, size, i);
        double ratio;

        if (got_bits == want_bits)
            continue;
        ratio = kind == KIND_BITS ? value_of(KIND_FLOAT64, 0x7ff0000000000000ull)
                                  : error_ratio(value_of(kind, got_bits), value_of(kind, want_bits), relative, absolute);
        if (ratio > worst)
            worst = ratio;
        if (ratio > 1 && first == NOTHING)
            first = i;
    }
    if (first != NOTHING)
        lower(&found->first, first);
    if (worst > 0)
        lower(&found->worst_flips, flipped_bits(worst));
}

/* Finds the lowest byte in which two buffers differ. */
KERNEL occ_differ(const void *a, const void *b, word bytes, struct found *found)
{
    word words = bytes / 8, first = NOTHING, i;

    for (i = first_index(); i < words && first == NOTHING; i += index_step())
        if (bits_of(a, 8, i) != bits_of(b, 8, i))
            first = 8 * i;
    if (first == NOTHING && first_index() == 0)
        first = 8 * words;
    while (first < bytes && bits_of(a, 1, first) == bits_of(b, 1, first))
        first++;
    if (first < bytes)
        lower(&found->first, first);
}

/* Random bits by position: the finaliser of SplitMix64. */
DEVICE word scramble(word x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* A value that cannot pass as element i: NaN for reals (where NaN is expected, a number), for integers whatever is
 * not the expected one. With nothing expected (null), NaN or random bits. */
DEVICE word poison_bits(int kind, unsigned size, const void *want, word i, word seed)
{
    word expected = want ? bits_of(want, size, i) : 0;
    double value = kind == KIND_BITS || !want ? 0 : value_of(kind, expected);
    int number = value != value;

    switch (kind) {
    case KIND_FLOAT16:
        return number ? 0x3c00u : 0x7e00u | (i & 0x1ff);
    case KIND_BFLOAT16:
        return number ? 0x3f80u : 0x7fc0u | (i & 0x3f);
    case KIND_FLOAT32:
        return number ? 0x3f800000u : 0x7fc00000u | (i & 0x3fffff);
    case KIND_FLOAT64:
        return number ? 0x3ff0000000000000ull : 0x7ff8000000000000ull | (i & 0xffffffffull);
    default:
        return want ? ~expected : scramble(seed + i);
    }
}

KERNEL occ_poison(int kind, unsigned size, void *data, const void *want, word count, word seed)
{
    word i;

    for (i = first_index(); i < count; i += index_step())
        set_bits(data, size, i, poison_bits(kind, size, want, i, seed));
}

/* A number rounded to the 16 bits of a format with so many fraction bits, `least` the exponent of its smallest normal
 * number. Ties go to even; a carry runs into the exponent as it should, and from there to infinity. */
DEVICE word round_to_16(double value, int digits, int least, word infinity)
{
    word bits = bits_of(&value, 8, 0), sign = bits >> 48 & 0x8000, kept, rest, half;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023, cut = 52 - digits;

    if (exponent < least) {
        cut += least - exponent;
        exponent = least;
    }
    if (cut > 53)
        return sign; /* below half of the smallest */
    bits = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    half = 1ull << (cut - 1);
    kept = ((word)(exponent - least) << digits) + (bits >> cut);
    rest = bits & (2 * half - 1);
    kept += rest > half || (rest == half && (kept & 1));
    return sign | (kept < infinity ? kept : infinity);
}

/* The bits of a finite number in one of the kinds of reals, rounded to nearest even. */
DEVICE word real_bits(int kind, double value)
{
    float single = (float)value;

    switch (kind) {
    case KIND_FLOAT16:
        return round_to_16(value, 10, -14, 0x7c00);
    case KIND_BFLOAT16:
        return round_to_16(value, 7, -126, 0x7f80);
    case KIND_FLOAT32:
        return bits_of(&single, 4, 0);
    default:
        return bits_of(&value, 8, 0);
    }
}

DEVICE word random_word(word stream, word i)
{
    return scramble(stream + i * 0x9e3779b97f4a7c15ull);
}

/* The elements of a fill's recipe (launch/fill.h), bit for bit those that the host makes. */
KERNEL occ_fill_real(int kind, unsigned size, void *data, word count, word stream, double low, double width)
{
    word i;

    for (i = first_index(); i < count; i += index_step()) {
        double unit = product((double)(random_word(stream, i) >> 11), 1.0 / 9007199254740992.0);

        set_bits(data, size, i, real_bits(kind, low + product(width, unit)));
    }
}

KERNEL occ_fill_integer(unsigned size, void *data, word count, word stream, word first, word span)
{
    word i;

    for (i = first_index(); i < count; i += index_step())
        set_bits(data, size, i, first + (span > 1 ? random_word(stream, i) % span : 0));
}

DEVICE unsigned char guard_byte(word seed, word i)
{
    return (unsigned char)(0x81 + scramble(seed + i) % 125);
}

/* One thread block for each guard. */
KERNEL occ_guard_write(const struct guard *guards)
{
    struct guard guard = guards[block_index()];
    word i;

    for (i = thread_index(); i < guard.bytes; i += thread_count())
        ((unsigned char *)guard.start)[i] = guard_byte(guard.seed, i);
}

/* found[k].first: the lowest byte of guard k that somebody has written. */
KERNEL occ_guard_check(const struct guard *guards, struct found *found)
{
    struct guard guard = guards[block_index()];
    word first = NOTHING, i;

    for (i = thread_index(); i < guard.bytes && first == NOTHING; i += thread_count())
        if (((const unsigned char *)guard.start)[i] != guard_byte(guard.seed, i))
            first = i;
    if (first != NOTHING)
        lower(&found[block_index()].first, first);
}

/* stamps[sm]: the clocks of each SM that got a block. */
KERNEL occ_stamp(struct stamp *stamps, unsigned sm_count)
{
    unsigned sm = sm_index();
    struct stamp now;

    now.cycles = cycle_clock();
    now.ns = time_ns();
    if (sm < sm_count)
        stamps[sm] = now;
}

/* How fast a GPU is, to compare it with others of its kind: `steps` dependent multiply-adds in each thread, then a pass
 * over `count` elements. What is written there never is. */
KERNEL occ_pace(float *data, word count, unsigned steps)
{
    float value = (float)thread_index(), sum = 0;
    unsigned k;
    word i;

    for (k = 0; k < steps; k++)
        value = value * 0.5f + 1.0f;
    for (i = first_index(); i < count; i += index_step())
        sum += data[i];
    if (value < 0 || sum < 0)
        data[0] = value + sum;
}

/* What a launch costs that does nothing. */
KERNEL occ_empty(void)
{
}
