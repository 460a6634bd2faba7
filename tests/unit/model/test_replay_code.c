#include "check.h"

#include "model/warp/replay_code.h"

/* A little code with one warp's counts, on the profile written by hand: LDS 29, L1 38, L2 270, DRAM 680. */
enum { MOST = 8 };

struct fixture {
    struct device device;
    struct machine machine;
    struct sass code[MOST];
    struct traffic_count counts[MOST];
    struct sass_code sass;
    struct traffic traffic;
    struct replay_code ops;
};

static struct sass instruction(enum sass_op op, unsigned stall, unsigned sets, unsigned waits)
{
    return (struct sass){.op = (uint16_t)op,
                         .sm = 90,
                         .guard = SASS_PT,
                         .control = {.stall = (uint8_t)stall,
                                     .write_barrier = (uint8_t)sets,
                                     .read_barrier = SASS_NO_BARRIER,
                                     .wait_mask = (uint8_t)waits}};
}

static struct sass access(enum sass_op op, enum sass_space space, unsigned stall, unsigned sets)
{
    struct sass out = instruction(op, stall, sets, 0);

    out.access_count = 1;
    out.accesses[0] = (struct sass_access){.space = (uint8_t)space, .access = SASS_READS, .bytes = 4};
    return out;
}

static void set_up(struct fixture *f, size_t count)
{
    assert_int_equal(device_read(&f->device, "tests/data/devices/by-hand.json", NULL), 0);
    assert_int_equal(machine_init(&f->machine, &f->device, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        f->code[i].pc = (uint32_t)(i * SASS_BYTES);
        f->counts[i] = (struct traffic_count){
            .issued = 1, .requests = 1, .sectors = 4, .lines = 1, .wavefronts = 1, .waits = 1};
    }
    f->sass = (struct sass_code){.instructions = f->code, .count = count, .sm = 90};
    f->traffic = (struct traffic){.counts = f->counts, .instruction_count = count};
}

static void tear_down(struct fixture *f)
{
    replay_code_release(&f->ops);
    machine_release(&f->machine);
    device_release(&f->device);
}

static double replay(struct fixture *f, struct emulate_step *steps, size_t count,
                     struct replay_account *account)
{
    const struct emulate_path path = {.steps = steps, .count = count};
    struct replay warp;

    assert_int_equal(replay_code_init(&f->ops, &f->machine, &f->sass, &f->traffic, 4, NULL), 0);
    assert_int_equal(replay_path(&warp, &f->ops, &path, account, NULL), 0);
    return warp.last;
}

/* LDG misses L1 and hits L2: 270 cycles and 3 further sectors of 1; then FADD, 4 cycles, EXIT. */
static void a_load_is_waited_for(void **state)
{
    struct fixture f = {.code = {access(SASS_LDG, SASS_SPACE_GLOBAL, 2, 0), instruction(SASS_FADD, 4, 7, 1),
                                 instruction(SASS_EXIT, 5, 7, 0)}};
    struct emulate_step steps[] = {{.count = 3}};
    struct replay_account account;

    set_up(&f, 3);
    assert_int_equal(replay_account_init(&account, 3, NULL), 0);
    check_near(replay(&f, steps, 1, &account), 273 + 4, 1e-9);
    check_near(account.blamed[0], 271, 1e-9); /* 273 less the stall of 2 */
    check_near(account.waited[1], 271, 1e-9);
    replay_account_release(&account);
    tear_down(&f);
}

static void the_level_makes_the_latency(void **state)
{
    struct fixture f = {.code = {access(SASS_LDG, SASS_SPACE_GLOBAL, 2, 0), instruction(SASS_EXIT, 5, 7, 1)}};
    struct emulate_step steps[] = {{.count = 2}};

    set_up(&f, 2);
    f.counts[0].waits = 0.5;
    f.counts[0].waits_dram = 0.75;
    check_near(replay(&f, steps, 1, NULL), 0.5 * 38 + 0.5 * (0.25 * 270 + 0.75 * 680) + 3, 1e-9);
    replay_code_release(&f.ops);
    f.counts[0].waits = 1;
    check_near(replay(&f, steps, 1, NULL), 0.25 * 270 + 0.75 * 680 + 3, 1e-9);
    tear_down(&f);
}

/* A load of which every lane is off brings nothing (off_latency among the assumptions); of half of them the mean, but where warps
 * meet they wait for those that load. */
static void lanes_that_are_off_wait_for_nothing(void **state)
{
    static const struct {
        double requests;
        bool meets;
        double cycles;
    } cases[] = {{0, false, 24}, {0, true, 24}, {0.5, false, (680 + 24) / 2.}, {0.5, true, 680}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f = {.code = {access(SASS_LDG, SASS_SPACE_GLOBAL, 2, 0),
                                     instruction(SASS_EXIT, 5, 7, 1), instruction(SASS_BAR, 2, 7, 0)}};
        struct emulate_step steps[] = {{.count = 2}};

        set_up(&f, 3);
        f.counts[0] = (struct traffic_count){.issued = 1,
                                             .requests = cases[c].requests,
                                             .sectors = cases[c].requests,
                                             .waits = 1,
                                             .waits_dram = 1};
        f.counts[2].issued = cases[c].meets;
        check_near(replay(&f, steps, 1, NULL), cases[c].cycles, 1e-9);
        tear_down(&f);
    }
}

static void bank_conflicts_lengthen_the_latency(void **state)
{
    struct fixture f = {.code = {access(SASS_LDS, SASS_SPACE_SHARED, 2, 0), instruction(SASS_EXIT, 5, 7, 1)}};
    struct emulate_step steps[] = {{.count = 2}};

    set_up(&f, 2);
    f.counts[0].wavefronts = 8;
    check_near(replay(&f, steps, 1, NULL), 29 + 7 * 2, 1e-9);
    tear_down(&f);
}

/* Each further value that a match has to look for takes 11 cycles. */
static void values_lengthen_a_match(void **state)
{
    struct fixture f = {.code = {instruction(SASS_MATCH, 2, 0, 0), instruction(SASS_EXIT, 5, 7, 1)}};
    struct emulate_step steps[] = {{.count = 2}};
    double one;

    set_up(&f, 2);
    one = replay(&f, steps, 1, NULL);
    replay_code_release(&f.ops);
    f.counts[0].wavefronts = 4;
    check_near(replay(&f, steps, 1, NULL), one + 3 * 11, 1e-9);
    tear_down(&f);
}

/* LDGSTS, commit into SB0, DEPBAR waits until none is left, BAR of four warps: 23 cycles. */
/* Where lanes come together again the warp waits, whatever its control field says. */
static void reconvergence_takes_time(void **state)
{
    struct fixture f = {.code = {instruction(SASS_FADD, 4, 7, 0), instruction(SASS_BSYNC, 5, 7, 0),
                                 instruction(SASS_EXIT, 5, 7, 0)}};
    struct emulate_step steps[] = {{.count = 3}};

    set_up(&f, 3);
    check_near(replay(&f, steps, 1, NULL), 4 + 13, 1e-9);
    tear_down(&f);
}

static void an_asynchronous_copy_and_a_barrier(void **state)
{
    struct fixture f = {.code = {access(SASS_LDGSTS, SASS_SPACE_GLOBAL, 2, 7),
                                 instruction(SASS_LDGDEPBAR, 1, 0, 0), instruction(SASS_DEPBAR, 1, 7, 0),
                                 instruction(SASS_BAR, 1, 7, 0), instruction(SASS_EXIT, 5, 7, 0)}};
    struct emulate_step steps[] = {{.count = 5}};

    f.code[2].source_count = 2;
    f.code[2].sources[0] = (struct sass_operand){.kind = SASS_SCOREBOARD, .index = 0};
    f.code[2].sources[1] = (struct sass_operand){.kind = SASS_IMMEDIATE, .value = 0};
    set_up(&f, 5);
    check_near(replay(&f, steps, 1, NULL), 273 + 1 + 23, 1e-9);
    tear_down(&f);
}

/* FADD, then a branch back, 1000 times, then EXIT: 4 and the taken branch's 10 cycles a pass. */
static void a_loop_is_extrapolated(void **state)
{
    struct fixture f = {.code = {instruction(SASS_FADD, 4, 7, 0), instruction(SASS_BRA, 5, 7, 0),
                                 instruction(SASS_EXIT, 5, 7, 0)}};
    struct emulate_step steps[] = {{.body = 1, .repeats = 1000}, {.count = 2}, {.first = 2, .count = 1}};

    set_up(&f, 3);
    check_near(replay(&f, steps, 3, NULL), 14000, 6);
    tear_down(&f);
}

static void a_missing_latency_names_the_instruction(void **state)
{
    struct fixture f = {.code = {instruction(SASS_FADD, 4, 7, 0), access(SASS_LDS, SASS_SPACE_SHARED, 2, 0)}};
    struct err err = {0};

    set_up(&f, 2);
    f.device.values[DEVICE_SHARED_LATENCY].known = false;
    assert_int_equal(replay_code_init(&f.ops, &f.machine, &f.sass, &f.traffic, 4, &err), ERR_MISSING);
    assert_int_equal(f.ops.missing_pc, 0x10);
    assert_non_null(strstr(err.text, "0x10, LDS"));
    assert_non_null(strstr(err.text, "shared_latency"));
    tear_down(&f);
}

static void a_path_that_was_not_kept_is_refused(void **state)
{
    struct fixture f = {.code = {instruction(SASS_EXIT, 5, 7, 0)}};
    const struct emulate_path path = {.cut = true};
    struct replay warp;

    set_up(&f, 1);
    assert_int_equal(replay_code_init(&f.ops, &f.machine, &f.sass, &f.traffic, 1, NULL), 0);
    assert_int_equal(replay_path(&warp, &f.ops, &path, NULL, NULL), ERR_MISSING);
    tear_down(&f);
}

int main(void)
{
    return RUN_TESTS(a_load_is_waited_for, the_level_makes_the_latency, lanes_that_are_off_wait_for_nothing,
                     bank_conflicts_lengthen_the_latency, values_lengthen_a_match, reconvergence_takes_time,
                     an_asynchronous_copy_and_a_barrier, a_loop_is_extrapolated,
                     a_missing_latency_names_the_instruction, a_path_that_was_not_kept_is_refused);
}
