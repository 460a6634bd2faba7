/* The references themselves, by values known by hand and by what each kernel must keep. */
#include "check.h"

#include "reference.h"

static void elementwise(void **state)
{
    const float a[] = {1, -2, 3}, b[] = {10, 20, 30};
    const int order[] = {2, 0, 0};
    float c[3], d[] = {1, -2, 0};

    reference_vector_add(3, a, b, c);
    check_near(c[1], 18, 0);
    reference_permutation(3, order, b, c);
    check_near(c[0], 30, 0);
    check_near(c[2], 10, 0);
    reference_abs_inplace(3, d);
    check_near(d[1], 2, 0);
    reference_reduction(3, b, &d[0]);
    check_near(d[0], 61, 0);
}

static void products(void **state)
{
    const float A[] = {1, 2, 3, 4, 5, 6}, B[] = {1, 0, 2, 1, 0, 3}; /* 2 x 3 and 3 x 2 by rows */
    const float wanted[] = {5, 11, 14, 23};
    float C[4], A_columns[6], B_columns[6], C_columns[4], back[4];

    reference_matmul(2, 2, 3, A, B, C);
    reference_transpose(2, 3, A, A_columns);
    reference_transpose(3, 2, B, B_columns);
    reference_matmul_volkov(2, 2, 3, A_columns, B_columns, C_columns);
    reference_transpose(2, 2, C_columns, back);
    for (int i = 0; i < 4; i++) {
        check_near(C[i], wanted[i], 0);
        check_near(back[i], wanted[i], 0);
    }
}

static void sparse_product(void **state)
{
    const int start[] = {0, 2, 2, 3}, column[] = {0, 2, 1};
    const float value[] = {2, 3, 4}, x[] = {1, 10, 100};
    float y[3];

    reference_spmv_csr(3, start, column, value, x, y);
    check_near(y[0], 302, 0);
    check_near(y[1], 0, 0);
    check_near(y[2], 40, 0);
}

/* Hull's example: price 42, strike 40, half a year, 10 % rate, 20 % volatility: call 4.76, put 0.81. */
static void options(void **state)
{
    const float price = 42, strike = 40, years = 0.5f;
    float call, put;

    reference_black_scholes(1, 0.1f, 0.2f, &price, &strike, &years, &call, &put);
    check_near(call, 4.76, 0.005);
    check_near(put, 0.81, 0.005);
    check_near(call - put, price - strike * exp(-0.05), 1e-5);
}

static void stencil_and_softmax(void **state)
{
    float from[27], to[27], row[] = {1, 2, 3, 1000};
    double sum = 0;

    for (int i = 0; i < 27; i++)
        from[i] = (float)i;
    reference_stencil3d(3, 3, 3, from, to);
    for (int i = 0; i < 27; i++)
        check_near(to[i], i, 1e-5); /* a linear field stays */
    from[4] += 1;                   /* the neighbour below the centre */
    reference_stencil3d(3, 3, 3, from, to);
    check_near(to[13], 13.1, 1e-5);
    reference_row_softmax(1, 3, row, to);
    for (int i = 0; i < 3; i++)
        sum += to[i];
    check_near(sum, 1, 1e-6);
    check_near(to[1] / to[0], exp(1), 1e-5);
    reference_row_softmax(1, 4, row, to);
    check_near(to[3], 1, 1e-6);
}

/* Equilibrium at rest does not change, mass is kept, and a density moves one cell along its direction. */
static void lattice(void **state)
{
    enum { CELLS = 4 * 3 * 2, DENSITIES = 19 * CELLS };
    static float from[DENSITIES], to[DENSITIES];
    static int solid[CELLS];
    double before = 0, after = 0;

    for (int i = 0; i < DENSITIES; i++)
        from[i] = i < CELLS ? 1.0f / 3 : i < 7 * CELLS ? 1.0f / 18 : 1.0f / 36;
    reference_lattice_boltzmann(4, 3, 2, 1.2f, solid, from, to);
    for (int i = 0; i < DENSITIES; i++)
        check_near(to[i], from[i], 1e-6);
    solid[5] = 1;
    from[CELLS + 5] += 0.01f;
    from[DENSITIES - 1] += 0.02f;
    reference_lattice_boltzmann(4, 3, 2, 1.2f, solid, from, to);
    for (int i = 0; i < DENSITIES; i++) {
        before += from[i];
        after += to[i];
    }
    check_near(after, before, 1e-5);
    reference_lattice_boltzmann(4, 3, 2, 0.0f, solid, from, to);
    check_near(to[CELLS + 6], from[CELLS + 5], 1e-7);
    check_near(to[2 * CELLS + 5], from[CELLS + 4], 1e-7); /* the solid cell sends back what arrives */
}

int main(void)
{
    return RUN_TESTS(elementwise, products, sparse_product, options, stencil_and_softmax, lattice);
}
