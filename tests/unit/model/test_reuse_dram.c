/* What L2 lets DRAM bring: for loads, for what is added to, and for sectors that are written in part. */
#include "check.h"
#include "model/machine/assumptions.h"
#include "model/memory/reuse_gather.h"
#include "traffic_fixture.h"

/* 64 bytes of a line for each lane. One sector a pass: DRAM brings the second along with the first. Both in
 * one pass: neither is there. */
static void dram_brings_what_the_next_pass_asks_for(void **state)
{
    static const struct {
        uint64_t passes;
        double ready;
    } cases[] = {{2, 0.5}, {1, 0}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint64_t passes = cases[c].passes;
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 128);
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(footprint_mark(&f.block.read, (1 << 24) + lane * 128, 64, NULL), 0);
        f.touches[GATHER] = (struct emulate_touch){64, 64, 2, passes, passes, 0, 0, 0, 0, 0, 0, 0, 0};
        f.counts[GATHER] = (struct emulate_count){.issued = passes,
                                                  .requests = passes,
                                                  .lanes = 32 * passes,
                                                  .bytes = 2048,
                                                  .sectors = 64,
                                                  .lines = 32 * passes,
                                                  .sectors_once = 64,
                                                  .lines_once = 32 * passes};
        traffic = fixture_find(&f);
        check_near(traffic.counts[GATHER].l2_ready, cases[c].ready, 1e-9);
        check_near(traffic.counts[INDEX].l2_ready, 0, 1e-9);
        fixture_tear_down(&f, &traffic);
    }
}

/* L2 fetches the 128 bytes that a warp adds to, unlike those that it stores; a line that the warp has loaded before it
 * adds to it is fetched once. */
static void what_is_added_to_is_fetched(void **state)
{
    static const struct {
        unsigned how;
        bool loaded;
        double bytes; /* with the index and what is gathered */
    } cases[] = {{SASS_WRITES, false, 256},
                 {SASS_READS | SASS_WRITES | SASS_ATOMICALLY, false, 384},
                 {SASS_READS | SASS_WRITES | SASS_ATOMICALLY, true, 256}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 4);
        f.code[STORE] = fixture_access(SASS_REDG, cases[c].how);
        if (cases[c].how & SASS_READS)
            assert_int_equal(footprint_mark(&f.block.read, 1 << 26, 128, NULL), 0);
        if (cases[c].loaded) {
            footprint_release(&f.block.read);
            assert_int_equal(footprint_mark(&f.block.read, 1 << 20, 128, NULL), 0);
            assert_int_equal(footprint_mark(&f.block.read, 1 << 26, 128, NULL), 0);
            f.touches[GATHER].region = f.touches[STORE].region;
            f.touches[STORE].fresh = f.touches[STORE].own = 0;
        }
        traffic = fixture_find(&f);
        check_near(traffic.dram.read, cases[c].bytes, 1e-6);
        check_near(traffic.counts[STORE].dram_read, cases[c].bytes - 256, 1e-6);
        fixture_tear_down(&f, &traffic);
    }
}

/* Of sectors that are written in part and go to DRAM that brings the rest: none where lanes fill them, all but 1 of 256
 * where any half of 8 elements may be missing, none that the warp has read, and none where L2 keeps them. */
static void what_is_written_in_part_is_completed(void **state)
{
    static const struct {
        unsigned lanes;
        bool read;
        double l2, share;
    } cases[] = {{32, false, 10, 0}, {16, false, 10, 255. / 256}, {16, true, 10, 0}, {16, false, 50e6, 0}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 4);
        f.counts[STORE].lanes = cases[c].lanes;
        f.counts[STORE].bytes = 4 * cases[c].lanes;
        if (cases[c].read)
            assert_int_equal(footprint_mark(&f.block.read, 1 << 26, 128, NULL), 0);
        f.caches.l2_holds = cases[c].l2;
        traffic = fixture_find(&f);
        check_near(traffic.dram.completed, 128 * cases[c].share, 1e-6);
        fixture_tear_down(&f, &traffic);
    }
}

/* Words stored anywhere: in as much as L2 holds of them DRAM gets each sector once, in more it gets what other blocks come to
 * after L2 has lost it, each time, and brings the rest of it. */
