#include "odd_expected.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static int32_t half(uint32_t word, int k)
{
    return (int16_t)(word >> 16 * k);
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static void packed(uint32_t out[4], const uint32_t *in, int i)
{
    const uint32_t a = in[i], b = i % 7 ? in[(i + 1) % N] : a, c = in[(i + 2) % N];
    uint32_t minimum = 0, minimum3 = 0, minus = 0;

    memset(out, 0, 4 * sizeof *out);
    for (int k = 0; k < 2; k++) {
        const int16_t sum = (int16_t)(half(a, k) + half(b, k));
        const int32_t low = least(half(a, k), half(b, k)), low3 = least(low, half(c, k));

        out[0] |= (uint32_t)(uint16_t)(sum > half(c, k) ? sum : half(c, k)) << 16 * k;
        minimum |= (uint32_t)(uint16_t)low << 16 * k;
        minimum3 |= (uint32_t)(low3 > 0 ? low3 : 0) << 16 * k;
    }
    out[1] = minimum ^ (half(a, 1) <= half(b, 1) ? 1 : 0) ^ (half(a, 0) <= half(b, 0) ? 2 : 0) ^
             ((int32_t)b >= (int32_t)c ? 4 : 0) ^ ((int32_t)b > (int32_t)c ? b : c) << 3;
    for (int k = 0; k < 32; k += 8) {
        out[2] += (uint32_t)abs((int)(a >> k & 255) - (int)(b >> k & 255)) << k;
        minus |= (((a >> k) - (c >> k)) & 255) << k;
    }
    for (int k = 0; k < 32; k += 8)
        out[2] += (uint32_t)abs((int)(b >> k & 255) - (int)(c >> k & 255));
    out[3] = minimum3 ^ minus;
}

static void split(uint32_t out[2], double value)
{
    memcpy(out, &value, sizeof value);
}

static void bytes(uint32_t out[4], const uint32_t *in, int i)
{
    const uint32_t a = in[i], b = in[(i + 1) % N];
    const float x = a & 255, y = a >> 8 & 255, z = a >> 16 & 255, w = a >> 24;

    out[0] = bits_of(x + 2 * y + 4 * z + 8 * w);
    out[1] = (uint32_t)(uint8_t)(y * 0.9f) | (uint32_t)(uint16_t)(z * 200.5f) << 8;
    out[2] = (uint32_t)(3 + (int16_t)a * (int8_t)b + (int16_t)(a >> 16) * (int8_t)(b >> 8));
    out[3] = 5 + (a & 0xffff) * (b >> 16 & 255) + (a >> 16) * (b >> 24);
}

static uint32_t pick(uint32_t selector, uint32_t a, uint32_t b, bool signs)
{
    const uint64_t pair = a | (uint64_t)b << 32;
    uint32_t out = 0;

    for (int k = 0; k < 4; k++) {
        const uint32_t byte = pair >> 8 * (selector >> 4 * k & 7) & 255;

        out |= (signs && selector >> 4 * k & 8 ? (byte >> 7) * 255 : byte) << 8 * k;
    }
    return out;
}

static void permuted(uint32_t out[4], const uint32_t *in, int i)
{
    const uint32_t a = in[i], b = in[(i + 1) % N], c = in[(i + 2) % N];

    out[0] = pick(0x6240, a, b, true) ^ pick(0x3715, b, c, true) << 1;
    out[1] = pick(0xf1a8, a, b, true) ^ pick(0x09dc, c, a, true) << 1;
    out[2] = pick(c, a, b, false);
    out[3] = pick((uint32_t)i * 0x1357, b, c, false);
}

static void doubles(uint32_t out[4], const uint32_t *in, int i)
{
    const double a = (int32_t)in[i] * 1e-6, b = i % 5 == 0 ? NAN : (int32_t)in[(i + 1) % N] * 1e-6;

    split(out, floor(a) + 3 * ceil(b == b ? b : 1) + 5 * rint(a * 3) + 7 * trunc(a * 5));
    split(out + 2, fmin(a, b) + 2 * fmax(b, a));
}

static uint32_t reversed(uint32_t x)
{
    uint32_t out = 0;

    for (unsigned k = 0; k < 32; k++)
        out |= (x >> k & 1) << (31 - k);
    return out;
}

static void nears(uint32_t out[4], const uint32_t *in, int i)
{
    uint32_t near = 0;

    for (int k = 0; k < 8; k++)
        if (in[(i + k) % N] % 4 == 0)
            near += 1 + in[(i + near) % N] % 2;
    for (int k = 0; k < 4; k++)
        out[k] = near;
}

static void inverts(uint32_t out[4], const uint32_t *in, int i)
{
    static const uint32_t inverse[4] = {4, 1, 0, 0};
    uint32_t sum = 0;

    for (int k = 0; k < 8; k++)
        sum += inverse[in[(i + k) % N] % 4];
    for (int k = 0; k < 4; k++)
        out[k] = sum;
}

static uint32_t sum_from(const uint32_t *in, int i, uint32_t count)
{
    uint32_t sum = 0;

    for (uint32_t k = 0; k < count; k++)
        sum += in[((uint32_t)i + k) % N];
    return sum;
}

static void draws(uint32_t out[4], const uint32_t *in, int i)
{
    const int first = i / THREADS * THREADS;

    for (int k = 0; k < 4; k++)
        out[k] = sum_from(in, i, in[first] % 9) + 3 * in[first + (i + k) % THREADS];
}

static void shares(uint32_t out[4], const uint32_t *in, int i)
{
    for (int k = 0; k < 4; k++)
        out[k] = sum_from(in, i, in[i / THREADS * THREADS + 5] % 9);
}

/* Halves and bfloats that are no NaN go by their sign and magnitude. */
static int ordered(uint16_t half)
{
    return half & 0x8000 ? -(half & 0x7fff) : half;
}

static uint32_t of_three(const uint32_t *in, int i, bool greatest, uint32_t keep, uint32_t flip)
{
    uint32_t out = 0;

    for (int k = 0; k < 32; k += 16) {
        uint16_t found = 0;

        for (int w = 0; w < 3; w++) {
            const uint32_t word = (in[(i + w) % N] & 0xfb7ffb7f) | 0x10001;
            const uint16_t half = (uint16_t)((w == 1 ? (word & keep) ^ flip : word) >> k);

            if (w == 0 || (ordered(half) > ordered(found)) == greatest)
                found = half;
        }
        out |= (uint32_t)found << k;
    }
    return out;
}

static void threes(uint32_t out[4], const uint32_t *in, int i)
{
    out[0] = of_three(in, i, true, 0x7fff7fff, 0);
    out[1] = of_three(in, i, false, UINT32_MAX, 0x80008000);
    out[2] = of_three(in, i, true, UINT32_MAX, 0x80008000);
    out[3] = of_three(in, i, false, 0x7fff7fff, 0);
}

static void banks(uint32_t out[4], const uint32_t *in, int i)
{
    for (int k = 0; k < 4; k++)
        out[k] = 2 * (in[i] % 5) + 5;
}

static void jumps(uint32_t out[4], const uint32_t *in, int i)
{
    static const uint32_t fibonacci[8] = {0, 1, 1, 2, 3, 5, 8, 13};
    const uint32_t v = in[i], called[3] = {3 * v + 1, v ^ 0x5555, v % 7 + v / 5};
    uint32_t r = v;

    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t next[9] = {
            r * 5 + (uint32_t)__builtin_popcount(r), r ^ r << 3, r + 7, r / 3, r % 1001, reversed(r), 0 - r,
            (uint32_t)sqrtf((float)(r & 0xffff)),    ~r};

        r = next[(v + k) % 9];
    }
    out[0] = r;
    out[1] = called[v % 3];
    out[2] = fibonacci[v % 8];
    out[3] = N;
}

