#include "random_operations.h"

#include <math.h>
#include <string.h>

typedef int8_t i8;
typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef int32_t i32, small;
typedef uint32_t u32, none;
typedef int64_t i64;
typedef uint64_t u64;
typedef float f32;
typedef double f64;
typedef bool flag;

const char *const type_names[VALUE_TYPES] = {"none", "u32", "i32",  "u64",  "i64",
                                             "f32",  "f64", "flag", "small"};

/* That of random.cuh. */
static const u32 table[TABLE] = {0,     1,          2,          3,          31,         32, 33,   255,
                                 65535, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678, 7,  1000, 0xfffffffe};

uint64_t bits_f32(float value)
{
    u32 bits;

    memcpy(&bits, &value, sizeof bits);
    return value == value ? bits : 0x7fffffff;
}

uint64_t bits_f64(double value)
{
    u64 bits;

    memcpy(&bits, &value, sizeof bits);
    return value == value ? bits : UINT64_C(0x7fffffffffffffff);
}

float f32_of_bits(uint64_t bits)
{
    const u32 word = (u32)bits;
    float value;

    memcpy(&value, &word, sizeof value);
    return value;
}

double f64_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static u32 leading_zeros(u64 a)
{
    return a ? (u32)__builtin_clzll(a) : 64;
}

static u64 reversed(u64 a)
{
    u64 out = 0;

    for (int k = 0; k < 64; k++)
        out |= (a >> k & 1) << (63 - k);
    return out;
}

/* The highest bit unlike the sign. */
static u32 last_bit(i32 a)
{
    return 63 - leading_zeros((u32)(a < 0 ? ~a : a));
}

static u64 joined(u32 low, u32 high)
{
    return (u64)high << 32 | low;
}

static u32 permuted(u32 a, u32 b, u32 selector)
{
    u32 out = 0;

    for (int k = 0; k < 32; k += 8)
        out |= (u32)(joined(a, b) >> 8 * (selector >> k / 2 & 7) & 255) << k;
    return out;
}

static u32 inserted(u32 a, u32 b, u32 at, u32 count)
{
    const u32 mask = (u32)((((u64)1 << count) - 1) << at);

    return (b & ~mask) | (a << at & mask);
}

static u32 dot(u32 a, u32 b, u32 sum)
{
    for (int k = 0; k < 32; k += 8)
        sum += (a >> k & 255) * (b >> k & 255);
    return sum;
}

static i32 signed_dot(u32 a, u32 b, i32 c)
{
    u32 sum = (u32)c;

    for (int k = 0; k < 32; k += 8)
        sum += (u32)((i8)(a >> k) * (i8)(b >> k));
    return (i32)sum;
}

static i32 most(i32 a, i32 b)
{
    return a > b ? a : b;
}

static u32 least(u32 a, u32 b)
{
    return a < b ? a : b;
}

static i32 add_most(i32 a, i32 b, i32 c)
{
    return most((i32)((u32)a + (u32)b), c);
}

/* The signed maximum or the unsigned minimum of the halves. */
static u32 of_halves(u32 a, u32 b, bool maximum)
{
    u32 out = 0;

    for (int k = 0; k < 32; k += 16) {
        const u16 x = (u16)(a >> k), y = (u16)(b >> k);
        const bool first = maximum ? (i16)x > (i16)y : x < y;

        out |= (u32)(first ? x : y) << k;
    }
    return out;
}

static u64 high(u64 a, u64 b)
{
    const u64 low = (a & UINT32_MAX) * (b & UINT32_MAX), first = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const u64 second = (a & UINT32_MAX) * (b >> 32) + (first & UINT32_MAX);

    return (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32);
}

static i64 signed_high(i64 a, i64 b)
{
    return (i64)(high((u64)a, (u64)b) - (a < 0 ? (u64)b : 0) - (b < 0 ? (u64)a : 0));
}

static u64 chain_words(u32 a, u32 b, u32 c)
{
    const u64 second = (u64)b + c + (a + b < a);

    return (u64)(u32)(c + a + (u32)(second >> 32)) << 32 | (u32)second;
}

/* A zero with a sign is less than one without. */
static double least_real(double a, double b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

/* NAME_of(bits) is a value of each type, bits_NAME(value) its bits. */
#define INTEGER(type)                                                                                        \
    static inline type type##_of(u64 bits)                                                                   \
    {                                                                                                        \
        return (type)bits;                                                                                   \
    }
INTEGER(none)
INTEGER(u32)
INTEGER(i32)
INTEGER(u64)
INTEGER(i64)
INTEGER(flag)
INTEGER(small)
#define f32_of(bits)      f32_of_bits(bits)
#define f64_of(bits)      f64_of_bits(bits)
#define bits_u32(value)   ((u64)(u32)(value))
#define bits_i32(value)   ((u64)(u32)(value))
#define bits_small(value) ((u64)(u32)(value))
#define bits_u64(value)   ((u64)(value))
#define bits_i64(value)   ((u64)(value))
#define bits_flag(value)  ((u64)((value) != 0))

#define OTHER(name, result, A, B, C, cuda, expression)                                                       \
    static u64 compute_##name(const u32 *in, const u64 *v)                                                   \
    {                                                                                                        \
        const A a = A##_of(v[0]);                                                                            \
        const B b = B##_of(v[1]);                                                                            \
        const C c = C##_of(v[2]);                                                                            \
                                                                                                             \
        (void)in, (void)a, (void)b, (void)c;                                                                 \
        return bits_##result((result)(expression));                                                          \
    }
#define SAME(name, result, A, B, C, expression)   OTHER(name, result, A, B, C, , expression)
#define COSTLY(name, result, A, B, C, expression) OTHER(name, result, A, B, C, , expression)
#define LOAD(name, result, A, B, C, expression)   OTHER(name, result, A, B, C, , expression)
#include "random_operations.def"
#undef OTHER
#undef SAME
#undef COSTLY
#undef LOAD

#define KIND(name, result, A, B, C, body, loads, costly)                                                     \
    {#name, body, TYPE_##result, {TYPE_##A, TYPE_##B, TYPE_##C}, loads, costly, compute_##name},
#define OTHER(name, result, A, B, C, cuda, expression) KIND(name, result, A, B, C, cuda, false, false)
#define SAME(name, result, A, B, C, expression)        KIND(name, result, A, B, C, #expression, false, false)
#define COSTLY(name, result, A, B, C, expression)      KIND(name, result, A, B, C, #expression, false, true)
#define LOAD(name, result, A, B, C, expression)        KIND(name, result, A, B, C, #expression, true, false)
const struct operation_kind operation_kinds[] = {
#include "random_operations.def"
};

const unsigned operation_count = sizeof operation_kinds / sizeof *operation_kinds;

void operations_print(FILE *file)
{
    fprintf(file, "#define INPUTS %d\n", INPUTS);
    for (unsigned k = 0; k < operation_count; k++) {
        const struct operation_kind *kind = &operation_kinds[k];
        const char *separator = kind->loads ? ", " : "";

        fprintf(file, "INLINE %s %s(%s", type_names[kind->result], kind->name,
                kind->loads ? "const u32 *in" : "");
        for (unsigned o = 0; o < OPERANDS && kind->operands[o]; o++, separator = ", ")
            fprintf(file, "%s%s %c", separator, type_names[kind->operands[o]], 'a' + o);
        fprintf(file, ") { return (%s)(%s); }\n", type_names[kind->result], kind->body);
    }
}
