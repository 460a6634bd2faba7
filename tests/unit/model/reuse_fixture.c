#include "reuse_fixture.h"

#include "check.h"

#include "model/machine/assumptions.h"

void fixture_add_block(struct fixture *f, size_t k, unsigned x, unsigned y, unsigned row, unsigned column)
{
    struct emulate_block *block = &f->blocks[k];

    *block = (struct emulate_block){.position = {x, y, 0}, .weight = 1, .warps = 1};
    assert_int_equal(footprint_mark(&block->read, A + (uint64_t)row * PANEL, PANEL, NULL), 0);
    assert_int_equal(footprint_mark(&block->read, B + (uint64_t)column * PANEL, PANEL, NULL), 0);
}

void fixture_set_up(struct fixture *f, double l2, double skew)
{
    *f = (struct fixture){.regions = {{A, SIDE}, {B, SIDE}},
                          .caches = {.l1_bytes = 1 << 17,
                                     .l2_bytes = l2,
                                     .l2_holds = l2,
                                     .assumed = &assumptions_default,
                                     .resident_blocks = 2,
                                     .sms = 64,
                                     .skew = skew}};
    f->result = (struct emulate_result){
        .blocks = f->blocks, .block_count = BLOCKS, .regions = f->regions, .region_count = 2};
}

void fixture_set_up_square(struct fixture *f, double l2, double skew)
{
    fixture_set_up(f, l2, skew);
    f->launch = (struct launch){.grid = {PANELS, PANELS, 1}, .block = {32, 1, 1}};
    fixture_add_block(f, 0, 32, 32, 32, 32);
    fixture_add_block(f, 1, 33, 32, 32, 33);
    fixture_add_block(f, 2, 34, 32, 32, 34);
    fixture_add_block(f, 3, 32, 33, 33, 32);
}

void fixture_set_up_groups(struct fixture *f, double l2, double skew)
{
    fixture_set_up(f, l2, skew);
    f->launch = (struct launch){.grid = {PANELS * PANELS, 1, 1}, .block = {32, 1, 1}};
    for (unsigned k = 0; k < BLOCKS - 1; k++)
        fixture_add_block(f, k, 2048 + k, 0, 32 + k, 0);
    fixture_add_block(f, 3, 0, 0, 0, 0);
    f->moves[0 * 2 + 0] = PANEL;
    f->moves[1 * 2 + 1] = PANEL;
    f->moves[2 * 2 + 0] = 8 * PANEL;
    f->result.order = (struct emulate_order){.digits = 3, .unit = {1, 8, 8 * PANELS}, .moves = f->moves};
}

double fixture_missed(struct fixture *f)
{
    struct reuse_regions found;
    double sum = 0;

    assert_int_equal(reuse_regions_find(&found, &f->result, &f->launch, &f->caches, NULL), 0);
    assert_int_equal(reuse_regions_fetch(&f->reuse_regions, &found, &f->caches, NULL), 0);
    reuse_regions_release(&found);
    for (size_t z = 1; z < f->reuse_regions.count; z++)
        sum += f->reuse_regions.reuse_region[z].missed;
    return sum;
}

void fixture_tear_down(struct fixture *f)
{
    reuse_regions_release(&f->reuse_regions);
    for (size_t k = 0; k < BLOCKS; k++) {
        footprint_release(&f->blocks[k].read);
        footprint_release(&f->blocks[k].written);
    }
}
