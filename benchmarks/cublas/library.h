/* Someone else's matrix multiply, loaded at run time: cublas.c or cublaslt.c, linked one at a time. */
#ifndef BENCHMARKS_CUBLAS_LIBRARY_H
#define BENCHMARKS_CUBLAS_LIBRARY_H

#include "base/err.h"
#include "gpu/driver.h"

#include <stddef.h>

struct library;

extern const char library_name[]; /* "cuBLAS", "cuBLASLt" */

/* Works on the stream and context of `gpu`. ERR_MISSING when the library is not here. */
int library_open(struct library **out, struct gpu *gpu, struct err *err);
void library_close(struct library *library); /* also null */

/* The product of this shape, all stored by rows: A is m x k and C m x n, of `type`. Asks for the algorithms, best first by
 * the library's own heuristic; those of before are forgotten. ERR_USAGE of a type that is not the library's. */
int library_shape(size_t *algorithms, struct library *library, int m, int n, int k, enum element_type type,
                  struct err *err);

/* What is known of algorithm `index`, in the library's own numbers. */
void library_describe(char *text, size_t size, const struct library *library, size_t index);

/* Queues algorithm `index` and returns. */
int library_multiply(const struct library *library, size_t index, gpu_address a, gpu_address b, gpu_address c,
                     struct err *err);

/* For implementations: opens what the environment variable `own` names, else lib`stem`.so.13 or .12, and fills in functions. */
struct library_function {
    void *to; /* the address of a pointer to a function */
    const char *name;
};
int library_load(void **out, const char *stem, const char *own, const struct library_function *functions,
                 size_t count, struct err *err);

#endif
