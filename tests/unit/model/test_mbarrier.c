#include "emulate_fixture.h"
#include "model/sass/arch/geometry.h"

enum { TILE = 128, STAGES = 3 };

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
    open(p, kernel, 3 * LANES);
    p->launch.grid[0] = 2;
    program_buffer(p, ELEMENT_FLOAT32, (uint64_t)tiles * TILE, NULL);
    program_buffer(p, ELEMENT_FLOAT32, (uint64_t)tiles * TILE, "i");
    program_scalar(p, tiles);
}

static uint64_t bytes_of(const struct program *p, enum sass_op op)
{
    uint64_t sum = 0;

    for (size_t b = 0; b < p->result.block_count; b++)
        for (size_t i = 0; i < p->code.count; i++)
            if (p->code.instructions[i].op == op)
                sum += p->result.blocks[b].counts[i].bytes;
    return sum;
}

static struct program p;

/* The ring goes round several times: consumers wait for data, the producer for a free stage. */
static void pipelines_run(void **state)
{
    open_pipeline(&p, "pipeline", 23);
    program_scalar(&p, 0);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    check_doubled(&p, 23);
    program_check_modes(&p);
}

/* The waits of a ring in steady state are not executed one by one, and what it copies is counted all the same;
 * of its phases the first ones are noted. */
static void long_pipelines_are_extrapolated(void **state)
{
    enum { TILES = 100001 };

    open_pipeline(&p, "pipeline", 403);
    program_scalar(&p, 0);
    program_check_modes(&p);

    open_pipeline(&p, "pipeline", TILES);
    program_scalar(&p, 0);
    program_run(&p, EMULATE_SLICED, EMULATE_DONE);
    assert_int_equal(bytes_of(&p, SASS_UBLKCP), (uint64_t)TILES * TILE * sizeof(float));
    assert_true(p.result.executed < 1 << 18);
    assert_true(p.result.blocks[0].events[0].cut);
}

/* Every wait is for a phase at which as much arrives as in the emulation, or for none. */
static void phases_are_noted(void **state)
{
    const struct emulate_block *block;
    unsigned waits = 0, arrivals = 0, copies = 0;

    open_pipeline(&p, "pipeline", 23);
    program_scalar(&p, 0);
    program_run(&p, EMULATE_SLICED, EMULATE_DONE);
    block = &p.result.blocks[0];
    assert_non_null(block->events);
    for (unsigned w = 0; w < block->warps; w++)
        for (size_t e = 0; e < block->events[w].count; e++) {
            const struct emulate_event *event = &block->events[w].list[e];

            assert_true(event->phase <= block->phases);
            waits += event->waits && event->phase;
            arrivals += event->arrivals;
            copies += event->arrivals && p.code.instructions[event->instruction].op == SASS_UBLKCP;
            assert_false(block->events[w].cut);
        }
    assert_int_equal(copies, 12);                      /* tiles of the first of two blocks */
    assert_int_equal(arrivals, 3 + 12 + 12 + 12 * 64); /* the block's barrier, announced, come, read */
    assert_int_equal(waits, 3 + 2 * 12 + 12 - STAGES); /* the first round of stages is empty */
}

/* A byte too many is announced. */
static void bytes_that_never_come_hang(void **state)
{
    open_pipeline(&p, "pipeline", 23);
    program_scalar(&p, 16);
    program_run(&p, EMULATE_SLICED, EMULATE_DEADLOCK);
    assert_non_null(strstr(p.result.reason, "0 arrivals and 16 bytes are missing"));
}

