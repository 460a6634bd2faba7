/* Systems of equations of which each has one unknown more than the one before. */
#ifndef TUNER_STRATEGY_TRIANGLE_H
#define TUNER_STRATEGY_TRIANGLE_H

#include <stddef.h>

double sum_of_products(const double *a, const double *b, size_t n);

/* Solves lower x = b in place, for the first `n` unknowns; the rows of `lower` lie `most` apart. */
void triangle_forward(double *restrict x, const double *restrict lower, size_t most, size_t n);

/* Likewise lower^T x = b. */
void triangle_backward(double *restrict x, const double *restrict lower, size_t most, size_t n);

#endif
