/* Whole small grids: right output, exact counts, and every way an emulation can end. */
#include "emulate_fixture.h"

static const unsigned architectures[] = {80, 90, 120};
enum { ARCHITECTURES = 3 };

static struct program p;

static void adds_vectors(void **state)
{
    float a[1024], b[1024], c[1024];

    for (unsigned k = 0; k < ARCHITECTURES; k++) {
        program_open(&p, architectures[k], "add", 256);
        p.launch.grid[0] = 4;
        program_scalar(&p, 1000);
        const size_t from_a = program_buffer(&p, ELEMENT_FLOAT32, 1024, "random(i) % 1000 / 7.0");
        const size_t from_b = program_buffer(&p, ELEMENT_FLOAT32, 1024, "random(i) % 1000 / 3.0");
        const size_t to = program_buffer(&p, ELEMENT_FLOAT32, 1024, NULL);
        program_run(&p, EMULATE_FULL, EMULATE_DONE);
        program_read(&p, from_a, a);
        program_read(&p, from_b, b);
        program_read(&p, to, c);
        for (unsigned i = 0; i < 1024; i++)
            assert_true(c[i] == (i < 1000 ? a[i] + b[i] : 0));
        program_check_modes(&p);
    }
}

static void multiplies_matrices(void **state)
{
    enum { N = 64 };
    static float a[N][N], b[N][N], c[N][N];

    for (unsigned k = 0; k < ARCHITECTURES; k++) {
        program_open(&p, architectures[k], "product", 16);
        p.launch.block[1] = 16;
        p.launch.grid[0] = p.launch.grid[1] = N / 16;
        program_scalar(&p, N);
        const size_t from_a = program_buffer(&p, ELEMENT_FLOAT32, N * N, "random(i) % 1000 / 1000.0");
        const size_t from_b = program_buffer(&p, ELEMENT_FLOAT32, N * N, "random(i) % 1000 / 1000.0");
        const size_t to = program_buffer(&p, ELEMENT_FLOAT32, N * N, NULL);
        program_run(&p, EMULATE_FULL, EMULATE_DONE);
        program_read(&p, from_a, a);
        program_read(&p, from_b, b);
        program_read(&p, to, c);
        for (unsigned i = 0; i < N; i++)
            for (unsigned j = 0; j < N; j++) {
                float sum = 0;

                for (unsigned n = 0; n < N; n++)
                    sum = fmaf(a[i][n], b[n][j], sum);
                assert_true(c[i][j] == sum);
            }
        program_check_modes(&p);
    }
}

/* Lists of 64 elements, a lane each: all come to a new sector every eighth time or, begun at as many places
 * of a sector, some of them every time, until they run into the first sectors of the next ones. */
static void counts_requests_with_new_sectors(void **state)
{
    static const struct {
        const char *start;
        unsigned led, late;
    } cases[] = {{"i * 64", 64, 8}, {"i * 65", 65, 58}};
    static const enum emulate_mode modes[] = {EMULATE_FULL, EMULATE_SLICED};

    for (unsigned k = 0; k < 4; k++) {
        uint64_t led = 0, late = 0;

        program_open(&p, 90, "ragged", 32);
        program_buffer(&p, ELEMENT_INT32, 33, cases[k / 2].start);
        program_buffer(&p, ELEMENT_FLOAT32, 2145, "1");
        program_buffer(&p, ELEMENT_FLOAT32, 32, NULL);
        program_scalar(&p, 32);
        program_run(&p, modes[k % 2], EMULATE_DONE);
        for (size_t i = 0; i < p.result.instruction_count; i++)
            if (p.result.blocks[0].touches[i].region == 2) {
                led += p.result.blocks[0].touches[i].led;
                late += p.result.blocks[0].touches[i].late;
            }
        assert_int_equal(led, cases[k / 2].led);
        assert_int_equal(late, cases[k / 2].late);
    }
}

/* Two warps that gather from the same four sectors, and read indices of their own. */
static void notes_what_two_warps_share(void **state)
{
    uint64_t shared = 0, apart = 0;

    program_open(&p, 90, "gather", 64);
    program_buffer(&p, ELEMENT_INT32, 64, "i % 32");
    program_buffer(&p, ELEMENT_FLOAT32, 32, "i");
    program_buffer(&p, ELEMENT_FLOAT32, 64, NULL);
    program_run(&p, EMULATE_SLICED, EMULATE_DONE);
    for (size_t i = 0; i < p.result.instruction_count; i++) {
        shared += p.result.blocks[0].touches[i].shared;
        apart += p.result.blocks[0].touches[i].apart;
    }
    assert_int_equal(shared, 4);
    assert_int_equal(apart, 0);
}

