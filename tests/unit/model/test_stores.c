#include "check.h"
#include "traffic_fixture.h"

#include "model/machine/assumption.h"
#include "model/machine/assumptions.h"

/* A second store to the sectors of the first: together they leave as whole ones, unless even one store has
 * more lines than the queue. */
static void parts_of_sectors_merge(void **state)
{
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.code[GATHER] = f.code[STORE];
    f.touches[GATHER] = (struct emulate_touch){.region = 3, .led = 1};
    f.counts[GATHER] = f.counts[STORE];
    f.counts[GATHER].bytes = f.counts[STORE].bytes = 64;
    f.caches.merge_lines = 16;
    traffic = fixture_find(&f);
    check_near(traffic.counts[GATHER].again, 4, 0);
    check_near(traffic.counts[STORE].again, 0, 0);
    check_near(traffic.stores.sectors, 4, 0);
    check_near(traffic.stores.lines, 1, 0);
    check_near(traffic.stores.filled, 4, 0);
    traffic_release(&traffic);
    f.caches.merge_lines = 0.5;
    traffic = fixture_find(&f);
    check_near(traffic.stores.sectors, 8, 0);
    check_near(traffic.stores.filled, 4, 0);
    fixture_tear_down(&f, &traffic);
}

/* A warp stores to four lines by four stores, a part each, a queue of 28 lines before L2. Counted on an
 * NVIDIA H200 with all of the warps at it: of 8, 12, 16 and 32 warps 0.17, 0.33, 0.43 and 0.80 of the parts
 * do not merge. Without a barrier warps do not meet, unless their loads are more than can be under way. */
static void parts_merge_while_few_warps_store(void **state)
{
    static const struct {
        unsigned warps;
        double apart;
    } cases[] = {{4, 0}, {8, 0.17}, {12, 0.33}, {16, 0.43}, {32, 0.8}};
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.code[GATHER] = f.code[STORE];
    f.touches[STORE] = (struct emulate_touch){.led = 1, .own = 16, .fresh = 16};
    f.touches[GATHER] = (struct emulate_touch){.led = 3};
    f.counts[STORE].requests = 1;
    f.counts[STORE].sectors = 16;
    f.counts[STORE].lines = 4;
    f.counts[GATHER].issued = f.counts[GATHER].requests = 3;
    f.counts[GATHER].sectors = 48;
    f.counts[GATHER].lines = 12;
    f.caches.merge_lines = 28;
    f.caches.resident_blocks = 1;
    f.caches.loads_most = 0.5;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        f.block.warps = cases[c].warps;
        traffic = fixture_find(&f);
        check_near(1 - traffic.counts[GATHER].again * cases[c].warps / 48, cases[c].apart, 0.12);
        check_near(traffic.stores.sectors * cases[c].warps,
                   64 - traffic.counts[GATHER].again * cases[c].warps, 1e-9);
        traffic_release(&traffic);
    }
    for (unsigned w = 8; w < 32; w++) /* the others store nothing */
        f.paths[w] = 1;
    traffic = fixture_find(&f);
    check_near(1 - traffic.counts[GATHER].again * 32 / 48, cases[1].apart, 0.12);
    traffic_release(&traffic);
    f.caches.loads_most = INFINITY;
    traffic = fixture_find(&f);
    check_near(traffic.counts[GATHER].again * 32, 48, 1e-9);
    fixture_tear_down(&f, &traffic);
}

/* Halves of sectors, by 32 warps that queue. On an NVIDIA H200 those that follow at once merge, also with instructions of some
 * cycles between; those further on, or behind a wait, mostly do not. Of eight lines each, four schedulers fill the queue. */
static void parts_that_follow_at_once_merge(void **state)
{
    static const struct {
        unsigned stall, wait, lines;
        double least, most; /* of the parts that do not merge */
    } cases[] = {
        {4, 0, 4, 0, 0.01}, {15, 0, 4, 0, 0.01}, {4, 1, 4, 0.6, 1}, {21, 0, 4, 0.6, 1}, {4, 0, 8, 0.3, 1}};
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.code[GATHER] = f.code[STORE];
    f.code[STORE].accesses[0].offset = 8;
    f.touches[GATHER] = (struct emulate_touch){.region = 3, .led = 1, .own = 16, .fresh = 16};
    f.touches[STORE] = (struct emulate_touch){.region = 3, .led = 1};
    f.caches.merge_lines = 28;
    f.caches.resident_blocks = 1;
    f.caches.loads_most = 0.5;
    f.block.warps = 32;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        f.counts[STORE].sectors = f.counts[GATHER].sectors = 4 * cases[c].lines;
        f.counts[STORE].lines = f.counts[GATHER].lines = cases[c].lines;
        f.touches[GATHER].own = f.touches[GATHER].fresh = f.counts[GATHER].sectors;
        f.code[GATHER].control.stall = (uint8_t)cases[c].stall;
        f.code[STORE].control.wait_mask = (uint8_t)cases[c].wait;
        traffic = fixture_find(&f);
        assert_in_range((1 - traffic.counts[STORE].again * 32 / f.counts[STORE].sectors) * 1000,
                        (unsigned)(cases[c].least * 1000), (unsigned)(cases[c].most * 1000));
        traffic_release(&traffic);
    }
    fixture_tear_down(&f, &(struct traffic){0});
}

/* A sum that is kept in global memory: stored, and stored again when a load has come. However few warps do it, L2 has the
 * first by then. */
