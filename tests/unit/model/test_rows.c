#include "check.h"

#include "model/memory/rows.h"

enum { ROW = 256 << 10, BASE = 1 << 30 };

/* Two neighbours that begin to read a buffer so many bytes apart. */
struct fixture {
    struct device device;
    struct machine machine;
    struct emulate_region region;
    struct emulate_block blocks[2];
    struct emulate_result result;
    struct traffic traffic;
};

static void set_up(struct fixture *f, uint64_t distance)
{
    static const double under_way[] = {8192, 16384}, speed[] = {0.95, 1};
    struct err err = {0};

    *f = (struct fixture){.region = {BASE, 64 << 20}, .traffic = {.dram.read = 1024}};
    assert_int_equal(device_read(&f->device, "tests/data/devices/by-hand.json", NULL), 0);
    assert_int_equal(
        device_curve_set(&f->device.curves[DEVICE_CURVE_DRAM_IN_STEP], under_way, speed, 2, "a test", &err),
        0);
    assert_int_equal(machine_init(&f->machine, &f->device, NULL), 0);
    for (unsigned b = 0; b < 2; b++) {
        f->blocks[b].position[0] = 7 + b;
        assert_int_equal(footprint_mark(&f->blocks[b].read, BASE + b * distance, 4096, &err), 0);
    }
    f->result = (struct emulate_result){
        .blocks = f->blocks, .block_count = 2, .regions = &f->region, .region_count = 1};
}

static void tear_down(struct fixture *f)
{
    for (unsigned b = 0; b < 2; b++)
        footprint_release(&f->blocks[b].read);
    machine_release(&f->machine);
    device_release(&f->device);
}

static double slowed(uint64_t distance, double under_way, double written)
{
    struct fixture f;
    double factor;

    set_up(&f, distance);
    f.traffic.dram.written = written;
    factor = rows_slowed(&f.machine, &f.traffic, &f.result, under_way);
    tear_down(&f);
    return factor;
}

static void rows_far_apart_are_slow_in_step(void **state)
{
    check_near(slowed(ROW, 8192, 0), 1 / 0.95, 1e-12);
    check_near(slowed(2 * ROW, 8192, 0), 1 / 0.95, 1e-12);
    check_near(slowed(ROW, 12288, 0), 1 / 0.975, 1e-12);
    check_near(slowed(ROW, 16384, 0), 1, 1e-12);
    check_near(slowed(ROW + 4096, 8192, 0), 1, 1e-12);
    check_near(slowed(0, 8192, 0), 1, 1e-12); /* all read the same */
}

static void what_is_no_copy_or_writes_is_not(void **state)
{
    check_near(slowed(ROW, 0, 0), 1, 1e-12);
    check_near(slowed(ROW, 8192, 1024), 1, 1e-12);
    check_near(slowed(ROW, 8192, 512), 1 + (1 / 0.95 - 1) / 3, 1e-12);
}

/* Rows of unequal length: blocks come out of step. */
static void unequal_blocks_are_not_in_step(void **state)
{
    struct fixture f;
    struct err err = {0};

    set_up(&f, ROW);
    assert_int_equal(footprint_mark(&f.blocks[1].read, BASE + ROW + 4096, 4096, &err), 0);
    check_near(rows_slowed(&f.machine, &f.traffic, &f.result, 8192), 1, 1e-12);
    tear_down(&f);
}

int main(void)
{
    return RUN_TESTS(rows_far_apart_are_slow_in_step, what_is_no_copy_or_writes_is_not,
                     unequal_blocks_are_not_in_step);
}
