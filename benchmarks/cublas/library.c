#include "library.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Values of cuBLAS's interface. */
enum { OPERATION_NONE = 0, PEDANTIC_MATH = 2 };

struct cublas {
    void *library, *handle;
    int version;
    int (*create)(void **);
    int (*destroy)(void *);
    int (*set_stream)(void *, void *);
    int (*set_math_mode)(void *, int);
    int (*get_version)(void *, int *);
    int (*sgemm)(void *, int, int, int, int, int, const float *, const void *, int, const void *, int,
                 const float *, void *, int);
};

static int load(struct cublas *cublas, struct err *err)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12"};
    const char *own = getenv("OCCUTUNE_CUBLAS");

    if (own)
        cublas->library = dlopen(own, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; !own && !cublas->library && i < sizeof names / sizeof *names; i++)
        cublas->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!cublas->library)
        return err_set(err, ERR_MISSING, "cuBLAS is not here (%s): set OCCUTUNE_CUBLAS to libcublas.so",
                       dlerror());
    *(void **)&cublas->create = dlsym(cublas->library, "cublasCreate_v2");
    *(void **)&cublas->destroy = dlsym(cublas->library, "cublasDestroy_v2");
    *(void **)&cublas->set_stream = dlsym(cublas->library, "cublasSetStream_v2");
    *(void **)&cublas->set_math_mode = dlsym(cublas->library, "cublasSetMathMode");
    *(void **)&cublas->get_version = dlsym(cublas->library, "cublasGetVersion_v2");
    *(void **)&cublas->sgemm = dlsym(cublas->library, "cublasSgemm_v2");
    if (cublas->create && cublas->destroy && cublas->set_stream && cublas->set_math_mode &&
        cublas->get_version && cublas->sgemm)
        return 0;
    return err_set(err, ERR_MISSING, "cuBLAS lacks a function: %s", dlerror());
}

static int check(int status, const char *what, struct err *err)
{
    return status ? err_set(err, ERR_GPU, "cuBLAS: %s: status %d", what, status) : 0;
}

int cublas_open(struct cublas **out, const struct gpu *gpu, struct err *err)
{
    struct cublas *cublas = calloc(1, sizeof *cublas);
    int code = cublas ? load(cublas, err) : err_memory(err);

    *out = NULL;
    if (!code)
        code = check(cublas->create(&cublas->handle), "cublasCreate", err);
    if (!code)
        code = check(cublas->set_stream(cublas->handle, gpu_stream(gpu)), "cublasSetStream", err);
    if (!code)
        code = check(cublas->set_math_mode(cublas->handle, PEDANTIC_MATH), "cublasSetMathMode", err);
    if (!code)
        code = check(cublas->get_version(cublas->handle, &cublas->version), "cublasGetVersion", err);
    if (code)
        cublas_close(cublas);
    else
        *out = cublas;
    return code;
}

void cublas_close(struct cublas *cublas)
{
    if (!cublas)
        return;
    if (cublas->handle)
        cublas->destroy(cublas->handle);
    if (cublas->library)
        dlclose(cublas->library);
    free(cublas);
}

int cublas_version(const struct cublas *cublas)
{
    return cublas->version;
}

/* cuBLAS stores by columns, where our A is its transpose: C^T = B^T A^T. */
int cublas_multiply(const struct cublas *cublas, int m, int n, int k, gpu_address a, gpu_address b,
                    gpu_address c, struct err *err)
{
    const float one = 1, zero = 0;

    return check(cublas->sgemm(cublas->handle, OPERATION_NONE, OPERATION_NONE, n, m, k, &one, (const void *)b,
                               n, (const void *)a, k, &zero, (void *)c, n),
                 "cublasSgemm", err);
}
