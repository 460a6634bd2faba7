/* Numbers of fewer bits than a double has: floats of 8 and 16 bits. */
#ifndef BASE_ROUND_H
#define BASE_ROUND_H

#include <stdint.h>

/* Where a magnitude between two numbers of a format goes. */
enum round_to { ROUND_TO_NEAREST, ROUND_TO_ZERO, ROUND_AWAY };

/* The bits of a finite magnitude in a format of `digits` fraction bits whose smallest normal number has the exponent
 * `least`: IEEE 754, section 3.4, ties to even. What lies beyond the largest number gets the bits that the exponents
 * would have if they went on; the sign of `value` is left out. */
uint64_t round_bits(double value, int digits, int least, enum round_to to);

#endif
