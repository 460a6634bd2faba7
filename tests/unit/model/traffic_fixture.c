#include "traffic_fixture.h"

#include "check.h"
#include "model/machine/assumptions.h"

struct sass fixture_access(enum sass_op op, unsigned how)
{
    struct sass out = {.op = (uint16_t)op, .sm = 90, .guard = SASS_PT, .access_count = 1};

    out.control.write_barrier = out.control.read_barrier = SASS_NO_BARRIER;
    out.accesses[0] = (struct sass_access){.space = SASS_SPACE_GLOBAL, .access = (uint8_t)how, .bytes = 4};
    return out;
}

struct emulate_count fixture_requests(unsigned requests, unsigned sectors, unsigned lines, unsigned passes)
{
    return (struct emulate_count){.issued = requests,
                                  .requests = requests,
                                  .lanes = 32 * requests,
                                  .bytes = 128 * requests,
                                  .sectors = sectors,
                                  .lines = lines,
                                  .passes = passes,
                                  .sectors_once = sectors,
                                  .lines_once = lines};
}

void fixture_set_up(struct fixture *f, unsigned stride)
{
    const uint64_t lines = stride >= 128 ? 32 : stride / 4, sectors = stride >= 32 ? 32 : stride;

    *f = (struct fixture){.code = {fixture_access(SASS_LDG, SASS_READS),
                                   fixture_access(SASS_LDG, SASS_READS),
                                   {.op = SASS_NOP, .sm = 90, .guard = SASS_PT},
                                   fixture_access(SASS_STG, SASS_WRITES)},
                          .counts = {fixture_requests(1, 4, 1, 1),
                                     fixture_requests(1, sectors, lines, lines),
                                     {0},
                                     fixture_requests(1, 4, 1, 1)},
                          .touches = {{.fresh = 4, .own = 4, .region = 1, .led = 1, .late = 1},
                                      {.fresh = sectors, .own = sectors, .region = 2, .led = 1, .late = 1},
                                      {0},
                                      {.fresh = 4, .own = 4, .region = 3, .led = 1, .late = 1}},
                          .regions = {{1 << 20, 15 << 20}, {1 << 24, 48 << 20}, {1 << 26, 256 << 20}}};
    f->sass = (struct sass_code){.instructions = f->code, .count = INSTRUCTIONS, .sm = 90};
    assert_int_equal(footprint_mark(&f->block.read, 1 << 20, 128, NULL), 0);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(footprint_mark(&f->block.read, (1 << 24) + lane * stride, 4, NULL), 0);
    assert_int_equal(footprint_mark(&f->block.written, 1 << 26, 128, NULL), 0);
    f->block.weight = 1000;
    f->block.warps = 1;
    f->block.counts = f->counts;
    f->block.touches = f->touches;
    f->block.paths = f->paths;
    f->steps[0].count = INSTRUCTIONS;
    f->ways[0] = (struct emulate_path){.steps = f->steps, .count = 1};
    f->ways[1] = (struct emulate_path){.steps = f->steps + 1, .count = 1};
    f->block.position[0] = 500;
    f->result = (struct emulate_result){.blocks = &f->block,
                                        .block_count = 1,
                                        .paths = f->ways,
                                        .path_count = 2,
                                        .instruction_count = INSTRUCTIONS,
                                        .regions = f->regions,
                                        .region_count = 3};
    f->arguments[0] = f->arguments[1] = (struct argument){
        .kind = ARGUMENT_BUFFER, .type = ELEMENT_FLOAT32, .count = 1u << 26, .role = ROLE_IN};
    f->arguments[2] = f->arguments[0];
    f->arguments[2].role = ROLE_OUT;
    f->launch = (struct launch){.grid = {1000, 1, 1},
                                .block = {32, 1, 1},
                                .carveout = -1,
                                .arguments = f->arguments,
                                .argument_count = 3};
    f->caches = (struct traffic_caches){.l1_bytes = 200e3,
                                        .l2_bytes = 50e6,
                                        .l2_holds = 50e6,
                                        .assumed = &assumptions_default,
                                        .loads_most = INFINITY,
                                        .schedulers = 4,
                                        .resident_blocks = 32,
                                        .sms = 10,
                                        .warm = false};
}

void fixture_tear_down(struct fixture *f, struct traffic *traffic)
{
    traffic_release(traffic);
    footprint_release(&f->block.read);
    footprint_release(&f->block.written);
}

struct traffic fixture_find(struct fixture *f)
{
    struct traffic traffic;

    assert_int_equal(traffic_of(&traffic, &f->sass, &f->result, &f->launch, &f->caches, NULL), 0);
    return traffic;
}