static void sums_kept_in_memory_do_not_merge(void **state)
{
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.code[INDEX] = f.code[STORE];
    f.counts[INDEX] = f.counts[STORE];
    f.touches[INDEX] = f.touches[STORE];
    f.touches[STORE] = (struct emulate_touch){.region = 3, .led = 1};
    f.code[GATHER].control.write_barrier = 0;
    f.caches.merge_lines = 28;
    f.caches.resident_blocks = 1;
    traffic = fixture_find(&f);
    check_near(traffic.counts[STORE].again, 4, 0); /* nobody waits for the load */
    traffic_release(&traffic);
    f.code[STORE].control.wait_mask = 1;
    traffic = fixture_find(&f);
    check_near(traffic.counts[STORE].again, 0, 0);
    check_near(traffic.stores.sectors, 8, 0);
    traffic_release(&traffic);
    f.code[BETWEEN].op = SASS_BRA; /* the same where a branch ends between them */
    traffic = fixture_find(&f);
    check_near(traffic.counts[STORE].again, 0, 0);
    traffic_release(&traffic);
    f.code[BETWEEN].op = SASS_NOP;
    f.code[GATHER].destination_count = 1; /* the address is another one then */
    f.code[GATHER].destinations[0] =
        (struct sass_operand){.kind = SASS_REGISTER, .index = f.code[STORE].accesses[0].index, .count = 1};
    traffic = fixture_find(&f);
    check_near(traffic.counts[STORE].again, 4, 0);
    fixture_tear_down(&f, &traffic);
}

/* So many stores in a row that the warp has to wait for the load/store units: those of others get in between. */
static void long_rows_of_stores_merge_less(void **state)
{
    struct assumptions assumed = assumptions_default;
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.code[GATHER] = f.code[STORE];
    f.touches[GATHER] = f.touches[STORE];
    f.touches[STORE] = (struct emulate_touch){.region = 3, .led = 1};
    f.counts[STORE].sectors = f.counts[GATHER].sectors = f.touches[GATHER].own = f.touches[GATHER].fresh = 16;
    f.counts[STORE].lines = f.counts[GATHER].lines = 4;
    f.caches.merge_lines = 28;
    f.caches.resident_blocks = 1;
    f.caches.assumed = &assumed;
    f.block.warps = 32;
    traffic = fixture_find(&f);
    check_near(traffic.counts[STORE].again * 32, 16, 1e-9);
    traffic_release(&traffic);
    assumed.stores_ahead = 1;
    traffic = fixture_find(&f);
    assert_true(traffic.counts[STORE].again * 32 < 16 * 0.5);
    fixture_tear_down(&f, &traffic);
}

/* A warp stores to 16 lines in each turn of a loop, other parts of their sectors in the next: of many warps none finds its lines
 * still queued. On an NVIDIA H200 what 32 or 64 warps store turn by turn reaches L2 part by part. */
static void turns_of_many_warps_do_not_merge(void **state)
{
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.code[GATHER] = f.code[STORE];
    f.code[STORE] = (struct sass){.op = SASS_NOP, .guard = SASS_PT, .pc = 32};
    f.code[GATHER].pc = 16;
    f.counts[STORE] = (struct emulate_count){0};
    f.touches[STORE] = (struct emulate_touch){0};
    f.touches[GATHER] = (struct emulate_touch){.region = 3, .led = 8, .own = 16, .fresh = 16};
    f.counts[GATHER].requests = f.counts[GATHER].issued = 8;
    f.counts[GATHER].sectors = f.counts[GATHER].lines = 128;
    f.caches.merge_lines = 28;
    f.caches.resident_blocks = 1;
    f.block.warps = 64;
    traffic = fixture_find(&f);
    check_near(traffic.counts[GATHER].again * 64, 112, 0); /* one behind the other, at once */
    traffic_release(&traffic);
    f.code[STORE].op = SASS_BRA;
    f.code[STORE].has_target = true;
    f.code[STORE].target = 16;
    traffic = fixture_find(&f);
    assert_true(traffic.counts[GATHER].again * 64 < 112 * 0.1);
    traffic_release(&traffic);
    f.block.warps = 1; /* its lines are still there */
    traffic = fixture_find(&f);
    check_near(traffic.counts[GATHER].again, 112, 0);
    fixture_tear_down(&f, &traffic);
}

/* What the copy engine stores to the same place again and again reaches L2 each time. */
static void copies_do_not_merge(void **state)
{
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.counts[STORE].sectors = 16 * f.touches[STORE].own;
    f.caches.merge_lines = 28;
    f.caches.resident_blocks = 1;
    traffic = fixture_find(&f);
    assert_true(traffic.counts[STORE].again > 0);
    traffic_release(&traffic);
    f.code[STORE].op = SASS_UBLKCP;
    f.code[STORE].accesses[1] = (struct sass_access){.space = SASS_SPACE_SHARED, .access = SASS_READS};
    f.code[STORE].access_count = 2;
    traffic = fixture_find(&f);
    check_near(traffic.counts[STORE].again, 0, 0);
    check_near(traffic.stores.sectors, (double)f.counts[STORE].sectors, 0);
    fixture_tear_down(&f, &traffic);
}

int main(void)
{
    return RUN_TESTS(copies_do_not_merge, parts_of_sectors_merge, parts_merge_while_few_warps_store,
                     parts_that_follow_at_once_merge, sums_kept_in_memory_do_not_merge,
                     long_rows_of_stores_merge_less, turns_of_many_warps_do_not_merge);
}