/* What a stage holds is passed on in shared memory: which warp runs when matters. */
static void tiles_are_handed_out(void **state)
{
    open_pipeline(&p, "handed_out", 11);
    program_buffer(&p, ELEMENT_INT32, 1, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    check_doubled(&p, 11);
    program_run(&p, EMULATE_SLICED, EMULATE_DONE);
    assert_true(p.result.assumed);
}

static void arrivals_and_bytes_are_counted(void **state)
{
    int out[36];

    open(&p, "counts", LANES);
    program_buffer(&p, ELEMENT_INT32, 36, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, 0, out);
    for (int lane = 0; lane < LANES; lane++)
        assert_int_equal(out[lane], 40 - lane);
    assert_int_equal(out[32], 0); /* 8 of 40 are missing */
    assert_int_equal(out[33], 1);
    assert_int_equal(out[34], 0); /* 64 bytes are */
    assert_int_equal(out[35], 1);
}

static void check_pairs_exchanged(int count, int width)
{
    int out[4 * LANES];

    program_read(&p, 0, out);
    for (int i = 0; i < count; i++)
        assert_int_equal(out[i], ((i / width) ^ 1) * width + i % width);
}

static void copies_of_threads_arrive(void **state)
{
    open(&p, "copied", LANES);
    program_buffer(&p, ELEMENT_INT32, LANES, NULL);
    program_buffer(&p, ELEMENT_INT32, LANES, "i");
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    check_pairs_exchanged(LANES, 1);
    program_check_modes(&p);
}

/* The loop around a copy whose operands differ by lane is left by all lanes at once. */
static void lanes_copy_one_after_another(void **state)
{
    open(&p, "each", LANES);
    program_buffer(&p, ELEMENT_INT32, 4 * LANES, NULL);
    program_buffer(&p, ELEMENT_INT32, 4 * LANES, "i");
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    check_pairs_exchanged(4 * LANES, 4);
    program_check_modes(&p);
}

static uint64_t issued(enum sass_op op)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < p.code.count; i++)
        if (p.code.instructions[i].op == op)
            sum += p.result.blocks[0].counts[i].issued;
    return sum;
}

/* Registers change hands, groups take turns at named barriers, and what the tensor cores leave decides
 * nothing. */
static void groups_take_turns(void **state)
{
    open(&p, "turns", 384);
    program_buffer(&p, ELEMENT_FLOAT32, 256, NULL);
    program_scalar(&p, 10);
    program_scalar64(&p, 0x4000004000010000);
    program_run(&p, EMULATE_SLICED, EMULATE_DONE);
    assert_int_equal(issued(SASS_HGMMA), 8 * 10);
    assert_int_equal(issued(SASS_USETMAXREG), 12);
}

enum { ROWS_ALL = 20, COLUMNS = 96, BOX_ROWS = 8, BOX_COLUMNS = 64 };

static struct tensor_map map_of(size_t buffer, enum tensor_swizzle swizzle)
{
    return (struct tensor_map){.buffer = buffer,
                               .type = TENSOR_UINT16,
                               .rank = 2,
                               .dimensions = {COLUMNS, ROWS_ALL, 1, 1, 1},
                               .strides = {2, 2 * COLUMNS},
                               .box = {BOX_COLUMNS, BOX_ROWS, 1, 1, 1},
                               .element_strides = {1, 1, 1, 1, 1},
                               .swizzle = swizzle};
}

static bool inside(int row, int column)
{
    return row >= 0 && row < ROWS_ALL && column >= 0 && column < COLUMNS;
}

/* Element [row][column] of the box in shared memory: its 16-byte piece is where the swizzle puts it. */
static int in_box(const uint16_t *seen, enum tensor_swizzle swizzle, int row, int column)
{
    const int piece = column / 8 ^ (row & ((1 << swizzle) - 1)); /* a row has 128 bytes */

    return seen[row * BOX_COLUMNS + piece * 8 + column % 8];
}

