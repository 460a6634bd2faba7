#include "gpu/kernels_host.h"

#include <string.h>

enum { THREADS = 256, BLOCKS_PER_SM = 8 };

int kernels_open(struct kernels *out, struct gpu *gpu, struct err *err)
{
    const struct {
        gpu_function *function;
        const char *name;
    } wanted[] = {{&out->compare, "occ_compare"},
                  {&out->reduce, "occ_reduce"},
                  {&out->differ, "occ_differ"},
                  {&out->poison, "occ_poison"},
                  {&out->fill_real, "occ_fill_real"},
                  {&out->fill_integer, "occ_fill_integer"},
                  {&out->guard_write, "occ_guard_write"},
                  {&out->guard_check, "occ_guard_check"},
                  {&out->stamp, "occ_stamp"},
                  {&out->pace, "occ_pace"},
                  {&out->empty, "occ_empty"}};
    int rc;

    memset(out, 0, sizeof *out);
    out->gpu = gpu;
    rc = gpu_load(&out->module, gpu, kernels_ptx, err);
    for (size_t i = 0; !rc && i < sizeof wanted / sizeof *wanted; i++)
        rc = gpu_find_function(wanted[i].function, gpu, out->module, wanted[i].name, err);
    return rc;
}

void kernels_close(struct kernels *kernels)
{
    if (kernels->gpu)
        gpu_unload(kernels->gpu, kernels->module);
    memset(kernels, 0, sizeof *kernels);
}

static enum element_kind kind_of(enum element_type type)
{
    switch (type) {
    case ELEMENT_FLOAT16:
        return KIND_FLOAT16;
    case ELEMENT_BFLOAT16:
        return KIND_BFLOAT16;
    case ELEMENT_FLOAT32:
        return KIND_FLOAT32;
    case ELEMENT_FLOAT64:
        return KIND_FLOAT64;
    default:
        return KIND_BITS;
    }
}

static int launch_row(const struct kernels *kernels, gpu_function function, unsigned blocks, unsigned threads,
                      void **parameters, struct err *err)
{
    struct launch launch;

    launch_init(&launch);
    launch.grid[0] = blocks;
    launch.block[0] = threads;
    return gpu_launch(kernels->gpu, function, &launch, parameters, err);
}

/* A launch over `count` items with a stride loop. */
static int launch_over(const struct kernels *kernels, gpu_function function, uint64_t count,
                       void **parameters, struct err *err)
{
    uint64_t wanted = count / THREADS + 1, most = (uint64_t)BLOCKS_PER_SM * gpu_sm_count(kernels->gpu);

    return launch_row(kernels, function, (unsigned)(wanted < most ? wanted : most), THREADS, parameters, err);
}

int kernels_compare(const struct kernels *kernels, enum element_type type, gpu_address got, gpu_address want,
                    uint64_t count, double relative, double absolute, gpu_address found, struct err *err)
{
    int kind = (int)kind_of(type);
    unsigned size = (unsigned)element_size(type);
    void *parameters[] = {&kind, &size, &got, &want, &count, &relative, &absolute, &found};

    return launch_over(kernels, kernels->compare, count, parameters, err);
}

enum { REDUCE_THREADS = 4096 }; /* of the first of two passes */

/* Parts that are left by it. */
static uint64_t chunks_of(uint64_t parts, uint64_t count)
{
    const uint64_t most = count < REDUCE_THREADS ? REDUCE_THREADS / count : 1;

    return parts < most ? parts : most;
}

uint64_t kernels_reduce_elements(uint64_t parts, uint64_t count)
{
    return count + chunks_of(parts, count) * count;
}

enum element_type reduced_type(enum element_type type)
{
    if (!element_is_integer(type))
        return ELEMENT_FLOAT64;
    return element_is_signed(type) ? ELEMENT_INT64 : ELEMENT_UINT64;
}

