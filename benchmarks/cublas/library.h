/* cuBLAS's matrix multiply in single precision without TF32, loaded at run time. */
#ifndef BENCHMARKS_CUBLAS_LIBRARY_H
#define BENCHMARKS_CUBLAS_LIBRARY_H

#include "base/err.h"
#include "gpu/driver.h"

struct cublas;

/* The library is OCCUTUNE_CUBLAS, else libcublas.so.13 or .12; it works on the stream and context of `gpu`.
 * ERR_MISSING when it is not there. */
int cublas_open(struct cublas **out, const struct gpu *gpu, struct err *err);
void cublas_close(struct cublas *cublas); /* also null */
int cublas_version(const struct cublas *cublas);

/* C = A B, all stored by rows: A is m x k, B k x n. Queues and returns. */
int cublas_multiply(const struct cublas *cublas, int m, int n, int k, gpu_address a, gpu_address b,
                    gpu_address c, struct err *err);

#endif
