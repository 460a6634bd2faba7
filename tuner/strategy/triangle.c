#include "tuner/strategy/triangle.h"

/* In a few sums that need not wait for each other. */
double sum_of_products(const double *a, const double *b, size_t n)
{
    double sums[4] = {0};
    size_t i;

    for (i = 0; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sums[k] += a[i + k] * b[i + k];
    for (size_t k = 0; i < n; i++, k++)
        sums[k] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

enum { PANEL = 4 }; /* rows that are solved at once, with sums that need not wait for each other */

/* What the unknowns before i contribute to the PANEL equations from i on; i is a multiple of PANEL. */
static void sum_panel(double out[PANEL], const double *restrict x, const double *restrict rows, size_t most,
                      size_t i)
{
    const double *second = rows + most, *third = second + most, *fourth = third + most;
    double even[PANEL] = {0}, odd[PANEL] = {0};

    for (size_t k = 0; k < i; k += 2) {
        const double a = x[k], b = x[k + 1];

        even[0] += rows[k] * a;
        odd[0] += rows[k + 1] * b;
        even[1] += second[k] * a;
        odd[1] += second[k + 1] * b;
        even[2] += third[k] * a;
        odd[2] += third[k + 1] * b;
        even[3] += fourth[k] * a;
        odd[3] += fourth[k + 1] * b;
    }
    for (size_t k = 0; k < PANEL; k++)
        out[k] = even[k] + odd[k];
}

void triangle_forward(double *restrict x, const double *restrict lower, size_t most, size_t n)
{
    double sums[PANEL];
    size_t i;

    for (i = 0; i + PANEL <= n; i += PANEL) {
        sum_panel(sums, x, lower + i * most, most, i);
        for (size_t r = i; r < i + PANEL; r++) {
            const double *row = lower + r * most;

            x[r] -= sums[r - i];
            for (size_t k = i; k < r; k++)
                x[r] -= row[k] * x[k];
            x[r] /= row[r];
        }
    }
    for (; i < n; i++)
        x[i] = (x[i] - sum_of_products(lower + i * most, x, i)) / lower[i * most + i];
}

void triangle_backward(double *restrict x, const double *restrict lower, size_t most, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        const double *row = lower + i * most;

        x[i] /= row[i];
        for (size_t k = 0; k < i; k++)
            x[k] -= row[k] * x[i];
    }
}
