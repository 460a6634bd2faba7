/* The kernels of the library once more in plain C, for small problems: what a test compares the emulator or a
 * GPU with. Arrays have the layout of the kernels' arguments and are given in their order; sums are taken in
 * double precision. Sizes are at least 1 and small enough that every index fits an int. */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

/* c[i] = a[i] + b[i] */
void reference_vector_add(int n, const float *a, const float *b, float *c);

/* a[i] = b[c[i]] */
void reference_permutation(int n, const int *c, const float *b, float *a);

/* a[i] = |a[i]| */
void reference_abs_inplace(int n, float *a);

/* C = A B; A is M x K, B is K x N, row-major: matmul, matmul_naive, matmul_tiled */
void reference_matmul(int M, int N, int K, const float *A, const float *B, float *C);

/* The same, column-major. */
void reference_matmul_volkov(int M, int N, int K, const float *A, const float *B, float *C);

/* to[column][row] = from[row][column] */
void reference_transpose(int rows, int columns, const float *from, float *to);

/* Values of European calls and puts. */
void reference_black_scholes(int n, float rate, float volatility, const float *price, const float *strike,
                             const float *years, float *call, float *put);

/* total[0] += the sum of a */
void reference_reduction(int n, const float *a, float *total);

/* 0.4 of a point and 0.1 of each of its six neighbours; the boundary is copied. (x, y, z) lies at (z ny + y)
 * nx + x. */
void reference_stencil3d(int nx, int ny, int nz, const float *from, float *to);

/* exp(element) over the sum of these in its row */
void reference_row_softmax(int rows, int columns, const float *from, float *to);

/* y = A x; the entries of row r are start[r] .. start[r + 1] - 1 */
void reference_spmv_csr(int rows, const int *start, const int *column, const float *value, const float *x,
                        float *y);

/* One step on the D3Q19 lattice, periodic, bounce-back at solid cells. Density q of cell (x, y, z) lies at
 * ((q nz + z) ny + y) nx + x. */
void reference_lattice_boltzmann(int nx, int ny, int nz, float omega, const int *solid, const float *from,
                                 float *to);

#endif