/* Volkov, 3.10: sectors and lines of the permutation, and pieces of 512 bytes. */
static void counts_permutation_traffic(void **state)
{
    static const struct {
        const char *index;
        unsigned sectors, lines, places;
    } cases[] = {{"i", 12, 3, 3}, {"i * 8", 40, 10, 4}, {"i * 32", 40, 34, 10}};

    for (unsigned k = 0; k < 3; k++) {
        program_open(&p, 90, "gather", 32);
        program_buffer(&p, ELEMENT_INT32, 32, cases[k].index);
        program_buffer(&p, ELEMENT_FLOAT32, 1024, "i");
        program_buffer(&p, ELEMENT_FLOAT32, 32, NULL);
        program_check_modes(&p);
        assert_int_equal(program_total(&p).sectors, cases[k].sectors);
        assert_int_equal(program_total(&p).lines, cases[k].lines);
        assert_int_equal(program_total(&p).places, cases[k].places);
    }
}

/* Lemeire et al., Fig. 5: arms executed per warp of a block of 256 threads. An arm ends with its own store. */
static void counts_divergent_arms(void **state)
{
    static const struct {
        int n;
        double arms;
    } cases[] = {{1, 4},  {2, 4},      {4, 4},      {8, 4},  {12, 3.375}, {16, 2}, {24, 2},
                 {32, 1}, {40, 1.625}, {48, 1.375}, {64, 1}, {96, 1},     {128, 1}};

    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint64_t stores = 0;

        program_open(&p, 90, "four_arms", 256);
        program_scalar(&p, cases[k].n);
        program_buffer(&p, ELEMENT_FLOAT32, 256, "1");
        program_run(&p, EMULATE_FULL, EMULATE_DONE);
        for (size_t i = 0; i < p.code.count; i++)
            if (p.code.instructions[i].op == SASS_STG)
                stores += p.result.blocks[0].counts[i].requests;
        check_near((double)stores / 8, cases[k].arms, 0);
        program_check_modes(&p);
    }
}

/* Wong et al., Listing 3: every arm of the chain runs once, by one lane. */
static void runs_every_arm(void **state)
{
    int order[32];
    uint32_t seen = 0;

    program_open(&p, 90, "chain", 32);
    program_buffer(&p, ELEMENT_INT32, 32, "31 - i");
    const size_t out = program_buffer(&p, ELEMENT_INT32, 32, "0 - 1");
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, out, order);
    for (unsigned k = 0; k < 32; k++) {
        assert_in_range(order[k], 0, 31);
        seen |= UINT32_C(1) << order[k];
    }
    assert_int_equal(seen, UINT32_MAX);
}

/* Listing 4: threads of a warp make progress on their own since sm_70. */
static void passes_lock_between_lanes(void **state)
{
    int out;

    program_open(&p, 90, "lock_chain", 32);
    const size_t to = program_buffer(&p, ELEMENT_INT32, 1, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, to, &out);
    assert_int_equal(out, 32);
    assert_true(p.result.parted);

    program_open(&p, 90, "four_arms", 256); /* without YIELD all meet again */
    program_scalar(&p, 8);
    program_buffer(&p, ELEMENT_FLOAT32, 256, "1");
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    assert_false(p.result.parted);
}

/* Lanes that leave the inner loop early go on to the next row, and meet those that stay where these give way. On an NVIDIA H200
 * a warp goes 52 times through the inner loop, with 25 of its lanes in the mean, and 61 times past its end for 16 rows of
 * like numbers: one that never meets again would go some hundred times. */
static void meets_where_lanes_give_way(void **state)
{
    uint64_t rounds = 0, rows = 0;
    int placed[16 * 32];

    program_open_of(&p, "tests/data/emulate/yields_sm90.cubin", "probes", 32);
    program_buffer(&p, ELEMENT_UINT32, 256, "random(i) // 1024 % 256");
    const size_t to = program_buffer(&p, ELEMENT_UINT32, 16 * 32, NULL);
    program_scalar(&p, 16);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, to, placed);
    for (unsigned i = 0; i < 16 * 32; i++)
        assert_int_equal(placed[i], 1);
    for (size_t i = 0; i < p.code.count; i++) {
        rounds += p.code.instructions[i].op == SASS_LDS ? p.result.blocks[0].counts[i].issued : 0;
        rows += p.code.instructions[i].op == SASS_STG ? p.result.blocks[0].counts[i].issued : 0;
    }
    assert_in_range(rounds, 45, 60);
    assert_in_range(rows, 45, 65);
    program_check_modes(&p);
}

/* Lanes that met at a YIELD wait at one convergence barrier for those of several loops. */
static void ends_where_loops_share_a_barrier(void **state)
{
    enum { KEYS = 2048 };
    unsigned entered[128], sum = 0, different = 0;
    uint32_t keys[KEYS];

    program_open_of(&p, "tests/data/emulate/yields_sm90.cubin", "entries", 128);
    const size_t from = program_buffer(&p, ELEMENT_UINT32, KEYS, "random(i) // 1024 % 1500");
    const size_t to = program_buffer(&p, ELEMENT_UINT32, 128, NULL);
    program_scalar(&p, KEYS / 256);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, from, keys);
    program_read(&p, to, entered);
    for (unsigned i = 0; i < KEYS; i++) {
        unsigned before = 0;

        while (before < i && keys[before] != keys[i])
            before++;
        different += before == i;
    }
    for (unsigned warp = 0; warp < 4; warp++)
        sum += entered[warp * 32];
    assert_int_equal(sum, different);
}