static void check_box(enum tensor_swizzle swizzle, int x, int y)
{
    const struct tensor_map maps[] = {map_of(5, swizzle), map_of(6, swizzle)};
    uint16_t seen[BOX_ROWS * BOX_COLUMNS], *back;

    open(&p, "boxes", LANES);
    program_buffer(&p, ELEMENT_INT32, sizeof seen / 4, NULL);
    program_tensor_map(&p, &maps[0]);
    program_tensor_map(&p, &maps[1]);
    program_scalar(&p, x);
    program_scalar(&p, y);
    program_buffer(&p, ELEMENT_UINT16, ROWS_ALL * COLUMNS, "i + 1");
    program_buffer(&p, ELEMENT_UINT16, ROWS_ALL * COLUMNS, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, 0, seen);
    back = malloc(ROWS_ALL * COLUMNS * sizeof *back);
    assert_non_null(back);
    program_read(&p, 6, back);
    for (int r = 0; r < BOX_ROWS; r++)
        for (int c = 0; c < BOX_COLUMNS; c++) {
            const int row = y + r, column = x + c;
            const int value = inside(row, column) ? (row * COLUMNS + column + 1) & 0xffff : 0;

            assert_int_equal(in_box(seen, swizzle, r, c), value);
            if (inside(row + 1, column + 8))
                assert_int_equal(back[(row + 1) * COLUMNS + column + 8], value);
        }
    free(back);
    program_check_modes(&p);
}

/* Whole, beyond the far edges, before the near ones. */
static void boxes_are_clipped_and_swizzled(void **state)
{
    for (int swizzle = TENSOR_SWIZZLE_NONE; swizzle <= TENSOR_SWIZZLE_128; swizzle++) {
        check_box((enum tensor_swizzle)swizzle, 8, 3);
        check_box((enum tensor_swizzle)swizzle, 40, 15);
        check_box((enum tensor_swizzle)swizzle, -8, -2);
    }
}

static uint16_t element_of(uint64_t row, uint64_t column)
{
    return (uint16_t)(row * COLUMNS + column + 1);
}

/* The bytes of a box are moved when they must be: before the tensor changes, before others take their place. */
static void boxes_hold_what_was_loaded(void **state)
{
    enum { BOX = BOX_ROWS * BOX_COLUMNS };
    const struct tensor_map map = map_of(2, TENSOR_SWIZZLE_NONE);
    uint16_t seen[6 * BOX];

    open(&p, "boxes_in_turn", LANES);
    program_buffer(&p, ELEMENT_INT32, sizeof seen / 4, NULL);
    program_tensor_map(&p, &map);
    program_buffer(&p, ELEMENT_UINT16, ROWS_ALL * COLUMNS, "i + 1");
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, 0, seen);
    for (unsigned k = 0; k < BOX; k++) {
        const unsigned row = k / BOX_COLUMNS, column = k % BOX_COLUMNS;

        assert_int_equal(seen[k], element_of(row, column));
        if (row < BOX_ROWS / 2 && k > 1)
            assert_int_equal(seen[BOX + k], element_of(row, column));
        assert_int_equal(seen[BOX + BOX / 2 + k], element_of(8 + row, column));
        assert_int_equal(seen[3 * BOX + k], element_of(4 + row, column));
        if (row < BOX_ROWS / 2 && k > 0)
            assert_int_equal(seen[4 * BOX + k], element_of(row, column));
        assert_int_equal(seen[4 * BOX + BOX / 2 + k], element_of(8 + row, column));
    }
    assert_int_equal(seen[BOX], 77);
    assert_int_equal(seen[BOX + 1], 0);
    program_check_modes(&p);
}

/* Pairs of blocks: multicast copies, arrivals at the other's mbarrier, stores into its shared memory. */
static void clusters_share_tiles(void **state)
{
    enum { ROUNDS = 5, BLOCKS = 4 };
    int *out = malloc((ROUNDS + 1) * BLOCKS * LANES * sizeof *out);

    assert_non_null(out);
    open(&p, "shared_tiles", LANES);
    p.launch.grid[1] = BLOCKS;
    program_buffer(&p, ELEMENT_INT32, (ROUNDS + 1) * BLOCKS * LANES, NULL);
    program_buffer(&p, ELEMENT_INT32, ROUNDS * BLOCKS * LANES, "i");
    program_scalar(&p, ROUNDS);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, 0, out);
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < ROUNDS * LANES; i++) {
            const int tile = (b / 2 * ROUNDS + i / LANES) * 2 * LANES;

            assert_int_equal(out[b * ROUNDS * LANES + i], 2 * (tile + i % LANES) + LANES);
        }
    for (int i = 0; i < BLOCKS * LANES; i++)
        assert_int_equal(out[BLOCKS * ROUNDS * LANES + i], 101 - i / LANES % 2);
    program_check_counts(&p);
    assert_int_equal(bytes_of(&p, SASS_UBLKCP), BLOCKS * ROUNDS * 128);
    for (size_t i = 0; i < p.code.count; i++)
        if (p.code.instructions[i].op == SASS_UBLKCP)
            assert_int_equal(p.result.blocks[0].counts[i].receivers, 2);
    free(out);
}

