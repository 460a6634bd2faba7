/* Grids whose blocks loaded values lead to what they read: which of them read the same. */
#include "compiled.h"

#include <string.h>

enum { GROUPS = 64, COLUMNS = 8, PIECE = 2048, ROWS = 256, BLOCKS = 3000, SAMPLED = 16 };
enum { LISTS = 16, SLOTS = 64, TILES = 60 };

enum { ARGUMENTS = 5 };

/* A kernel of places.cu and a sample of its blocks. */
struct sampled {
    struct compiled compiled;
    struct argument arguments[ARGUMENTS];
    struct emulate_result result;
};

static struct argument indices_of(const char *name, uint64_t length, const char *expression)
{
    struct argument out = buffer_of(name, ELEMENT_INT32, length);

    out.fill = (struct fill){.kind = FILL_EXPRESSION, .expression = strdup(expression)};
    return out;
}

/* With all but its first argument, the output of 64 elements a block. */
static void sample_blocks(struct sampled *s, const char *kernel, unsigned blocks)
{
    const struct compile_request request = {
        .source_path = "tests/emulated/places.cu", .name = kernel, .arch = "sm_90", .deadline_s = 120};
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    struct launch launch;
    struct err err = {0};

    compiled_open(&s->compiled, &request);
    launch_init(&launch);
    launch.grid[0] = blocks;
    launch.block[0] = 64;
    launch.arguments = s->arguments;
    launch.argument_count = ARGUMENTS;
    s->arguments[0] = buffer_of("out", ELEMENT_FLOAT32, (uint64_t)blocks * 64);
    s->arguments[0].role = ROLE_OUT;
    ok(launch_prepare(&launch, &err), &err);
    compiled_run(&s->result, &s->compiled, &launch, &options, SAMPLED, kernel);
    assert_non_null(s->result.places);
}

static void release(struct sampled *s)
{
    emulate_result_release(&s->result);
    for (int k = 0; k < ARGUMENTS; k++)
        fill_release(&s->arguments[k].fill);
    compiled_close(&s->compiled);
}

/* Groups of three and five rows in turn. */
static void places_are_told_apart(void **state)
{
    int32_t groups = GROUPS;
    struct sampled s = {
        .arguments = {[1] = buffer_of("rows", ELEMENT_FLOAT32, (uint64_t)ROWS * PIECE),
                      buffer_of("columns", ELEMENT_FLOAT32, (uint64_t)GROUPS * COLUMNS * PIECE),
                      indices_of("offset", GROUPS + 1, "i * 4 - i % 2"),
                      scalar_of(&groups)}};
    const struct emulate_places *places;

    sample_blocks(&s, "grouped", BLOCKS);
    places = s.result.places;
    check_near(places[1].all / places[1].blocks, 1. / COLUMNS, 0.3 / COLUMNS);
    check_near(places[2].all / places[2].blocks, 1. / 4, 0.3 / 4);
    assert_true(places[1].pool == 0 && places[2].pool == 0);
    assert_true(places[3].blocks == 0); /* all begin to read it at its beginning */
    release(&s);
}

/* Blocks of a tile read some of its pieces each; what belongs to a row comes again with each tile. */
static void places_have_more_than_each_block_reads(void **state)
{
    const double sectors = SLOTS * 512. * 4 / 32;
    struct sampled s = {
        .arguments = {[1] = buffer_of("tiles", ELEMENT_FLOAT32, (uint64_t)TILES * SLOTS * 512),
                      buffer_of("pieces", ELEMENT_FLOAT32, (uint64_t)LISTS * SLOTS * 512),
                      indices_of("count", LISTS, "8 + i * 5 % 32"),
                      indices_of("column", LISTS * SLOTS, "i % 64 * (2 * (i // 64) + 1) % 64")}};
    const struct emulate_places *places;

    sample_blocks(&s, "listed", LISTS * TILES);
    places = s.result.places;
    check_near(places[1].all / places[1].blocks, 1. / LISTS, 0.5 / LISTS);
    check_near(places[1].pool, sectors, 0.4 * sectors);
    check_near(places[2].all, LISTS, 0.1);
    assert_true(places[2].pool == 0 && places[2].further == 0);
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_are_told_apart),
                                       cmocka_unit_test(places_have_more_than_each_block_reads)};

    return run_group("places", tests, sizeof tests / sizeof *tests);
}
