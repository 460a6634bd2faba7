/* cuBLAS's matrix multiply in single precision without TF32: C = A B, B is k x n. OCCUTUNE_CUBLAS names the library. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Values of cuBLAS's interface. */
enum { OPERATION_NONE = 0, PEDANTIC_MATH = 2 };

struct library {
    void *library, *handle;
    int version, m, n, k;
    int (*create)(void **);
    int (*destroy)(void *);
    int (*set_stream)(void *, void *);
    int (*set_math_mode)(void *, int);
    int (*get_version)(void *, int *);
    int (*sgemm)(void *, int, int, int, int, int, const float *, const void *, int, const void *, int,
                 const float *, void *, int);
};

const char library_name[] = "cuBLAS";

static int load(struct library *l, struct err *err)
{
    const struct library_function functions[] = {
        {&l->create, "cublasCreate_v2"},          {&l->destroy, "cublasDestroy_v2"},
        {&l->set_stream, "cublasSetStream_v2"},   {&l->set_math_mode, "cublasSetMathMode"},
        {&l->get_version, "cublasGetVersion_v2"}, {&l->sgemm, "cublasSgemm_v2"}};

    return library_load(&l->library, "cublas", "OCCUTUNE_CUBLAS", functions,
                        sizeof functions / sizeof *functions, err);
}

static int check(int status, const char *what, struct err *err)
{
    return status ? err_set(err, ERR_GPU, "cuBLAS: %s: status %d", what, status) : 0;
}

int library_open(struct library **out, struct gpu *gpu, struct err *err)
{
    struct library *library = calloc(1, sizeof *library);
    int rc = library ? load(library, err) : err_memory(err);

    *out = NULL;
    if (!rc)
        rc = check(library->create(&library->handle), "cublasCreate", err);
    if (!rc)
        rc = check(library->set_stream(library->handle, gpu_stream(gpu)), "cublasSetStream", err);
    if (!rc)
        rc = check(library->set_math_mode(library->handle, PEDANTIC_MATH), "cublasSetMathMode", err);
    if (!rc)
        rc = check(library->get_version(library->handle, &library->version), "cublasGetVersion", err);
    if (rc)
        library_close(library);
    else
        *out = library;
    return rc;
}

void library_close(struct library *library)
{
    if (!library)
        return;
    if (library->handle)
        library->destroy(library->handle);
    if (library->library)
        dlclose(library->library);
    free(library);
}

int library_shape(size_t *algorithms, struct library *library, int m, int n, int k, enum element_type type,
                  struct err *err)
{
    *algorithms = 1;
    library->m = m;
    library->n = n;
    library->k = k;
    return type == ELEMENT_FLOAT32 ? 0 : err_set(err, ERR_USAGE, "cuBLAS multiplies float32 here");
}

void library_describe(char *text, size_t size, const struct library *library, size_t index)
{
    snprintf(text, size, "%d, pedantic%s", library->version, index ? "?" : "");
}

/* cuBLAS stores by columns, where our matrices are their transposes: C^T = B^T A^T. */
int library_multiply(const struct library *library, size_t index, gpu_address a, gpu_address b, gpu_address c,
                     struct err *err)
{
    const int m = library->m, n = library->n, k = library->k;
    const float one = 1, zero = 0;

    (void)index;
    return check(library->sgemm(library->handle, OPERATION_NONE, OPERATION_NONE, n, m, k, &one,
                                (const void *)b, n, (const void *)a, k, &zero, (void *)c, n),
                 "cublasSgemm", err);
}