static int reduce_to(const struct kernels *kernels, enum element_type type, int operation, gpu_address data,
                     uint64_t parts, uint64_t count, uint64_t chunks, gpu_address out, struct err *err)
{
    int kind = (int)kind_of(type), is_signed = element_is_signed(type);
    unsigned size = (unsigned)element_size(type);
    void *parameters[] = {&kind, &size, &is_signed, &operation, &data, &parts, &count, &chunks, &out};

    return launch_over(kernels, kernels->reduce, count * chunks, parameters, err);
}

int kernels_reduce(const struct kernels *kernels, enum element_type type, enum reduction reduction,
                   gpu_address data, uint64_t parts, uint64_t count, gpu_address out, struct err *err)
{
    static const int operations[] = {
        [REDUCTION_SUM] = REDUCE_SUM, [REDUCTION_MIN] = REDUCE_MIN, [REDUCTION_MAX] = REDUCE_MAX};
    const uint64_t chunks = chunks_of(parts, count);
    const gpu_address partial = out + count * sizeof(uint64_t);
    int rc = reduce_to(kernels, type, operations[reduction], data, parts, count, chunks, partial, err);

    return rc ? rc
              : reduce_to(kernels, reduced_type(type), operations[reduction], partial, chunks, count, 1, out,
                          err);
}

int kernels_differ(const struct kernels *kernels, gpu_address a, gpu_address b, uint64_t bytes,
                   gpu_address found, struct err *err)
{
    void *parameters[] = {&a, &b, &bytes, &found};

    return launch_over(kernels, kernels->differ, bytes / 8, parameters, err);
}

int kernels_poison(const struct kernels *kernels, enum element_type type, gpu_address data, gpu_address want,
                   uint64_t count, uint64_t seed, struct err *err)
{
    int kind = (int)kind_of(type);
    unsigned size = (unsigned)element_size(type);
    void *parameters[] = {&kind, &size, &data, &want, &count, &seed};

    return launch_over(kernels, kernels->poison, count, parameters, err);
}

int kernels_fill(const struct kernels *kernels, enum element_type type, gpu_address data, uint64_t count,
                 const struct fill_recipe *recipe, struct err *err)
{
    struct fill_recipe r = *recipe;
    int kind = (int)kind_of(type);
    unsigned size = (unsigned)element_size(type);
    void *real[] = {&kind, &size, &data, &count, &r.stream, &r.low, &r.width};
    void *integer[] = {&size, &data, &count, &r.stream, &r.first, &r.span};

    if (r.real)
        return launch_over(kernels, kernels->fill_real, count, real, err);
    return launch_over(kernels, kernels->fill_integer, count, integer, err);
}

static int launch_guards(const struct kernels *kernels, gpu_function function, unsigned count,
                         void **parameters, struct err *err)
{
    return count ? launch_row(kernels, function, count, THREADS, parameters, err) : 0;
}

int kernels_guard_write(const struct kernels *kernels, gpu_address guards, unsigned count, struct err *err)
{
    void *parameters[] = {&guards};

    return launch_guards(kernels, kernels->guard_write, count, parameters, err);
}

int kernels_guard_check(const struct kernels *kernels, gpu_address guards, unsigned count, gpu_address found,
                        struct err *err)
{
    void *parameters[] = {&guards, &found};

    return launch_guards(kernels, kernels->guard_check, count, parameters, err);
}

/* One block for each SM: the scheduler spreads them over idle SMs; one that gets none keeps its older stamp. */
int kernels_stamp(const struct kernels *kernels, gpu_address stamps, struct err *err)
{
    unsigned sm_count = gpu_sm_count(kernels->gpu);
    void *parameters[] = {&stamps, &sm_count};

    return launch_row(kernels, kernels->stamp, sm_count, 1, parameters, err);
}

int kernels_pace(const struct kernels *kernels, gpu_address data, uint64_t count, unsigned steps,
                 struct err *err)
{
    void *parameters[] = {&data, &count, &steps};

    return launch_row(kernels, kernels->pace, BLOCKS_PER_SM * gpu_sm_count(kernels->gpu), THREADS, parameters,
                      err);
}
