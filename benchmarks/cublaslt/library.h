/* cuBLASLt's matrix multiply of halves, loaded at run time: all its algorithms for one shape. */
#ifndef BENCHMARKS_CUBLASLT_LIBRARY_H
#define BENCHMARKS_CUBLASLT_LIBRARY_H

#include "base/err.h"
#include "gpu/driver.h"

#include <stddef.h>

struct cublaslt;

/* The library is OCCUTUNE_CUBLASLT, else libcublasLt.so.13 or .12; it works on the stream of `gpu`.
 * ERR_MISSING when it is not there. */
int cublaslt_open(struct cublaslt **out, struct gpu *gpu, struct err *err);
void cublaslt_close(struct cublaslt *library); /* also null */

/* C = A B^T with sums of floats, all stored by rows: A is m x k, B n x k, C m x n, bfloat16 or float16. Asks
 * for the algorithms of this shape, best first by cuBLASLt's own heuristic; those of before are forgotten. */
int cublaslt_shape(size_t *algorithms, struct cublaslt *library, int m, int n, int k, enum element_type type,
                   struct err *err);

/* What is known of algorithm `index`: "algorithm 66, tile 20, stages 35, 1 of k, cluster 3", numbers of cuBLASLt's enumerations. */
void cublaslt_describe(char *text, size_t size, const struct cublaslt *library, size_t index);

/* Queues algorithm `index` and returns. */
int cublaslt_multiply(const struct cublaslt *library, size_t index, gpu_address a, gpu_address b,
                      gpu_address c, struct err *err);

#endif
