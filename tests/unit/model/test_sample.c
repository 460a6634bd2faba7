/* Samples of grids and the traffic that follows from them. */
#include "emulate_fixture.h"
#include "model/machine/assumptions.h"
#include "model/memory/traffic.h"

static const struct traffic_caches caches = {.sms = 132,
                                             .resident_blocks = 8,
                                             .l1_bytes = 200 << 10,
                                             .l2_bytes = 50 << 20,
                                             .l2_holds = 50 << 20,
                                             .assumed = &assumptions_default};

static void sample(struct program *p, size_t most)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED,
                                            .deviations = assumptions_default.sample_deviations};
    struct err err = {0};

    assert_int_equal(launch_prepare(&p->launch, &err), 0);
    assert_int_equal(
        emulation_open(&p->emulation, &p->cubin, p->kernel, &p->code, &p->launch, &options, &err), 0);
    assert_int_equal(emulate_sample(&p->result, p->emulation, most, &err), 0);
    assert_int_equal(p->result.end, EMULATE_DONE);
}

static void measure(struct traffic *out, struct program *p)
{
    struct err err = {0};

    check_ok(traffic_of(out, &p->code, &p->result, &p->launch, &caches, &err), &err);
}

static struct program p;

static void counts_vector_add(void **state)
{
    const unsigned blocks = 1 << 16;
    const double n = 256.0 * blocks;
    struct traffic t;

    program_open(&p, 90, "add", 256);
    p.launch.grid[0] = blocks;
    program_scalar(&p, (int32_t)n);
    for (unsigned k = 0; k < 3; k++)
        program_buffer(&p, ELEMENT_FLOAT32, (uint64_t)n, "1");
    sample(&p, 16);
    assert_int_equal(p.result.block_count, 5); /* all alike: middle, two neighbours, first, last */
    assert_int_equal(p.result.order.digits, 1);
    for (unsigned k = 0; k < 3; k++) /* by 256 floats of what is read */
        assert_int_equal(p.result.order.moves[k], k < 2 ? 1024 : 0);
    measure(&t, &p);
    check_near(t.warps, n / 32, 0);
    check_near(t.loads.l1_read, 8, 0);
    check_near(t.loads.l1_hit, 0, 0);
    check_near(t.loads.l2_read, 8, 0);
    check_near(t.stores.sectors, 4, 0);
    check_near(t.dram.read * t.warps, 8 * n, 0);
    check_near(t.dram.written * t.warps, 4 * n, 0);
    check_near(t.touched.read, 8 * n, 0);
    traffic_release(&t);
}

/* A partial last block is found and weighs what it is. */
static void weighs_edges(void **state)
{
    double issued = 0;

    program_open(&p, 90, "add", 256);
    p.launch.grid[0] = 100;
    program_scalar(&p, 256 * 99 + 1);
    for (unsigned k = 0; k < 3; k++)
        program_buffer(&p, ELEMENT_FLOAT32, 25600, "1");
    sample(&p, 8);
    for (size_t b = 0; b < p.result.block_count; b++)
        for (size_t k = 0; k < p.code.count; k++)
            if (p.code.instructions[k].op == SASS_STG)
                issued += p.result.blocks[b].weight * (double)p.result.blocks[b].counts[k].requests;
    check_near(issued, 8 * 99 + 1, 1e-9);
}

