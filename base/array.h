/* Growable arrays: a pointer and a count, which the owner keeps, and nothing else. An array that grows by ARRAY_GROW alone
 * has memory for the next power of two of its count. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include "base/err.h"

#include <stddef.h>

/* Makes `array`, a pointer to `count` items or null, hold one more. ERR_MEMORY, and it stays as it is. */
#define ARRAY_GROW(array, count, err) array_grow(&(array), count, sizeof *(array), err)

/* `array`: the address of the pointer. */
int array_grow(void *array, size_t count, size_t size, struct err *err);

#endif
