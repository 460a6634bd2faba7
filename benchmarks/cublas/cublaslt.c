/* cuBLASLt's matrix multiply of halves, with sums of floats: all its algorithms for one shape. C = A B^T, B is n x k, bfloat16
 * or float16. OCCUTUNE_CUBLASLT names the library. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of cuBLASLt's interface. */
enum {
    COMPUTE_FLOAT = 68,
    TYPE_FLOAT = 0,
    TYPE_FLOAT16 = 2,
    TYPE_BFLOAT16 = 14,
    TRANSPOSE_A = 3,
    WORKSPACE_MOST = 1
};
enum {
    TILE_IDS = 6,
    TILE = 1,
    ALGORITHM_ID = 0,
    SPLIT_K = 2,
    STAGES = 6,
    CLUSTER_SHAPE = 8,
    CLUSTER_AUTOMATIC = 0,
    CLUSTER_1X1 = 2,
    CLUSTER_2X1 = 3,
    CLUSTER_1X2 = 5
};
enum { ALGORITHMS = 96, TILES_MOST = 1024 };
static const size_t workspace_bytes = (size_t)128 << 20;

struct heuristic {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

struct library {
    void *library, *handle;
    struct gpu *gpu;
    gpu_address workspace;
    void *operation, *a, *b, *c, *preference; /* of the shape */
    struct heuristic found[ALGORITHMS];
    int (*create)(void **);
    int (*destroy)(void *);
    int (*operation_create)(void **, int, int);
    int (*operation_set)(void *, int, const void *, size_t);
    int (*operation_destroy)(void *);
    int (*layout_create)(void **, int, uint64_t, uint64_t, int64_t);
    int (*layout_destroy)(void *);
    int (*preference_create)(void **);
    int (*preference_set)(void *, int, const void *, size_t);
    int (*preference_destroy)(void *);
    int (*heuristics)(void *, void *, void *, void *, void *, void *, void *, int, struct heuristic *, int *);
    int (*capability)(const void *, int, void *, size_t, size_t *);
    int (*configure)(void *, int, const void *, size_t);
    int (*configured)(const void *, int, void *, size_t, size_t *);
    int (*check)(void *, void *, void *, void *, void *, void *, const void *, struct heuristic *);
    int (*multiply)(void *, void *, const void *, const void *, void *, const void *, void *, const void *,
                    const void *, void *, void *, void *, const void *, void *, size_t, void *);
};

const char library_name[] = "cuBLASLt";

static int check(int status, const char *what, struct err *err)
{
    return status ? err_set(err, ERR_GPU, "cuBLASLt: %s: status %d", what, status) : 0;
}

static int load(struct library *l, struct err *err)
{
    const struct library_function functions[] = {{&l->create, "cublasLtCreate"},
                                                 {&l->destroy, "cublasLtDestroy"},
                                                 {&l->operation_create, "cublasLtMatmulDescCreate"},
                                                 {&l->operation_set, "cublasLtMatmulDescSetAttribute"},
                                                 {&l->operation_destroy, "cublasLtMatmulDescDestroy"},
                                                 {&l->layout_create, "cublasLtMatrixLayoutCreate"},
                                                 {&l->layout_destroy, "cublasLtMatrixLayoutDestroy"},
                                                 {&l->preference_create, "cublasLtMatmulPreferenceCreate"},
                                                 {&l->preference_set, "cublasLtMatmulPreferenceSetAttribute"},
                                                 {&l->preference_destroy, "cublasLtMatmulPreferenceDestroy"},
                                                 {&l->heuristics, "cublasLtMatmulAlgoGetHeuristic"},
                                                 {&l->capability, "cublasLtMatmulAlgoCapGetAttribute"},
                                                 {&l->configure, "cublasLtMatmulAlgoConfigSetAttribute"},
                                                 {&l->configured, "cublasLtMatmulAlgoConfigGetAttribute"},
                                                 {&l->check, "cublasLtMatmulAlgoCheck"},
                                                 {&l->multiply, "cublasLtMatmul"}};

    return library_load(&l->library, "cublasLt", "OCCUTUNE_CUBLASLT", functions,
                        sizeof functions / sizeof *functions, err);
}

int library_open(struct library **out, struct gpu *gpu, struct err *err)
{
    struct library *library = calloc(1, sizeof *library);
    int rc = library ? load(library, err) : err_memory(err);

    *out = NULL;
    if (!rc) {
        library->gpu = gpu;
        rc = check(library->create(&library->handle), "cublasLtCreate", err);
    }
    if (!rc)
        rc = gpu_alloc(&library->workspace, gpu, workspace_bytes, err);
    if (rc)
        library_close(library);
    else
        *out = library;
    return rc;
}

static void forget_shape(struct library *library)
{
    if (library->operation)
        library->operation_destroy(library->operation);
    if (library->a)
        library->layout_destroy(library->a);
    if (library->b)
        library->layout_destroy(library->b);
    if (library->c)
        library->layout_destroy(library->c);
    if (library->preference)
        library->preference_destroy(library->preference);
    library->operation = library->a = library->b = library->c = library->preference = NULL;
}

void library_close(struct library *library)
{
    if (!library)
        return;
    forget_shape(library);
    if (library->gpu)
        gpu_free(library->gpu, library->workspace);
    if (library->handle)
        library->destroy(library->handle);
    if (library->library)
        dlclose(library->library);
    free(library);
}

/* Keeps the algorithm `from` with another tile and cluster where the library can do that, and it is not there. */
static void keep(struct library *library, int *count, const struct heuristic *from, unsigned tile,
                 unsigned short cluster)
{
    struct heuristic made = *from, checked;

    if (*count == ALGORITHMS || library->configure(made.algorithm, TILE, &tile, sizeof tile) ||
        library->configure(made.algorithm, CLUSTER_SHAPE, &cluster, sizeof cluster) ||
        library->check(library->handle, library->operation, library->b, library->a, library->c, library->c,
                       made.algorithm, &checked) ||
        checked.workspace > workspace_bytes)
        return;
    for (int k = 0; k < *count; k++)
        if (!memcmp(library->found[k].algorithm, made.algorithm, sizeof made.algorithm))
            return;
    library->found[(*count)++] = made;
}

/* The heuristic names few: each of them with all of its tiles, in four shapes of clusters. */
static void add_others(struct library *library, int *count)
{
    static const unsigned short clusters[] = {CLUSTER_AUTOMATIC, CLUSTER_1X1, CLUSTER_2X1, CLUSTER_1X2};
    const int first = *count;
    unsigned tiles[TILES_MOST];
    size_t bytes;

    for (int k = 0; k < first; k++) {
        const struct heuristic from = library->found[k];

        if (library->capability(from.algorithm, TILE_IDS, tiles, sizeof tiles, &bytes))
            continue;
        for (size_t t = 0; t < bytes / sizeof *tiles; t++)
            for (size_t c = 0; c < sizeof clusters / sizeof *clusters; c++)
                keep(library, count, &from, tiles[t], clusters[c]);
    }
}

/* cuBLASLt stores by columns, where our matrices are their transposes: C^T = B A^T, B transposed anew. */
int library_shape(size_t *algorithms, struct library *library, int m, int n, int k, enum element_type type,
                  struct err *err)
{
    const int half = type == ELEMENT_FLOAT16 ? TYPE_FLOAT16 : TYPE_BFLOAT16, transposed = 1;
    const uint64_t rows = (uint64_t)m, columns = (uint64_t)n, depth = (uint64_t)k;
    int found = 0;