/* What lanes that are apart do together at WARPSYNC.COLLECTIVE. */
static void gathers_lanes_that_are_apart(void **state)
{
    uint32_t out[4][32];

    program_open_of(&p, "tests/data/emulate/yields_sm90.cubin", "gathers", 32);
    program_buffer(&p, ELEMENT_UINT32, 32, "random(i) // 1024 % 1500");
    const size_t to = program_buffer(&p, ELEMENT_UINT32, 4 * 32, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, to, out);
    for (unsigned l = 0; l < 32; l++) {
        assert_int_equal(out[0][l], out[3][(l + 1) % 32]);
        assert_int_equal(out[1][l], out[1][0]);
        for (unsigned k = 0; k < 32; k++)
            assert_true((out[2][k] == out[2][l]) == (out[3][k] == out[3][l]));
        if (out[3][l] == 7)
            assert_int_equal(out[1][0], out[2][l]);
    }
    program_check_modes(&p);
}

/* Listings 5 and 7: threads arrive at barriers, not warps. */
static void counts_threads_at_barriers(void **state)
{
    int out[64];

    program_open(&p, 90, "split_barrier", 32);
    size_t to = program_buffer(&p, ELEMENT_INT32, 32, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, to, out);
    for (int k = 0; k < 32; k++)
        assert_int_equal(out[k], k < 16 ? 0 : 100 + k - 16);

    program_open(&p, 90, "crossed_barriers", 64);
    to = program_buffer(&p, ELEMENT_INT32, 64, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
}

/* Listing 6: not an endless loop but a barrier that can never complete, at the barrier. */
static void finds_deadlock(void **state)
{
    program_open(&p, 90, "stuck_barrier", 64);
    program_buffer(&p, ELEMENT_INT32, 64, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_DEADLOCK);
    assert_int_equal(p.code.instructions[p.result.pc / 16].op, SASS_BAR);
    assert_string_equal(p.result.reason, "barrier 0 can never complete: 32 threads have come");
    program_run(&p, EMULATE_SLICED, EMULATE_DEADLOCK);
}

static void ends_endless_loops(void **state)
{
    program_open(&p, 90, "endless", 32);
    program_buffer(&p, ELEMENT_INT32, 64, NULL);
    program_run_within(&p, EMULATE_FULL, 100000, EMULATE_BUDGET);
    assert_string_equal(p.result.reason, "100000 warp instructions are spent");
    assert_int_equal(p.result.block_count, 0);
}

static void stops_where_the_kernel_does(void **state)
{
    program_open(&p, 90, "trap", 32);
    program_buffer(&p, ELEMENT_INT32, 32, "i != 20");
    program_run(&p, EMULATE_FULL, EMULATE_TRAP);
}

static void marks_assumptions(void **state)
{
    program_open(&p, 90, "last_block", 32);
    program_buffer(&p, ELEMENT_INT32, 1, NULL);
    program_buffer(&p, ELEMENT_INT32, 64, NULL);
    program_run(&p, EMULATE_SLICED, EMULATE_DONE);
    assert_true(p.result.assumed);
    assert_int_equal(p.code.instructions[p.result.assumed_pc / 16].op, SASS_ATOMG);
}

static void counts_modes_alike(void **state)
{
    program_open(&p, 90, "ring", 64);
    program_scalar(&p, 1000);
    program_buffer(&p, ELEMENT_FLOAT32, 16384, "1");
    program_buffer(&p, ELEMENT_FLOAT32, 64, NULL);
    program_check_modes(&p);

    program_open(&p, 90, "ragged", 128);
    p.launch.grid[0] = 2;
    program_buffer(&p, ELEMENT_INT32, 257, "i * 37 - i % 17 * 2");
    program_buffer(&p, ELEMENT_FLOAT32, 10000, "1");
    program_buffer(&p, ELEMENT_FLOAT32, 256, NULL);
    program_scalar(&p, 250);
    program_check_modes(&p);

    program_open(&p, 90, "product", 16);
    p.launch.block[1] = 16;
    program_scalar(&p, 1024);
    for (unsigned k = 0; k < 3; k++)
        program_buffer(&p, ELEMENT_FLOAT32, 1024 * 1024, NULL);
    program_check_modes(&p);
    assert_true(2 * p.result.executed < program_total(&p).issued); /* extrapolated indeed */
}

int main(void)
{
    return RUN_TESTS_EACH(
        NULL, program_close, adds_vectors, multiplies_matrices, counts_requests_with_new_sectors,
        notes_what_two_warps_share, counts_permutation_traffic, counts_divergent_arms, runs_every_arm,
        passes_lock_between_lanes, meets_where_lanes_give_way, ends_where_loops_share_a_barrier,
        gathers_lanes_that_are_apart, counts_threads_at_barriers, finds_deadlock, ends_endless_loops,
        stops_where_the_kernel_does, marks_assumptions, counts_modes_alike);
}
