#include "fake.h"

#include <cuda.h>

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOST_BLOCK   fake.block
#define HOST_NOW_NS  fake.now_ns
#define HOST_COOL_NS fake_cool_ns()
#include "host_gpu.h"
#include "gpu/kernels.cu"

#define AT(type, k) (*(type *)p[k])

static void run_compare(void **p)
{
    occ_compare(AT(int, 0), AT(unsigned, 1), AT(void *, 2), AT(void *, 3), AT(word, 4), AT(double, 5),
                AT(double, 6), AT(struct found *, 7));
}

static void run_reduce(void **p)
{
    occ_reduce(AT(int, 0), AT(unsigned, 1), AT(int, 2), AT(int, 3), AT(void *, 4), AT(word, 5), AT(word, 6),
               AT(word, 7), AT(word *, 8));
}

static void run_differ(void **p)
{
    occ_differ(AT(void *, 0), AT(void *, 1), AT(word, 2), AT(struct found *, 3));
}

static void run_poison(void **p)
{
    occ_poison(AT(int, 0), AT(unsigned, 1), AT(void *, 2), AT(void *, 3), AT(word, 4), AT(word, 5));
}

static void run_fill_real(void **p)
{
    occ_fill_real(AT(int, 0), AT(unsigned, 1), AT(void *, 2), AT(word, 3), AT(word, 4), AT(double, 5),
                  AT(double, 6));
}

static void run_fill_integer(void **p)
{
    occ_fill_integer(AT(unsigned, 0), AT(void *, 1), AT(word, 2), AT(word, 3), AT(word, 4), AT(word, 5));
}

static void run_guard_write(void **p)
{
    occ_guard_write(AT(struct guard *, 0));
}

static void run_guard_check(void **p)
{
    occ_guard_check(AT(struct guard *, 0), AT(struct found *, 1));
}

static void run_stamp(void **p)
{
    occ_stamp(AT(struct stamp *, 0), AT(unsigned, 1));
}

static void run_pace(void **p)
{
    occ_pace(AT(float *, 0), AT(word, 1), AT(unsigned, 2));
}

static void run_empty(void **p)
{
    occ_empty();
}

/* The test kernels take (const float *in, float *out, int n), and copy. */
static void copy(void **p)
{
    memcpy(AT(void *, 1), AT(void *, 0), (size_t)AT(int, 2) * sizeof(float));
}

static void hang(void **p)
{
    fake.hangs = true;
}

static void late_hang(void **p)
{
    copy(p);
    fake.hangs = fake.launches > 4;
}

static void crash(void **p)
{
    abort();
}

/* A signal stops the process: once where FAKE_STOPS names a file, which goes; else always. */
static void stops(void **p)
{
    const char *once = getenv("FAKE_STOPS");

    copy(p);
    if (!once || !unlink(once))
        raise(SIGSTOP);
}

/* A worker's process bears so many launches of it, some six trials. */
static void tires(void **p)
{
    static unsigned launches;

    copy(p);
    if (++launches > 5500)
        abort();
}

static void illegal(void **p)
{
    fake.broken = CUDA_ERROR_ILLEGAL_ADDRESS;
}

static void beyond(void **p)
{
    copy(p);
    AT(float *, 1)[AT(int, 2)] = 1;
}

static void before(void **p)
{
    copy(p);
    AT(float *, 1)[-1] = 1;
}

/* (in, out, n): each block writes one sum, of n elements; and of one fewer, or none but the first does. */
static void sum_block(void **p, int count)
{
    const float *in = AT(const float *, 0) + (size_t)fake.block * (size_t)AT(int, 2);
    float sum = 0;

    for (int i = 0; i < count; i++)
        sum += in[i];
    AT(float *, 1)[fake.block] = sum;
}

static void sums(void **p)
{
    sum_block(p, AT(int, 2));
}

static void short_sums(void **p)
{
    sum_block(p, AT(int, 2) - 1);
}

static void first_sum(void **p)
{
    if (!fake.block)
        sum_block(p, AT(int, 2));
}

static void flip(void **p)
{
    copy(p);
    AT(unsigned *, 1)[AT(int, 2) - 1] ^= 1u << 20;
}

static void lazy(void **p)
{
    size_t half = (size_t)AT(int, 2) / 2;

    memcpy(AT(float *, 1), AT(float *, 0), half * sizeof(float));
    memcpy(AT(float *, 1) + half + 1, AT(float *, 0) + half + 1,
           ((size_t)AT(int, 2) - half - 1) * sizeof(float));
}

static void scribble(void **p)
{
    copy(p);
    AT(float *, 0)[3] = 1e9f;
}

static void race(void **p)
{
    copy(p);
    if (fake.launches > 3)
        AT(float *, 1)[5] += 1;
}

static void scale(void **p)
{
    const float factor = fake.factor, *restrict in = AT(float *, 0);
    float *restrict out = AT(float *, 1);
    const int n = AT(int, 2);

    for (int i = 0; i < n; i++) /* whole runs spend most of their time here */
        out[i] = factor * in[i];
}