static void what_is_stored_anywhere_is_written_again(void **state)
{
    static const struct {
        uint64_t region;
        double sectors; /* of a warp's 32 */
    } cases[] = {{30 << 20, 30 / 100.}, {64 << 20, 32 * (1 - 22. / 64)}, {256 << 20, 32 * (1 - 22. / 256)}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct traffic traffic;
        double sectors;

        fixture_set_up(&f, 4);
        f.launch.grid[0] = f.launch.grid[1] = 1024; /* 32 sectors each: 1 GB */
        f.block.weight = 1 << 20;
        f.regions[2].bytes = cases[c].region;
        f.caches.l2_holds = 22 << 20;
        f.caches.l2_holds_once = 45 << 20;
        footprint_release(&f.block.written);
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(
                footprint_mark(&f.block.written, (1 << 26) + lane * 65536 + lane * lane % 37 * 1024, 4, NULL),
                0);
        f.counts[STORE].sectors = f.counts[STORE].sectors_once = 32;
        f.counts[STORE].lines = f.counts[STORE].lines_once = 32;
        f.touches[STORE].fresh = f.touches[STORE].own = 32;
        traffic = fixture_find(&f);
        sectors = traffic.dram.written / 32;
        check_near(sectors, c ? cases[c].sectors : (30 << 20) / 32. / (1 << 20), 1e-6);
        check_near(traffic.dram.completed / 32, c ? sectors : 0, 1e-3);
        fixture_tear_down(&f, &traffic);
    }
}

/* Layers of blocks that each read what the one before has read: fetched once where L2 holds a layer of 1000
 * blocks of 256 bytes and what they store, and by every wave of 320 blocks where it does not. */
static void layers_find_what_l2_holds(void **state)
{
    struct fixture f;
    struct traffic traffic;
    struct emulate_block blocks[2];

    fixture_set_up(&f, 4);
    f.launch.grid[2] = 100;
    f.block.position[2] = 50;
    f.block.weight = 50000;
    blocks[0] = blocks[1] = f.block;
    blocks[1].position[2]++;
    f.result.blocks = blocks;
    f.result.block_count = 2;
    traffic = fixture_find(&f);
    check_near(traffic.touched.read, 1000 * 256, 1e-6);
    check_near(traffic.dram.read * traffic.warps, 1000 * 256, 1e-6);
    traffic_release(&traffic);
    f.caches.l2_holds = 100e3;
    traffic = fixture_find(&f);
    check_near(traffic.dram.read * traffic.warps, 100 * 1000 * 256, 1e-3);
    fixture_tear_down(&f, &traffic);
}

/* Lines gathered from so many MB by all SMs of an NVIDIA H200: what counters say L2 has once it is full, each half of which
 * has 22 MB of what all read. One without halves has what it holds. */
static void gathers_find_what_both_halves_hold(void **state)
{
    static const struct {
        double mb, kept, error;
    } counted[] = {{24, 1, 0}, {48, 0.71, 0.02}, {64, 0.56, 0.03}, {128, 0.31, 0.03}, {512, 0.078, 0.02}};
    struct traffic_caches caches = {
        .assumed = &assumptions_default, .l2_bytes = 62914560, .l2_holds = 22243712};

    for (size_t c = 0; c < sizeof counted / sizeof *counted; c++)
        check_near(reuse_gather_kept(counted[c].mb * (1 << 20), &caches, 1), counted[c].kept,
                   counted[c].error + 1e-9);
    check_near(reuse_gather_kept(32 << 20, &caches, 0.5), reuse_gather_kept(64 << 20, &caches, 1), 1e-6);
    assert_true(reuse_gather_kept(64 << 20, &caches, 0) == 0);
    caches.l2_holds = 60e6;
    check_near(reuse_gather_kept(120e6, &caches, 1), 0.5, 1e-9);
}

int main(void)
{
    return RUN_TESTS(dram_brings_what_the_next_pass_asks_for, what_is_added_to_is_fetched,
                     what_is_written_in_part_is_completed, what_is_stored_anywhere_is_written_again,
                     layers_find_what_l2_holds, gathers_find_what_both_halves_hold);
}