static void loops(uint32_t out[4], const uint32_t *in, int i)
{
    uint64_t sum = 0;

    for (int k = 0; k < THREADS; k++)
        sum += in[i / THREADS * THREADS + k];
    out[0] = bits_of(0.5f * THREADS);
    out[1] = (uint32_t)sum;
    out[2] = (uint32_t)(sum >> 32);
    out[3] = THREADS;
}

static void masks(uint32_t out[4], const uint32_t *in, int i)
{
    const int first = i / 8 * 8;

    memset(out, 0, 4 * sizeof *out);
    for (int k = first; k < first + 8; k++) {
        const bool same = in[k] % 4 == in[i] % 4;

        out[0] |= (uint32_t)same << k % 32;
        out[1] += same ? in[k] : 0;
        out[2] |= (uint32_t)(in[k] % 4 == 1) << k % 32;
    }
    out[3] = in[first + 3];
}

enum { OCTET = 8 };

/* What lane `lane` of the warp at `first` has of element j before the octets of the warp are merged. */
static double merges_own(const uint32_t *in, int first, int lane, int j)
{
    double sum = 0;

    for (int k = lane / OCTET; k < 16; k += 4)
        for (int l = lane / OCTET * OCTET; l < lane / OCTET * OCTET + OCTET; l++)
            sum += in[(first + l + k * 8 + j) % N] & 255;
    return sum;
}

/* Element j of a lane, or (j < 0) the largest first element, when octets so many lanes apart or more are merged. */
static double merged(const uint32_t *in, int first, int lane, int j, int apart)
{
    if (apart == WARP)
        return merges_own(in, first, lane, j < 0 ? 0 : j);

    const int next = apart == 8 ? 16 : WARP, partner = lane ^ apart;
    const double mine = merged(in, first, lane, -1, next), other = merged(in, first, partner, -1, next);

    if (j < 0)
        return fmax(mine, other);
    return merged(in, first, lane, j, next) * (mine < other ? 2 : 1) +
           merged(in, first, partner, j, next) * (other < mine ? 2 : 1);
}