/* In place (float *a, int n): makes every element positive, which takes long only while the first is
 * negative. */
static void absolute(void **p)
{
    float *a = AT(float *, 0);

    fake.now_ns += a[0] < 0 ? 39000 : 0;
    for (int i = 0; i < AT(int, 1); i++)
        a[i] = a[i] < 0 ? -a[i] : a[i];
}

/* (in, way, out, n): never leaves the same things on the way. */
static void by_way(void **p)
{
    size_t bytes = (size_t)AT(int, 3) * sizeof(float);

    memcpy(AT(void *, 1), AT(void *, 0), bytes);
    memcpy(AT(void *, 2), AT(void *, 1), bytes);
    *AT(float *, 1) = (float)fake.launches;
}

/* (map of in, out, n): copies row after row of boxes, in clusters of two that are launched as the spec says. */
static void tiled(void **p)
{
    const struct fake_map *map = p[0];
    float *out = AT(float *, 1);
    const uint64_t rows = map->rank > 1 ? map->dimensions[1] : 1;

    if (fake.how.cluster[0] != 2 || fake.how.cluster[1] != 1 || !fake.how.programmatic ||
        fake.how.cooperative)
        return;
    for (uint64_t row = 0; row < rows; row++)
        memcpy(out + row * map->dimensions[0], (const char *)map->address + row * map->stride,
               map->dimensions[0] * sizeof(float));
}

/* (struct {const float *in; float *out; int n}), launched cooperatively. */
static void gathered(void **p)
{
    const struct {
        const float *in;
        float *out;
        int n;
    } *all = p[0];

    if (fake.how.cooperative)
        memcpy(all->out, all->in, (size_t)all->n * sizeof(float));
}

static const struct fake_kernel kernels[] = {
    {"occ_compare", "iiwwwwww", false, run_compare, 1000},
    {"occ_reduce", "iiiiwwwww", false, run_reduce, 1000},
    {"occ_differ", "wwww", false, run_differ, 1000},
    {"occ_poison", "iiwwww", false, run_poison, 1000},
    {"occ_fill_real", "iiwwwww", false, run_fill_real, 1000},
    {"occ_fill_integer", "iwwwww", false, run_fill_integer, 1000},
    {"occ_guard_write", "w", true, run_guard_write, 1000},
    {"occ_guard_check", "ww", true, run_guard_check, 1000},
    {"occ_stamp", "wi", true, run_stamp, 1000},
    {"occ_pace", "wwi", false, run_pace, 300000},
    {"occ_empty", "", false, run_empty, 0},
    {"copy", "wwi", false, copy, 5000},
    {"hot", "wwi", false, copy, 4000},
    {"brisk", "wwi", false, copy, 7500}, /* one and a half times copy's with its overhead, ... */
    {"idle", "wwi", false, copy, 12000}, /* ... and more than twice */
    {"slow", "wwi", false, copy, 50000000},
    {"refused", "wwi", false, copy, 0},
    {"hang", "wwi", false, hang, 0},
    {"late_hang", "wwi", false, late_hang, 5000},
    {"late_slow_hang", "wwi", false, late_hang, 20000000},
    {"crash", "wwi", false, crash, 0},
    {"stops", "wwi", false, stops, 5000},
    {"tires", "wwi", false, tires, 5000},
    {"illegal", "wwi", false, illegal, 0},
    {"beyond", "wwi", false, beyond, 5000},
    {"before", "wwi", false, before, 5000},
    {"flip", "wwi", false, flip, 5000},
    {"sums", "wwi", true, sums, 5000},
    {"short_sums", "wwi", true, short_sums, 5000},
    {"first_sum", "wwi", true, first_sum, 5000},
    {"lazy", "wwi", false, lazy, 5000},
    {"scribble", "wwi", false, scribble, 5000},
    {"race", "wwi", false, race, 5000},
    {"scale", "wwi", false, scale, 5000},
    {"absolute", "wi", false, absolute, 1000},
    {"by_way", "wwwi", false, by_way, 5000},
    {"wide", "wwi", false, copy, 5000},
    {"tiled", "twi", false, tiled, 5000},
    {"gathered", "s", false, gathered, 5000},
};

/* A kernel that is not here does nothing, where FAKE_ANY_KERNEL is set: for tests of what comes before and
 * after it. */
static void nothing(void **p)
{
}

static const struct fake_kernel any = {"any", "", false, nothing, 5000};

/* The name in a mangled one of C++ without namespaces, "_Z4copyPKfPfi", and its length. */
static const char *plain_name(const char *name, size_t *length)
{
    char *end;

    *length = strlen(name);
    if (strncmp(name, "_Z", 2) || name[2] < '0' || name[2] > '9')
        return name;
    *length = strtoul(name + 2, &end, 10);
    return end;
}

const struct fake_kernel *fake_find(const char *name)
{
    size_t length;
    const char *plain = plain_name(name, &length);

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strlen(kernels[i].name) == length && !memcmp(kernels[i].name, plain, length))
            return &kernels[i];
    return getenv("FAKE_ANY_KERNEL") ? &any : NULL;
}
