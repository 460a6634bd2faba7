/* Grids whose blocks loaded values lead to what they read: which of them read the same. */
#include "compiled.h"

#include <string.h>

enum { GROUPS = 64, COLUMNS = 8, PIECE = 2048, ROWS = 256, BLOCKS = 3000, SAMPLED = 16 };
enum { LISTS = 16, SLOTS = 64, TILES = 60 };

/* Groups of three and five rows in turn. */
static void places_are_told_apart(void **state)
{
    const struct compile_request request = {
        .source_path = "tests/emulated/places.cu", .name = "grouped", .arch = "sm_90", .deadline_s = 120};
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    int32_t groups = GROUPS;
    struct argument arguments[5];
    struct emulate_result result;
    struct compiled compiled;
    struct launch launch;
    struct err err = {0};

    compiled_open(&compiled, &request);
    launch_init(&launch);
    launch.grid[0] = BLOCKS;
    launch.block[0] = 64;
    launch.arguments = arguments;
    launch.argument_count = 5;
    arguments[0] = buffer_of("out", ELEMENT_FLOAT32, (uint64_t)BLOCKS * 64);
    arguments[0].role = ROLE_OUT;
    arguments[1] = buffer_of("rows", ELEMENT_FLOAT32, (uint64_t)ROWS * PIECE);
    arguments[2] = buffer_of("columns", ELEMENT_FLOAT32, (uint64_t)GROUPS * COLUMNS * PIECE);
    arguments[3] = buffer_of("offset", ELEMENT_INT32, GROUPS + 1);
    arguments[3].fill = (struct fill){.kind = FILL_EXPRESSION, .expression = strdup("i * 4 - i % 2")};
    arguments[4] = scalar_of(&groups);
    ok(launch_prepare(&launch, &err), &err);
    compiled_run(&result, &compiled, &launch, &options, SAMPLED, "grouped");
    assert_non_null(result.places);
    check_near(result.places[1].all / result.places[1].blocks, 1. / COLUMNS, 0.3 / COLUMNS);
    check_near(result.places[2].all / result.places[2].blocks, 1. / 4, 0.3 / 4);
    assert_true(result.places[1].pool == 0 && result.places[2].pool == 0);
    assert_true(result.places[3].blocks == 0); /* all begin to read it at its beginning */
    emulate_result_release(&result);
    fill_release(&arguments[3].fill);
    compiled_close(&compiled);
}

/* Blocks of a tile read some of its pieces each; what belongs to a row comes again with each tile. */
static void places_have_more_than_each_block_reads(void **state)
{
    const struct compile_request request = {
        .source_path = "tests/emulated/places.cu", .name = "listed", .arch = "sm_90", .deadline_s = 120};
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    const double sectors = SLOTS * 512. * 4 / 32;
    struct argument arguments[5];
    struct emulate_result result;
    struct compiled compiled;
    struct launch launch;
    struct err err = {0};

    compiled_open(&compiled, &request);
    launch_init(&launch);
    launch.grid[0] = LISTS * TILES;
    launch.block[0] = 64;
    launch.arguments = arguments;
    launch.argument_count = 5;
    arguments[0] = buffer_of("out", ELEMENT_FLOAT32, (uint64_t)LISTS * TILES * 64);
    arguments[0].role = ROLE_OUT;
    arguments[1] = buffer_of("tiles", ELEMENT_FLOAT32, (uint64_t)TILES * SLOTS * 512);
    arguments[2] = buffer_of("pieces", ELEMENT_FLOAT32, (uint64_t)LISTS * SLOTS * 512);
    arguments[3] = buffer_of("count", ELEMENT_INT32, LISTS);
    arguments[3].fill = (struct fill){.kind = FILL_EXPRESSION, .expression = strdup("8 + i * 5 % 32")};
    arguments[4] = buffer_of("column", ELEMENT_INT32, LISTS * SLOTS);
    arguments[4].fill =
        (struct fill){.kind = FILL_EXPRESSION, .expression = strdup("i % 64 * (2 * (i // 64) + 1) % 64")};
    ok(launch_prepare(&launch, &err), &err);
    compiled_run(&result, &compiled, &launch, &options, SAMPLED, "listed");
    assert_non_null(result.places);
    check_near(result.places[1].all / result.places[1].blocks, 1. / LISTS, 0.5 / LISTS);
    check_near(result.places[1].pool, sectors, 0.4 * sectors);
    check_near(result.places[2].all, LISTS, 0.1);
    assert_true(result.places[2].pool == 0 && result.places[2].further == 0);
    emulate_result_release(&result);
    fill_release(&arguments[3].fill);
    fill_release(&arguments[4].fill);
    compiled_close(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_are_told_apart),
                                       cmocka_unit_test(places_have_more_than_each_block_reads)};

    return run_group("places", tests, sizeof tests / sizeof *tests);
}