    forget_shape(library);
    *algorithms = 0;
    if (type != ELEMENT_FLOAT16 && type != ELEMENT_BFLOAT16)
        return err_set(err, ERR_USAGE, "cuBLASLt multiplies float16 and bfloat16 here");
    if (check(library->operation_create(&library->operation, COMPUTE_FLOAT, TYPE_FLOAT), "operation", err) ||
        check(library->operation_set(library->operation, TRANSPOSE_A, &transposed, sizeof transposed),
              "transpose", err) ||
        check(library->layout_create(&library->b, half, depth, columns, k), "layout", err) ||
        check(library->layout_create(&library->a, half, depth, rows, k), "layout", err) ||
        check(library->layout_create(&library->c, half, columns, rows, n), "layout", err) ||
        check(library->preference_create(&library->preference), "preference", err) ||
        check(library->preference_set(library->preference, WORKSPACE_MOST, &workspace_bytes,
                                      sizeof workspace_bytes),
              "workspace", err) ||
        check(library->heuristics(library->handle, library->operation, library->b, library->a, library->c,
                                  library->c, library->preference, ALGORITHMS, library->found, &found),
              "cublasLtMatmulAlgoGetHeuristic", err))
        return err ? err->code : ERR_GPU;
    add_others(library, &found);
    *algorithms = (size_t)found;
    return 0;
}

static unsigned attribute(const struct library *library, size_t index, int id, size_t size)
{
    unsigned value = 0;
    size_t written;

    return library->configured(library->found[index].algorithm, id, &value, size, &written) ? 0 : value;
}

void library_describe(char *text, size_t size, const struct library *library, size_t index)
{
    snprintf(text, size, "algorithm %u, tile %u, stages %u, %u of k, cluster %u",
             attribute(library, index, ALGORITHM_ID, 4), attribute(library, index, TILE, 4),
             attribute(library, index, STAGES, 4), attribute(library, index, SPLIT_K, 4),
             attribute(library, index, CLUSTER_SHAPE, 2));
}

int library_multiply(const struct library *library, size_t index, gpu_address a, gpu_address b, gpu_address c,
                     struct err *err)
{
    const float one = 1, zero = 0;

    return check(library->multiply(library->handle, library->operation, &one, (const void *)b, library->b,
                                   (const void *)a, library->a, &zero, (const void *)c, library->c, (void *)c,
                                   library->c, library->found[index].algorithm, (void *)library->workspace,
                                   workspace_bytes, gpu_stream(library->gpu)),
                 "cublasLtMatmul", err);
}
