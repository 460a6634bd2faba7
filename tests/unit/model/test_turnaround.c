#include "check.h"

#include "model/memory/turnaround.h"

/* The GPU of by-hand.json, which reads at 4.3 TB/s and copies at 4.2, but writes at 4.4. */
struct fixture {
    struct device device;
    struct machine machine;
};

static void set_up(struct fixture *f)
{
    static const double bytes[] = {16, 64}, wide[] = {4.2e12, 4.1e12};
    static const double elements[] = {1, 4, 16}, narrow[] = {2e12, 4.1e12, 4.0e12};
    struct err err = {0};

    assert_int_equal(device_read(&f->device, "tests/data/devices/by-hand.json", NULL), 0);
    assert_int_equal(
        device_curve_set(&f->device.curves[DEVICE_CURVE_DRAM_COPY_BURST], bytes, wide, 2, "a test", &err), 0);
    assert_int_equal(
        device_curve_set(&f->device.curves[DEVICE_CURVE_COPY_UNROLLED], elements, narrow, 3, "a test", &err),
        0);
    f->device.values[DEVICE_DRAM_WRITE].sustained = 4.4e12;
    f->device.values[DEVICE_DRAM_COPY_EVICT_FIRST] = (struct device_value){true, 4.0e12, 4.0e12, 0, "a test"};
    f->device.values[DEVICE_DRAM_COPY_PAST_L1] = (struct device_value){true, 4.15e12, 4.15e12, 0, "a test"};
    assert_int_equal(machine_init(&f->machine, &f->device, NULL), 0);
}

static void tear_down(struct fixture *f)
{
    machine_release(&f->machine);
    device_release(&f->device);
}

/* Bytes a second that the model has DRAM move; `burst` is of a thread. */
static double rate(const struct fixture *f, struct traffic traffic, double burst)
{
    const struct capacity *gpu = f->machine.capacities.sustained;

    traffic.bursts.bytes = 32 * burst;
    return (traffic.dram.read + traffic.dram.written) * f->machine.capacities.clock_hz /
           (traffic.dram.read / gpu[RESOURCE_DRAM_READ].per_gpu +
            traffic.dram.written * turnaround_cost(&f->machine, &traffic) / gpu[RESOURCE_DRAM_WRITE].per_gpu);
}

static void copies_go_as_measured(void **state)
{
    const struct traffic copy = {.dram.read = 128, .dram.written = 128};
    struct traffic narrow = copy, half = copy, first = copy, past = copy;
    struct fixture f;

    set_up(&f);
    narrow.bursts.narrow = first.bursts.evict_first = past.bursts.past_l1 = 1;
    half.bursts.narrow = 0.5;
    check_near(rate(&f, copy, 16), 4.2e12, 1e6);
    check_near(rate(&f, copy, 64), 4.1e12, 1e6);
    check_near(rate(&f, copy, 1000), 4.1e12, 1e6); /* beyond what was measured as its end */
    check_near(rate(&f, narrow, 64), 4.0e12, 1e6);
    check_near(rate(&f, narrow, 4), 4.1e12, 1e6); /* what too few threads lose is not DRAM's */
    assert_true(rate(&f, half, 64) < 4.1e12 && rate(&f, half, 64) > 4.0e12);
    check_near(rate(&f, first, 64), 4.0e12, 1e6);
    check_near(rate(&f, past, 64), 4.15e12, 1e6);
    tear_down(&f);
}

static void reads_beside_writes_decide(void **state)
{
    const struct traffic copy = {.dram.read = 128, .dram.written = 128},
                         reads = {.dram.read = 128 * 1000, .dram.written = 128},
                         writes = {.dram.read = 32, .dram.written = 128}, only = {.dram.written = 128};
    struct fixture f;
    double write_s, turn_s;

    set_up(&f);
    write_s = 1 / device_sustained(&f.device, DEVICE_DRAM_WRITE);
    turn_s = 2 / 4.2e12 - 1 / 4.3e12 - write_s;
    check_near(turnaround_cost(&f.machine, &copy), 1, 1e-9);
    check_near(turnaround_cost(&f.machine, &writes), 1, 1e-9);
    check_near(turnaround_cost(&f.machine, &reads), (write_s + 2 * turn_s) / (write_s + turn_s), 1e-3);
    check_near(turnaround_cost(&f.machine, &only), write_s / (write_s + turn_s), 1e-9);
    tear_down(&f);
}

static void lone_lines_cost_more_to_write(void **state)
{
    static const double x[] = {128, 256}, y[] = {4.4e12 / 1.5, 4.4e12 / 1.1};
    const struct traffic only = {.dram.written = 128}, half = {.dram.written = 128, .dram.written_lone = 64};
    struct fixture f;

    set_up(&f);
    assert_int_equal(
        device_curve_set(&f.device.curves[DEVICE_CURVE_DRAM_WRITE_PIECES], x, y, 2, "a test", NULL), 0);
    check_near(turnaround_cost(&f.machine, &half), 1.2 * turnaround_cost(&f.machine, &only), 1e-9);
    tear_down(&f);
}

static void what_is_not_measured_makes_no_difference(void **state)
{
    const struct traffic copy = {.dram.read = 128,
                                 .dram.written = 128,
                                 .bursts = {.bytes = 9999, .narrow = 0.3, .evict_first = 1, .past_l1 = 1}};
    const struct traffic none = {.dram.read = 128};
    struct fixture f;

    set_up(&f);
    check_near(turnaround_cost(&f.machine, &none), 1, 0);
    f.device.curves[DEVICE_CURVE_DRAM_COPY_BURST].count = 0;
    f.device.curves[DEVICE_CURVE_COPY_UNROLLED].count = 0;
    f.device.values[DEVICE_DRAM_COPY_EVICT_FIRST].known = false;
    f.device.values[DEVICE_DRAM_COPY_PAST_L1].known = false;
    check_near(turnaround_cost(&f.machine, &copy), 1, 1e-9);
    f.device.values[DEVICE_DRAM_COPY].known = false;
    check_near(turnaround_cost(&f.machine, &copy), 1, 0);
    tear_down(&f);
}

/* 128 bytes added to, which are read and written, beside three times as many that are only read. */
static void additions_cost_less_among_reads(void **state)
{
    struct traffic traffic = {.dram = {.read = 128, .written = 128, .added = 128}};
    struct fixture f;
    double beyond;

    set_up(&f);
    f.device.values[DEVICE_DRAM_ADD] = (struct device_value){true, 1.3e12, 1.3e12, 0, "a test"};
    beyond = 128 * machine_added_beyond(&f.machine);
    assert_true(beyond > 0);
    check_near(turnaround_added(&f.machine, &traffic), beyond, 1e-9);
    traffic.dram.added_copied = 128;
    check_near(turnaround_added(&f.machine, &traffic), 0.7 * beyond, 1e-9);
    traffic.dram.read = 4 * 128;
    check_near(turnaround_added(&f.machine, &traffic), 0.7 * beyond / 4, 1e-9);
    traffic.dram.added_copied = 64;
    check_near(turnaround_added(&f.machine, &traffic), (0.7 / 4 + (1 + 0.25) / 2) * beyond / 2, 1e-9);
    traffic.dram.added = traffic.dram.added_copied = 0;
    check_near(turnaround_added(&f.machine, &traffic), 0, 0);
    tear_down(&f);
}

int main(void)
{
    return RUN_TESTS(copies_go_as_measured, reads_beside_writes_decide, additions_cost_less_among_reads,
                     lone_lines_cost_more_to_write, what_is_not_measured_makes_no_difference);
}