static void open_cluster(const char *kernel, int rounds)
{
    program_open_of(&p, "tests/data/emulate/cluster_sm90.cubin", kernel, LANES);
    p.launch.grid[0] = 4;
    program_buffer(&p, ELEMENT_INT32, (uint64_t)rounds * 4 * LANES, NULL);
}

/* What a block has got is what the other one of its cluster sent, `times` times. */
static void check_sent(const char *kernel, int last, int times)
{
    enum { ROUNDS = 5 };
    int out[ROUNDS * 4 * LANES];

    open_cluster(kernel, ROUNDS);
    program_scalar(&p, ROUNDS);
    program_scalar(&p, last);
    program_run(&p, EMULATE_FULL, EMULATE_DONE);
    program_read(&p, 0, out);
    for (int i = 0; i < ROUNDS * 4 * LANES; i++) {
        const int block = i / LANES / ROUNDS, round = i / LANES % ROUNDS;

        assert_int_equal(out[i], times * (1000 * round + 100 * (block % 2 ^ 1) + i % LANES));
    }
    program_check_counts(&p);
}

/* st.async: lanes of one request tell one mbarrier or two of the other block what has come. */
static void stores_tell_the_other_block(void **state)
{
    check_sent("sent", 32, 2);
    check_sent("sent", 20, 2);
    check_sent("sent_wide", 7, 2);
}

static void copies_go_to_the_other_block(void **state)
{
    const struct emulate_event *last = NULL;

    check_sent("copied_across", 128, 1);
    assert_int_equal(bytes_of(&p, SASS_UBLKCP), 5 * 4 * 128);
    for (size_t e = 0; e < p.result.blocks[0].events[0].count; e++)
        if (p.code.instructions[p.result.blocks[0].events[0].list[e].instruction].op == SASS_UBLKCP)
            last = &p.result.blocks[0].events[0].list[e];
    assert_non_null(last);
    assert_int_equal(last->arrivals, 1);
    assert_true(last->phase > 0);
}

/* What an addition leaves is not known, but that it has come is. */
static void additions_reach_the_other_block(void **state)
{
    open_cluster("added_across", 1);
    program_scalar(&p, 256);
    program_run(&p, EMULATE_SLICED, EMULATE_DONE);
    assert_int_equal(bytes_of(&p, SASS_UBLKRED), 4 * 256);
    for (size_t i = 0; i < p.code.count; i++)
        if (p.code.instructions[i].op == SASS_UBLKRED)
            assert_int_equal(p.code.instructions[i].mod[SASS_MOD_TYPE], SASS_TYPE_U32);
    program_check_counts(&p);
}

int main(void)
{
    return RUN_TESTS_EACH(NULL, program_close, pipelines_run, long_pipelines_are_extrapolated,
                          phases_are_noted, bytes_that_never_come_hang, tiles_are_handed_out,
                          arrivals_and_bytes_are_counted, copies_of_threads_arrive,
                          lanes_copy_one_after_another, groups_take_turns, boxes_are_clipped_and_swizzled,
                          boxes_hold_what_was_loaded, clusters_share_tiles, stores_tell_the_other_block,
                          copies_go_to_the_other_block, additions_reach_the_other_block);
}