static void merges(uint32_t out[4], const uint32_t *in, int i)
{
    const int first = i / WARP * WARP, lane = i % WARP;

    out[0] = (uint32_t)merged(in, first, lane % OCTET, lane % OCTET, 8);
    out[1] = (uint32_t)(2 * merged(in, first, 0, -1, 8));
    out[2] = (uint32_t)(3 * merged(in, first, lane, 7, 8));
    out[3] = 0;
}

/* The nearest of all values of a format, the even one of two. */
static uint8_t to_fp8(float value, const float *values, unsigned most)
{
    unsigned best = 0;

    for (unsigned k = 1; k <= most; k++) {
        const float now = fabsf(fabsf(value) - values[k]), before = fabsf(fabsf(value) - values[best]);

        if (now < before || (now == before && k % 2 == 0))
            best = k;
    }
    return (uint8_t)(best | (value < 0 ? 0x80 : 0));
}

static uint16_t to_half(uint8_t fp8, const float *values)
{
    const float value = values[fp8 & 0x7f];
    const int exponent = value == 0 ? 0 : ilogbf(value);
    const uint16_t sign = fp8 & 0x80 ? 0x8000 : 0;

    if (value == 0)
        return sign;
    if (exponent < -14) /* a denormal */
        return sign | (uint16_t)ldexpf(value, 24);
    return sign | (uint16_t)((exponent + 15) << 10 | ((int)ldexpf(value, 10 - exponent) & 1023));
}

static void fp8(uint32_t out[4], const uint32_t *in, int i)
{
    const float a = (float)(int32_t)in[i] * (1.0f / (float)(1 << (i % 8 * 4)));
    const float b = 1000.0f / (float)(1 + in[i] % 5000);
    float e4m3[128] = {0}, e5m2[128] = {0};
    uint8_t high, low;

    for (int k = 1; k < 128; k++) {
        e4m3[k] = k < 8 ? ldexpf((float)k, -9) : ldexpf((float)(8 + k % 8), k / 8 - 10);
        e5m2[k] = k < 4 ? ldexpf((float)k, -16) : ldexpf((float)(4 + k % 4), k / 4 - 17);
    }
    high = to_fp8(a, e4m3, 0x7e), low = to_fp8(b, e4m3, 0x7e);
    out[0] = (uint32_t)high << 8 | low;
    out[2] = (uint32_t)to_half(high, e4m3) << 16 | to_half(low, e4m3);
    high = to_fp8(a, e5m2, 0x7b), low = to_fp8(b, e5m2, 0x7b);
    out[1] = (uint32_t)high << 8 | low;
    out[3] = (uint32_t)to_half(high, e5m2) << 16 | to_half(low, e5m2);
}

/* The exchange makes both words `next`. Of the compare-and-swaps the first leaves them so, whatever it finds; the
 * second changes the first word. */
static void wide(uint32_t out[4], const uint32_t *in, int i)
{
    const uint32_t next = in[(i + 1) % N];

    out[0] = bits_of(1 + (float)(in[i] & 255) + 1);
    out[1] = bits_of(2 + (float)(next & 255) + 4);
    out[2] = bits_of((float)(3 + 7 + i % 3));
    out[3] = 0x40004200; /* halves: the greater of 1 and 3, of 2 and -2 */
}

static void lesses(uint32_t out[4], const uint32_t *in, int i)
{
    const uint32_t a = in[i], b = in[(i + 1) % N];
    const uint64_t c = (uint64_t)in[(i + 2) % N] << 32 | (i % 3 ? in[(i + 3) % N] : 0);
    const uint64_t first = (uint64_t)((int64_t)(int32_t)a * (int32_t)b) - c, second = (uint64_t)a * b - c;

    out[0] = (uint32_t)first;
    out[1] = (uint32_t)(first >> 32);
    out[2] = (uint32_t)second;
    out[3] = (uint32_t)(second >> 32);
}

const struct odd odds[ODDS] = {
    {"bytes", bytes, 80},       {"packed", packed, 80}, {"threes", threes, 80}, {"doubles", doubles, 80},
    {"permuted", permuted, 75}, {"jumps", jumps, 80},   {"loops", loops, 80},   {"masks", masks, 80},
    {"merges", merges, 80},     {"fp8", fp8, 89},       {"wide", wide, 90},     {"nears", nears, 75},
    {"draws", draws, 75},       {"shares", shares, 75}, {"banks", banks, 75},   {"inverts", inverts, 75},
    {"lesses", lesses, 75},
};
