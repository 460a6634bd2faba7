#include "uneven_grid.h"

#include "base/hash.h"
#include "model/machine/assumptions.h"

enum { MOST_BLOCKS = 600 };

const struct traffic_caches grid_caches = {.sms = 132,
                                           .resident_blocks = 8,
                                           .l1_bytes = 200 << 10,
                                           .l2_bytes = 50 << 20,
                                           .l2_holds = 50 << 20,
                                           .assumed = &assumptions_default};

unsigned draw(struct draws *draws, unsigned least, unsigned most)
{
    return least + (unsigned)(hash_random(draws->seed, draws->at++) % (most - least + 1));
}

void grid_compile(struct grid *g, const char *source, const char *name, const char *const *options,
                  size_t option_count)
{
    char path[80];
    const struct compile_request request = {.source_path = path,
                                            .name = name,
                                            .options = options,
                                            .option_count = option_count,
                                            .arch = "sm_90",
                                            .deadline_s = 120};

    snprintf(path, sizeof path, "tests/emulated/%s", source);
    compiled_open(&g->compiled, &request);
}

void grid_draw(struct grid *g, const char *name, struct draws *at, uint64_t out, uint64_t in)
{
    static const char *const lengths[] = {"5 + random(i) % 60", "i % 97",
                                          "8 if random(i) % 20 != 0 else 200"};
    struct err err = {0};

    launch_init(&g->launch);
    do {
        g->launch.grid[0] = draw(at, 1, draw(at, 0, 1) ? 8 : 200);
        g->launch.grid[1] = draw(at, 0, 1) ? draw(at, 1, 40) : 1;
        g->launch.grid[2] = draw(at, 0, 2) ? 1 : draw(at, 2, 12);
    } while (g->launch.grid[0] * g->launch.grid[1] * g->launch.grid[2] > MOST_BLOCKS);
    g->launch.block[0] = 32 * draw(at, 1, 3) - draw(at, 0, 1) * 5;
    g->step = (int32_t)draw(at, 1, 5);
    g->count = (int32_t)draw(at, 1, g->launch.grid[0] * g->launch.block[0] + 3);
    g->arguments[0] = buffer_of("out", ELEMENT_FLOAT32, out);
    g->arguments[1] = buffer_of("in", ELEMENT_FLOAT32, in);
    g->arguments[2] = buffer_of("length", ELEMENT_INT32, 4096);
    g->arguments[2].fill =
        (struct fill){.kind = FILL_EXPRESSION, .seed = at->at, .expression = strdup(lengths[draw(at, 0, 2)])};
    assert_non_null(g->arguments[2].fill.expression);
    g->arguments[3] = scalar_of(&g->count);
    g->arguments[4] = scalar_of(&g->step);
    g->launch.arguments = g->arguments;
    g->launch.argument_count = 5;
    ok(launch_prepare(&g->launch, &err), &err);
    snprintf(g->text, sizeof g->text, "%s, grid %u, %u, %u, block %u, count %d, step %d", name,
             g->launch.grid[0], g->launch.grid[1], g->launch.grid[2], g->launch.block[0], g->count, g->step);
}

void grid_set_lengths(struct grid *g, const char *expression)
{
    struct fill *fill = &g->arguments[2].fill;
    struct err err = {0};
    const uint64_t drawn = fill->seed;

    fill_release(fill);
    *fill = (struct fill){.kind = FILL_EXPRESSION, .seed = drawn, .expression = strdup(expression)};
    assert_non_null(fill->expression);
    ok(launch_prepare(&g->launch, &err), &err);
}

void grid_release_launch(struct grid *g)
{
    fill_release(&g->arguments[2].fill);
}

void grid_release(struct grid *g)
{
    compiled_close(&g->compiled);
}

void grid_run(struct emulate_result *out, const struct grid *g, bool whole, uint64_t budget)
{
    const struct emulate_options options = {
        .mode = EMULATE_SLICED, .deviations = assumptions_default.sample_deviations, .budget = budget};
    struct emulation *emulation;
    struct err err = {0};

    ok(emulation_open(&emulation, &g->compiled.cubin, g->compiled.kernel, &g->compiled.code, &g->launch,
                      &options, &err),
       &err);
    ok(whole ? emulate_grid(out, emulation, &err) : emulate_sample(out, emulation, 16, &err), &err);
    if (out->end != EMULATE_DONE && !budget)
        fail_msg("%s ended as %s: %s", g->text, emulate_end_text(out->end), out->reason);
    emulation_close(emulation);
}

void grid_unite(struct footprint *out, const struct footprint *from)
{
    struct err err = {0};

    ok(footprint_move(out, from, 0, UINT64_MAX, 0, &err), &err);
}

void grid_touched(struct footprint *read, struct footprint *written, const struct emulate_result *whole)
{
    *read = *written = (struct footprint){0};
    for (size_t b = 0; b < whole->block_count; b++) {
        grid_unite(read, &whole->blocks[b].read);
        grid_unite(written, &whole->blocks[b].written);
    }
}