/* Blocks whose loaded lengths differ at one end of the grid: what is counted is what all of them issue. */
static void counts_rows_of_blocks(void **state)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    double sum = 0, all = 0;
    struct emulate_result whole;
    struct err err = {0};

    program_open(&p, 90, "ragged", 128);
    p.launch.grid[0] = 96;
    program_buffer(&p, ELEMENT_INT32, 128 * 96 + 1, "2 * i + 9 * max(i - 12000, 0)");
    program_buffer(&p, ELEMENT_FLOAT32, 1 << 20, "1");
    program_buffer(&p, ELEMENT_FLOAT32, 128 * 96, NULL);
    program_scalar(&p, 128 * 96);
    sample(&p, 16);
    emulation_close(p.emulation);
    assert_int_equal(emulation_open(&p.emulation, &p.cubin, p.kernel, &p.code, &p.launch, &options, &err), 0);
    assert_int_equal(emulate_grid(&whole, p.emulation, &err), 0);
    assert_int_equal(whole.end, EMULATE_DONE);
    for (size_t k = 0; k < p.code.count; k++) {
        for (size_t b = 0; b < p.result.block_count; b++)
            sum += p.result.blocks[b].weight * (double)p.result.blocks[b].counts[k].issued;
        for (size_t b = 0; b < whole.block_count; b++)
            all += (double)whole.blocks[b].counts[k].issued;
        if (p.result.certain)
            assert_true(p.result.certain[k] <= all);
    }
    check_near(sum, all, 0.01 * all);
    assert_true(!(p.result.work_error > 0)); /* nor what sums in floating point miss */
    emulate_result_release(&whole);
}

/* Where blocks vary, the many around the middle do not stand for all: a tenth of the rows, in the middle, is
 * 101 times as long as the others. */
static void spreads_where_blocks_vary(void **state)
{
    const unsigned blocks = 1000;
    const double rows = 128.0 * blocks, loads = rows + rows / 10 * 100;
    double sum = 0;

    program_open(&p, 90, "ragged", 128);
    p.launch.grid[0] = blocks;
    program_buffer(&p, ELEMENT_INT32, (uint64_t)rows + 1, "i + 100 * min(max(i - 57600, 0), 12800)");
    program_buffer(&p, ELEMENT_FLOAT32, (uint64_t)loads, "1");
    program_buffer(&p, ELEMENT_FLOAT32, (uint64_t)rows, NULL);
    program_scalar(&p, (int32_t)rows);
    sample(&p, 16);
    for (size_t b = 0; b < p.result.block_count; b++)
        for (size_t k = 0; k < p.code.count; k++)
            if (p.code.instructions[k].op == SASS_LDG)
                sum += p.result.blocks[b].weight * (double)p.result.blocks[b].counts[k].lanes;
    check_near(sum, loads + 2 * rows, 0.2 * loads);
}

/* What has to be executed one by one is dear: of it few blocks are enough, three around the middle and one of each group
 * that they are not of, and the work of rows of unequal length is known as well as is said. */
static void takes_fewer_where_all_is_executed(void **state)
{
    program_open(&p, 90, "ragged", 1024);
    p.launch.grid[0] = 100;
    program_buffer(&p, ELEMENT_INT32, 102401, "20000 * i + random(i) % 19000");
    program_buffer(&p, ELEMENT_FLOAT32, 20000 * UINT64_C(102401), "1");
    program_buffer(&p, ELEMENT_FLOAT32, 102400, NULL);
    program_scalar(&p, 102400);
    sample(&p, 16);
    assert_true(p.result.executed > 1 << 18);
    assert_in_range(p.result.block_count, 3, 6);
    assert_true(p.result.work_error < 0.1);
}

static void shares_tiles_of_matrices(void **state)
{
    const int n = 2048;
    const double matrix = 4.0 * n * n;
    struct traffic t;

    program_open(&p, 90, "product", 16);
    p.launch.block[1] = 16;
    p.launch.grid[0] = p.launch.grid[1] = (unsigned)n / 16;
    program_scalar(&p, n);
    for (unsigned k = 0; k < 3; k++)
        program_buffer(&p, ELEMENT_FLOAT32, (uint64_t)n * (uint64_t)n, "1");
    sample(&p, 16);
    measure(&t, &p);
    check_near(t.dram.read * t.warps, 2 * matrix, 0); /* both matrices once: they fit in L2 */
    check_near(t.dram.written, 0, 0);                 /* the result stays in L2 */
    assert_true(t.dram.read < 0.1 * 32 * t.loads.l2_read);
    /* a wave of 1056 blocks: 8.25 rows of 16 A rows each, and all of B */
    check_near(t.touched.wave_read, 4.0 * (8.25 * 16 * n + (double)n * n), 1);
    traffic_release(&t);
}

