#include "emulate_fixture.h"

enum { TILE = 128, STAGES = 3, WARP = 32 };

static void open(struct program *p, const char *kernel, unsigned threads)
{
    program_open_of(p, "tests/data/emulate/async_sm90.cubin", kernel, threads);
}

static void check_doubled(struct program *p, int tiles)
{
    float *out = malloc((size_t)tiles * TILE * sizeof *out);

    assert_non_null(out);
    program_read(p, 0, out);
    for (int i = 0; i < tiles * TILE; i++)
        if (out[i] != 2.f * (float)i)
            fail_msg("element %d is %g", i, (double)out[i]);
    free(out);
}

static void open_pipeline(struct program *p, const char *kernel, int tiles)
{
    open(p, kernel, 3 * WARP);
    p->launch.grid[0] = 2;
    program_buffer(p, ELEMENT_FLOAT32, (uint64_t)tiles * TILE, NULL);
    program_buffer(p, ELEMENT_FLOAT32, (uint64_t)tiles * TILE, "i");
    program_scalar(p, tiles);
}

/* The ring goes round several times: consumers wait for data, the producer for room. */
static void pipelines_run(void **state)
{
    struct program p;

    (void)state;
    open_pipeline(&p, "pipeline", 23);
    program_scalar(&p, 0);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    check_doubled(&p, 23);
    program_check_modes(&p);
    program_close(&p);
}

/* A byte too many is announced. */
static void bytes_that_never_come_hang(void **state)
{
    struct program p;

    (void)state;
    open_pipeline(&p, "pipeline", 23);
    program_scalar(&p, 16);
    program_run(&p, EMULATE_SLICED, EMULATE_DEADLOCK);
    assert_non_null(strstr(p.result.reason, "0 arrivals and 16 bytes are missing"));
    program_close(&p);
}

/* What a stage holds is passed on in shared memory: which warp runs when matters. */
static void tiles_are_handed_out(void **state)
{
    struct program p;

    (void)state;
    open_pipeline(&p, "handed_out", 11);
    program_buffer(&p, ELEMENT_INT32, 1, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    check_doubled(&p, 11);
    program_run(&p, EMULATE_SLICED, EMULATE_DONE);
    assert_true(p.result.assumed);
    program_close(&p);
}

static void arrivals_and_bytes_are_counted(void **state)
{
    struct program p;
    int out[36];

    (void)state;
    open(&p, "counts", WARP);
    program_buffer(&p, ELEMENT_INT32, 36, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, 0, out);
    for (int lane = 0; lane < WARP; lane++)
        assert_int_equal(out[lane], 40 - lane);
    assert_int_equal(out[32], 0); /* 8 of 40 are missing */
    assert_int_equal(out[33], 1);
    assert_int_equal(out[34], 0); /* 64 bytes are */
    assert_int_equal(out[35], 1);
    program_close(&p);
}

static void check_pairs_exchanged(struct program *p, int count, int width)
{
    int out[4 * WARP];

    program_read(p, 0, out);
    for (int i = 0; i < count; i++)
        assert_int_equal(out[i], ((i / width) ^ 1) * width + i % width);
}

static void copies_of_threads_arrive(void **state)
{
    struct program p;

    (void)state;
    open(&p, "copied", WARP);
    program_buffer(&p, ELEMENT_INT32, WARP, NULL);
    program_buffer(&p, ELEMENT_INT32, WARP, "i");
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    check_pairs_exchanged(&p, WARP, 1);
    program_check_modes(&p);
    program_close(&p);
}

/* The loop around a copy whose operands differ by lane is left by all lanes at once. */
static void lanes_copy_one_after_another(void **state)
{
    struct program p;

    (void)state;
    open(&p, "each", WARP);
    program_buffer(&p, ELEMENT_INT32, 4 * WARP, NULL);
    program_buffer(&p, ELEMENT_INT32, 4 * WARP, "i");
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    check_pairs_exchanged(&p, 4 * WARP, 4);
    program_check_modes(&p);
    program_close(&p);
}

static uint64_t issued(const struct program *p, enum sass_op op)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < p->code.count; i++)
        if (p->code.instructions[i].op == op)
            sum += p->result.blocks[0].counts[i].issued;
    return sum;
}

/* Registers change hands, groups take turns at named barriers, and what the tensor cores leave decides
 * nothing. */
static void groups_take_turns(void **state)
{
    struct program p;

    (void)state;
    open(&p, "turns", 384);
    program_buffer(&p, ELEMENT_FLOAT32, 256, NULL);
    program_scalar(&p, 10);
    program_scalar64(&p, 0x4000004000010000);
    program_run(&p, EMULATE_SLICED, EMULATE_DONE);
    assert_int_equal(issued(&p, SASS_HGMMA), 8 * 10);
    assert_int_equal(issued(&p, SASS_USETMAXREG), 12);
    program_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipelines_run),
        cmocka_unit_test(bytes_that_never_come_hang),
        cmocka_unit_test(tiles_are_handed_out),
        cmocka_unit_test(arrivals_and_bytes_are_counted),
        cmocka_unit_test(copies_of_threads_arrive),
        cmocka_unit_test(lanes_copy_one_after_another),
        cmocka_unit_test(groups_take_turns),
    };

    return cmocka_run_group_tests_name("mbarrier", tests, NULL, NULL);
}
