/* What the emulator counts against the hardware counters of an NVIDIA H200, at the specs' problem sizes:
 * cheap variants that stand for every kind of access. The whole table is benchmarks/validation/counts.md. */
#include "compiled.h"
#include "validation/counts.h"

static const char *const wanted[] = {
    "abs_inplace BLOCK=256,VECTOR=4,ITEMS=2,WRITE=0,RESIDENT_WARPS=16",
    "black_scholes BLOCK=128,VECTOR=2,ITEMS=1,NORMAL=1,CACHE=0,FAST_MATH=true",
    "matmul "
    "TILE_M=64,TILE_N=128,TILE_K=8,THREAD_M=8,THREAD_N=8,STAGES=3,COPY=2,UNROLL=8,COLUMNS_FIRST=0,RUN=8,"
    "MIN_BLOCKS=3,SPLIT_K=1,CLUSTER=1",
    "matmul_volkov BLOCK=64,ROWS=1,COLUMNS=16,TILE_K=4,AHEAD=1,MIN_BLOCKS=1",
    "permutation BLOCK=64,VECTOR=4,ITEMS=1,GATHER=0,STREAM=1,RESIDENT_WARPS=16",
    "row_softmax LANES=256,ROWS=1,VECTOR=4,PASSES=3,FAST_MATH=true",
};
enum { WANTED = sizeof wanted / sizeof *wanted };

/* What DRAM brings: blocks numbered in groups of rows; blocks that drift apart; blocks that stay in step. */
static const char *const brought[] = {
    "matmul "
    "TILE_M=128,TILE_N=128,TILE_K=8,THREAD_M=16,THREAD_N=4,STAGES=3,COPY=1,UNROLL=4,COLUMNS_FIRST=0,RUN=4,"
    "MIN_BLOCKS=1,SPLIT_K=1,CLUSTER=1",
    "matmul_tiled BLOCK_X=32,BLOCK_Y=32,TILE_K=32,PAD=0,BUFFERS=1,UNROLL=8",
    "matmul_naive BLOCK_X=16,BLOCK_Y=32,UNROLL=1,COLUMN_MAJOR=0,READ_ONLY=0",
};
enum { BROUGHT = sizeof brought / sizeof *brought };

static struct counted_set set;
static struct device device;
static struct machine machine;

static struct counted *find(const char *name)
{
    for (size_t i = 0; i < set.count; i++) {
        const size_t n = strlen(set.items[i].kernel);

        if (!strncmp(name, set.items[i].kernel, n) && name[n] == ' ' &&
            !strcmp(name + n + 1, set.items[i].configuration))
            return &set.items[i];
    }
    fail_msg("no counters for %s", name);
    return NULL;
}

static struct counted *take(const char *name)
{
    static const char *const folders[] = {"kernels", NULL};
    struct counted *item = find(name);
    struct err err = {0};

    check_ok(counts_take(item, &machine, compiler, folders, &err), &err);
    if (!item->counts)
        fail_msg("%s: %s", name, item->reason);
    return item;
}

static void check(const struct counted *item, enum counter c)
{
    if (!(fabs(counts_error(item, c)) <= counter_tolerance(c)))
        fail_msg("%s %s: %.10g %s, the hardware counts %.10g", item->kernel, item->configuration,
                 item->model[c], counter_text(c), item->hardware[c]);
}

static void counts_as_the_hardware_does(void **state)
{
    const struct counted *item = take(*state);

    for (int c = COUNTER_INSTRUCTIONS; c <= COUNTER_WAVEFRONTS; c++)
        check(item, (enum counter)c);
}

static void brings_what_the_hardware_does(void **state)
{
    check(take(*state), COUNTER_DRAM_READ);
}

static int compare_all(void)
{
    struct CMUnitTest tests[WANTED + BROUGHT];

    for (size_t i = 0; i < WANTED + BROUGHT; i++) {
        const char *name = i < WANTED ? wanted[i] : brought[i - WANTED];

        tests[i] = (struct CMUnitTest){.name = name,
                                       .test_func = i < WANTED ? counts_as_the_hardware_does
                                                               : brings_what_the_hardware_does,
                                       .initial_state = (void *)(uintptr_t)name};
    }
    return run_group("counted", tests, WANTED + BROUGHT);
}

int main(void)
{
    struct err err = {0};
    int failed = 1;

    device_init(&device);
    if (!device_load(&device, "nvidia-h200", "model/device/profiles", &err) &&
        !machine_init(&machine, &device, &err)) {
        if (!counts_read(&set, "benchmarks/validation/counters/nvidia-h200.csv", &err))
            failed = compare_all();
        counts_release(&set);
        machine_release(&machine);
    }
    if (*err.text)
        fprintf(stderr, "%s\n", err.text);
    device_release(&device);
    return failed;
}