static void counts_bank_conflicts(void **state)
{
    static const struct {
        int stride;
        double wavefronts;
    } cases[] = {{0, 1}, {1, 1}, {2, 2}, {3, 1}, {8, 8}, {32, 32}, {33, 1}};

    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct sass *load = NULL;
        struct traffic t;

        program_open(&p, 90, "banks", 32);
        program_scalar(&p, cases[c].stride);
        program_buffer(&p, ELEMENT_FLOAT32, 32, NULL);
        sample(&p, 1);
        measure(&t, &p);
        for (size_t k = 0; k < p.code.count; k++) {
            const struct sass *i = &p.code.instructions[k];

            if (i->op == SASS_LDS && i->accesses[0].bytes == 4) {
                load = i;
                check_near(t.counts[k].wavefronts, cases[c].wavefronts, 0);
            }
            if (i->op == SASS_LDS && i->accesses[0].bytes == 8)
                check_near(t.counts[k].wavefronts, 2, 0);
        }
        assert_non_null(load);
        traffic_release(&t);
    }
}

/* Blocks that are like the first one are not executed whole, and count what they would. */
static void copies_blocks_that_are_alike(void **state)
{
    const struct emulate_options options = {.mode = EMULATE_FULL};
    const unsigned n = 2048;
    struct emulation *emulation;
    struct emulate_result alone;
    struct err err = {0};

    program_open(&p, 90, "product", 16);
    p.launch.block[1] = 16;
    p.launch.grid[0] = p.launch.grid[1] = n / 16;
    program_scalar(&p, (int32_t)n);
    for (unsigned k = 0; k < 3; k++)
        program_buffer(&p, ELEMENT_FLOAT32, (uint64_t)n * n, "1");
    sample(&p, 16);
    assert_int_equal(p.result.block_count, 6);
    assert_int_equal(emulation_open(&emulation, &p.cubin, p.kernel, &p.code, &p.launch, &options, &err), 0);
    for (size_t b = 0; b < p.result.block_count; b++) {
        const struct emulate_block *block = &p.result.blocks[b];

        assert_true(block->borrows ==
                    ((block->position[0] - n / 32) % 2 == 0 && b > 0)); /* whole lines apart */
        assert_int_equal(emulate_blocks(&alone, emulation, &block->position, 1, &err), 0);
        assert_memory_equal(block->counts, alone.blocks[0].counts,
                            p.result.instruction_count * sizeof *block->counts);
        assert_true(footprint_equal(&block->read, &alone.blocks[0].read));
        assert_true(footprint_equal(&block->written, &alone.blocks[0].written));
        emulate_result_release(&alone);
    }
    emulation_close(emulation);
}

static void refuses_what_did_not_end(void **state)
{
    struct traffic t;
    struct err err = {0};

    program_open(&p, 90, "outside", 32);
    program_buffer(&p, ELEMENT_INT32, 32, NULL);
    program_scalar(&p, 100);
    program_run(&p, EMULATE_SLICED, EMULATE_BAD_ADDRESS);
    assert_int_equal(traffic_of(&t, &p.code, &p.result, &p.launch, &caches, &err), ERR_USAGE);
    assert_string_equal(err.text, "the emulation ended as 'bad address': traffic needs one that is done");
}

int main(void)
{
    return RUN_TESTS_EACH(NULL, program_close, counts_vector_add, weighs_edges, counts_rows_of_blocks,
                          spreads_where_blocks_vary, takes_fewer_where_all_is_executed,
                          shares_tiles_of_matrices, counts_bank_conflicts, copies_blocks_that_are_alike,
                          refuses_what_did_not_end);
}
