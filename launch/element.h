/* Element types of buffers and scalars, and numbers as their bytes (little endian, as on the GPU and the
 * hosts it has). */
#ifndef LAUNCH_ELEMENT_H
#define LAUNCH_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum element_type {
    ELEMENT_INT8,
    ELEMENT_UINT8,
    ELEMENT_INT16,
    ELEMENT_UINT16,
    ELEMENT_INT32,
    ELEMENT_UINT32,
    ELEMENT_INT64,
    ELEMENT_UINT64,
    ELEMENT_FLOAT16,
    ELEMENT_BFLOAT16,
    ELEMENT_FLOAT32,
    ELEMENT_FLOAT64,
    ELEMENT_TYPE_COUNT
};

const char *element_text(enum element_type type); /* "int8" ... "float16", "bfloat16", "float32", "float64" */
int element_parse(const char *text);              /* -1 when unknown */
size_t element_size(enum element_type type);      /* bytes */
bool element_is_integer(enum element_type type);
bool element_is_signed(enum element_type type); /* an integer that may be negative */

/* Writes element_size bytes. Reals are rounded to nearest even; an integer type takes the nearest integer
 * within its range, 0 for NaN. Integers are cut to an integer type's width. */
void element_from_real(void *out, enum element_type type, double value);
void element_from_integer(void *out, enum element_type type, int64_t value);

/* Whether element_from_integer keeps the value: it lies in the range of the (integer) type. */
bool element_fits(enum element_type type, int64_t value);

/* Whether element_from_real keeps the value but for its rounding: an integer within the range of an integer
 * type, a number that stays finite in a type of reals. */
bool element_takes(enum element_type type, double value);

/* The value; 64-bit integers are rounded to the nearest double. */
double element_to_real(enum element_type type, const void *bytes);

#endif
