#include "simulate_fixture.h"

#include "check.h"

struct sass fixture_plain(enum sass_op op, unsigned stall, unsigned waits)
{
    return (struct sass){.op = (uint16_t)op,
                         .sm = 90,
                         .guard = SASS_PT,
                         .control = {.stall = (uint8_t)stall,
                                     .write_barrier = SASS_NO_BARRIER,
                                     .read_barrier = SASS_NO_BARRIER,
                                     .wait_mask = (uint8_t)waits}};
}

struct sass fixture_load(enum sass_op op, enum sass_space space, unsigned sets)
{
    struct sass out = fixture_plain(op, 1, 0);

    out.control.write_barrier = (uint8_t)sets;
    out.access_count = 1;
    out.accesses[0] = (struct sass_access){.space = (uint8_t)space, .access = SASS_READS, .bytes = 4};
    return out;
}

void fixture_set_up(struct fixture *f, size_t count, unsigned warps)
{
    assert_int_equal(device_read(&f->device, "tests/data/devices/by-hand.json", NULL), 0);
    assert_int_equal(machine_init(&f->machine, &f->device, NULL), 0);
    for (size_t i = 0; i < count; i++)
        f->counts[i] = (struct traffic_count){.issued = 1, .waits = 1};
    f->sass = (struct sass_code){.instructions = f->code, .count = count, .sm = 90};
    f->traffic = (struct traffic){.counts = f->counts, .instruction_count = count};
    if (!f->path.count) {
        f->steps[0].count = (uint32_t)count;
        f->path.count = 1;
    }
    f->path.steps = f->steps;
    f->block = (struct emulate_block){.weight = 1, .warps = warps, .paths = f->paths};
    f->blocks[0] = &f->block;
    f->emulation = (struct emulate_result){.paths = &f->path, .path_count = 1};
}

int fixture_try(struct sm_cycles *out, struct fixture *f, unsigned blocks, bool waves,
                const atomic_bool *stop)
{
    struct sm_input in = {.code = &f->ops,
                          .machine = &f->machine,
                          .sass = &f->sass,
                          .traffic = &f->traffic,
                          .emulation = &f->emulation,
                          .blocks = f->blocks,
                          .block_count = f->blocks[1] ? 2 : 1,
                          .busy_sms = 132,
                          .slowed = f->slowed,
                          .replace_cycles = 100,
                          .partitions = 4,
                          .stop = stop};
    int rc;

    *out = (struct sm_cycles){0};
    assert_int_equal(replay_code_init(&f->ops, &f->machine, &f->sass, &f->traffic, f->block.warps, NULL), 0);
    rc = sm_simulate(out, &in, blocks, waves, NULL);
    replay_code_release(&f->ops);
    machine_release(&f->machine);
    device_release(&f->device);
    return rc;
}

struct sm_cycles fixture_simulate(struct fixture *f, unsigned blocks, bool waves)
{
    struct sm_cycles out;

    assert_int_equal(fixture_try(&out, f, blocks, waves, NULL), 0);
    return out;
}

void fixture_fill(struct fixture *f, size_t count, struct sass with)
{
    for (size_t i = 0; i + 1 < count; i++)
        f->code[i] = with;
    f->code[count - 1] = fixture_plain(SASS_EXIT, 5, 0);
}
