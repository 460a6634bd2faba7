#include "base/round.h"

#include <string.h>

enum { DIGITS = 52, BIAS = 1023 };

/* The significand without its last `shift` bits. */
static uint64_t cut(uint64_t significand, int shift, enum round_to to)
{
    const uint64_t unit = UINT64_C(1) << shift, rest = significand & (unit - 1), whole = significand >> shift;

    switch (to) {
    case ROUND_TO_NEAREST:
        return whole + (rest > unit / 2 || (rest == unit / 2 && whole & 1));
    case ROUND_AWAY:
        return whole + (rest != 0);
    default:
        return whole;
    }
}

uint64_t round_bits(double value, int digits, int least, enum round_to to)
{
    uint64_t bits, fraction;
    int exponent, shift;

    memcpy(&bits, &value, sizeof bits);
    exponent = (int)(bits >> DIGITS & 0x7ff);
    fraction = bits & ((UINT64_C(1) << DIGITS) - 1);
    if (exponent)
        fraction |= UINT64_C(1) << DIGITS;
    else
        exponent = 1; /* a denormal number */
    exponent -= BIAS + least;
    shift = DIGITS - digits - (exponent < 0 ? exponent : 0);
    if (shift > DIGITS + 2) /* less than half of the smallest number, however far */
        shift = DIGITS + 2;
    /* The encoding is linear in both: a carry runs into the exponent. */
    return cut(fraction, shift, to) + ((uint64_t)(exponent > 0 ? exponent : 0) << digits);
}
