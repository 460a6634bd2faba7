/* Signatures of blocks: which way they go. */
#include "model/emulate/represent.h"
#include "model/emulate/sample.h"

#include "emulate_fixture.h"

static void start(struct program *p)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    struct err err = {0};

    assert_int_equal(launch_prepare(&p->launch, &err), 0);
    p->prepared = true;
    assert_int_equal(
        emulation_open(&p->emulation, &p->cubin, p->kernel, &p->code, &p->launch, &options, &err), 0);
}

/* Blocks of 16 x 16 threads of a product of matrices of n rows: a loop of n / 16 iterations. */
static void open_product(struct program *p, int32_t n)
{
    program_open(p, 90, "product", 16);
    p->launch.block[1] = 16;
    p->launch.grid[0] = p->launch.grid[1] = (unsigned)n / 16;
    program_scalar(p, n);
    for (unsigned k = 0; k < 3; k++)
        program_buffer(p, ELEMENT_FLOAT32, (uint64_t)n * (uint64_t)n, "1");
    start(p);
}

/* Blocks of 32 rows, of which row i sums up about i values: no two issue the same. */
static void open_triangle(struct program *p, unsigned blocks)
{
    const uint64_t rows = 32 * blocks;

    program_open(p, 90, "ragged", 32);
    p->launch.grid[0] = blocks;
    program_buffer(p, ELEMENT_INT32, rows + 1, "i * i / 2");
    program_buffer(p, ELEMENT_FLOAT32, rows * rows / 2 + 1, NULL);
    program_buffer(p, ELEMENT_FLOAT32, rows, NULL);
    program_scalar(p, (int32_t)rows);
    start(p);
}

static struct signature sign(struct signer *signer, unsigned x, unsigned y)
{
    const unsigned at[3] = {x, y, 0};
    struct signature out;
    struct err err = {0};
    bool known;

    assert_int_equal(signer_sign(&out, &known, signer, at, 1 << 20, &err), 0);
    assert_true(known);
    return out;
}

static struct program p;

/* What was learned of the loops of a block shows in what the next one costs, and in nothing else. */
static void forgets_blocks_before(void **state)
{
    struct signature first, later;
    struct signer signer;
    struct err err = {0};

    open_product(&p, 4096);
    assert_int_equal(signer_open(&signer, p.emulation, &err), 0);
    first = sign(&signer, 3, 5);
    sign(&signer, 7, 7);
    later = sign(&signer, 3, 5);
    assert_true(later.cost < first.cost);
    assert_int_equal(later.hash, first.hash);
    assert_int_equal(later.issued, first.issued);
    signer_close(&signer);
}

/* A block that was executed is not signed where what it issues says what it is like. */
static void issues_tell_blocks_apart(void **state)
{
    const unsigned middle[3] = {8, 0, 0};
    struct signer signer;
    struct origin origin;
    struct strata strata;
    struct err err = {0};

    open_triangle(&p, 16);
    emulation_begin(&p.result, p.emulation);
    assert_int_equal(sample_add(&p.result, p.emulation, middle, 1, &err), 0);
    assert_int_equal(signer_open(&signer, p.emulation, &err), 0);
    assert_int_equal(origin_find(&origin, &signer.slice, p.emulation->instructions, p.emulation->count, &err),
                     0);
    assert_false(origin.names);
    assert_int_equal(strata_find(&strata, &signer, &origin, true, 1 << 20, &err), 0);
    assert_int_equal(strata.count, 16);
    memset(signer.counts, 0, p.emulation->count * sizeof *signer.counts);
    assert_int_equal(represent(&p.result, &signer, &strata, 16, &err), 0);
    for (size_t k = 0; k < p.emulation->count; k++)
        assert_int_equal(signer.counts[k], 0);
    assert_int_equal(p.result.block_count, 16);
    for (size_t b = 0; b < p.result.block_count; b++)
        check_near(p.result.blocks[b].weight, 1, 1e-9);
    strata_release(&strata);
    origin_release(&origin);
    signer_close(&signer);
}

/* Of a block that is dear to sign the first and the last warp of those that go one way are executed, and say what the
 * others do as long as they do what they did. */
static void likens_warps_between(void **state)
{
    struct signature whole, likened;
    uint64_t *counts;
    struct signer signer;
    struct err err = {0};

    open_product(&p, 4096);
    counts = calloc(p.emulation->count, sizeof *counts);
    assert_non_null(counts);
    assert_int_equal(signer_open(&signer, p.emulation, &err), 0);
    signer.dear = 1;
    whole = sign(&signer, 3, 5);
    memcpy(counts, signer.counts, p.emulation->count * sizeof *counts);
    assert_false(whole.likened);
    assert_false(sign(&signer, 7, 7).likened); /* nobody allows it */
    signer.signing.likens = true;
    memset(signer.counts, 0, p.emulation->count * sizeof *counts);
    likened = sign(&signer, 9, 5);
    assert_true(likened.likened);
    assert_true(likened.cost < whole.cost);
    assert_int_equal(likened.hash, whole.hash);
    assert_int_equal(likened.issued, whole.issued);
    assert_memory_equal(signer.counts, counts, p.emulation->count * sizeof *counts);
    signer_close(&signer);
    free(counts);
}

/* Where the last warp of those that went one way goes another, the warps between are executed as well. */
static void executes_warps_between_others(void **state)
{
    struct signature cut;
    struct signer signer;
    struct err err = {0};

    open_product(&p, 4096);
    assert_int_equal(signer_open(&signer, p.emulation, &err), 0);
    signer.signing.likens = true;
    assert_false(sign(&signer, 3, 5).likened);
    assert_false(sign(&signer, 5, 5).likened); /* what is cheap is executed */
    signer.dear = 1;
    sign(&signer, 7, 5);
    assert_true(signer.signing.probes > 0);
    signer.signing.kept[0][signer.signing.order[1]]++;
    cut = sign(&signer, 9, 5);
    assert_false(cut.likened);
    signer_close(&signer);
}

int main(void)
{
    return RUN_TESTS_EACH(NULL, program_close, forgets_blocks_before, issues_tell_blocks_apart,
                          likens_warps_between, executes_warps_between_others);
}
