#include "launch/element.h"

#include "base/round.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *text;
    size_t size;
    /* Range of an integer type, its ends exact in a double or, at 64 bits, one past it; of a type of reals,
     * high is the first value that rounds to infinity. */
    double low, high;
} types[ELEMENT_TYPE_COUNT] = {
    [ELEMENT_INT8] = {"int8", 1, -0x1p7, 0x1p7 - 1},
    [ELEMENT_UINT8] = {"uint8", 1, 0, 0x1p8 - 1},
    [ELEMENT_INT16] = {"int16", 2, -0x1p15, 0x1p15 - 1},
    [ELEMENT_UINT16] = {"uint16", 2, 0, 0x1p16 - 1},
    [ELEMENT_INT32] = {"int32", 4, -0x1p31, 0x1p31 - 1},
    [ELEMENT_UINT32] = {"uint32", 4, 0, 0x1p32 - 1},
    [ELEMENT_INT64] = {"int64", 8, -0x1p63, 0x1p63},
    [ELEMENT_UINT64] = {"uint64", 8, 0, 0x1p64},
    [ELEMENT_FLOAT16] = {"float16", 2, 0, 0x1.ffep15},
    [ELEMENT_BFLOAT16] = {"bfloat16", 2, 0, 0x1.ffp127},
    [ELEMENT_FLOAT32] = {"float32", 4, 0, 0x1.ffffffp127},
    [ELEMENT_FLOAT64] = {"float64", 8, 0, INFINITY},
};

const char *element_text(enum element_type type)
{
    return types[type].text;
}

int element_parse(const char *text)
{
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++)
        if (!strcmp(text, types[type].text))
            return type;
    return -1;
}

size_t element_size(enum element_type type)
{
    return types[type].size;
}

bool element_is_integer(enum element_type type)
{
    return type < ELEMENT_FLOAT16;
}

bool element_is_signed(enum element_type type)
{
    return type == ELEMENT_INT8 || type == ELEMENT_INT16 || type == ELEMENT_INT32 || type == ELEMENT_INT64;
}

/* A binary floating-point format of 16 bits: `digits` fraction bits, exponents from `least` (of normal
 * numbers) to `most`. */
struct format16 {
    int digits, least, most;
};
static const struct format16 float16 = {10, -14, 15}, bfloat16 = {7, -126, 127};

static uint16_t real_to_16(double value, struct format16 format)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const uint16_t infinity = (uint16_t)((format.most - format.least + 2) << format.digits);
    uint64_t bits;

    if (isnan(value))
        return sign | infinity | (uint16_t)(1 << (format.digits - 1));
    if (isinf(value))
        return sign | infinity;
    bits = round_bits(value, format.digits, format.least, ROUND_TO_NEAREST);
    return sign | (uint16_t)(bits < infinity ? bits : infinity);
}

static double real_from_16(uint16_t bits, struct format16 format)
{
    const int fraction = bits & ((1 << format.digits) - 1), raised = (bits & 0x7fff) >> format.digits;
    const int unit = 1 << format.digits;
    double value;

    if (raised == format.most - format.least + 2)
        value = fraction ? NAN : INFINITY;
    else if (raised == 0)
        value = scalbn(fraction, format.least - format.digits);
    else
        value = scalbn(unit + fraction, raised - 1 + format.least - format.digits);
    return bits & 0x8000 ? -value : value;
}

static int64_t nearest_integer(enum element_type type, double value)
{
    value = nearbyint(value);
    if (isnan(value))
        return 0;
    if (value <= types[type].low)
        return (int64_t)types[type].low;
    if (type == ELEMENT_UINT64)
        return value >= 0x1p64 ? -1 : (int64_t)(uint64_t)value;
    if (value >= types[type].high)
        return type == ELEMENT_INT64 ? INT64_MAX : (int64_t)types[type].high;
    return (int64_t)value;
}

void element_from_real(void *out, enum element_type type, double value)
{
    uint16_t bits;
    float single;

    switch (type) {
    case ELEMENT_FLOAT64:
        memcpy(out, &value, sizeof value);
        break;
    case ELEMENT_FLOAT32:
        single = (float)value;
        memcpy(out, &single, sizeof single);
        break;
    case ELEMENT_FLOAT16:
    case ELEMENT_BFLOAT16:
        bits = real_to_16(value, type == ELEMENT_FLOAT16 ? float16 : bfloat16);
        memcpy(out, &bits, sizeof bits);
        break;
    default:
        element_from_integer(out, type, nearest_integer(type, value));
    }
}

void element_from_integer(void *out, enum element_type type, int64_t value)
{
    unsigned char *bytes = out;
    uint64_t rest = (uint64_t)value;

    if (!element_is_integer(type)) {
        element_from_real(out, type, (double)value);
        return;
    }
    for (size_t i = 0; i < types[type].size; i++, rest >>= 8)
        bytes[i] = (unsigned char)rest;
}

bool element_fits(enum element_type type, int64_t value)
{
    if (type == ELEMENT_INT64)
        return true;
    if (type == ELEMENT_UINT64)
        return value >= 0;
    return (double)value >= types[type].low && (double)value <= types[type].high;
}

bool element_takes(enum element_type type, double value)
{
    if (!element_is_integer(type))
        return fabs(value) < types[type].high;
    return value == floor(value) && value >= types[type].low &&
           (value < types[type].high || (types[type].size < 8 && value == types[type].high));
}

double element_to_real(enum element_type type, const void *bytes)
{
    const unsigned char *p = bytes;
    uint64_t bits = 0, sign;
    double value;
    float single;

    for (size_t i = types[type].size; i-- > 0;)
        bits = bits << 8 | p[i];
    switch (type) {
    case ELEMENT_FLOAT64:
        memcpy(&value, p, sizeof value);
        return value;
    case ELEMENT_FLOAT32:
        memcpy(&single, p, sizeof single);
        return single;
    case ELEMENT_FLOAT16:
    case ELEMENT_BFLOAT16:
        return real_from_16((uint16_t)bits, type == ELEMENT_FLOAT16 ? float16 : bfloat16);
    default:
        break;
    }
    if (types[type].low == 0)
        return (double)bits;
    sign = UINT64_C(1) << (8 * types[type].size - 1);
    return (double)(int64_t)((bits ^ sign) - sign);
}
