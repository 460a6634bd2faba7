#include "tuner/cli/cli.h"

#include "base/chart.h"
#include "base/file.h"
#include "model/sass/cubin.h"
#include "model/machine/occupancy.h"
#include "tuner/cli/choose.h"

#include <limits.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    {"device", 0, "NAME", "profile, its file, or an architecture (default sm_90)"},
    {"threads", 't', "N", "threads of a block (default 256)"},
    {"registers", 'r', "N", "registers of a thread (default: of the cubin, else they do not limit)"},
    {"shared", 's', "BYTES", "shared memory of a block (default: of the cubin, else 0)"},
    {"barriers", 0, "N", "named barriers of a block"},
    {"carveout", 0, "PERCENT", "share of the unified memory kept for shared memory"},
    {"blocks", 0, "N", "thread blocks of the grid: waves, tail and achieved occupancy"},
    {"kernel", 'k', "NAME", "which kernel of the cubin"},
    {"curves", 0, NULL, "print the three curves: warps against threads, registers, shared memory"},
    {"plot", 0, "FILE", "draw the three curves as SVG"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

struct calculation {
    struct device device;
    struct occupancy_block block;
    struct occupancy found;
    unsigned largest_block; /* that this many registers allow; 0 when they are not known */
    bool launchable;
    char refusal[128]; /* why it is not */
    uint64_t grid_blocks;
    struct waves waves;
};

static int take_cubin(struct occupancy_block *block, const char *path, const char *name, struct err *err)
{
    const struct cubin_kernel *kernel;
    struct cubin cubin;
    int rc = cubin_read(&cubin, path, err);

    if (rc)
        return rc;
    rc = cubin_find(&kernel, &cubin, name, err);
    if (!rc) {
        block->registers = kernel->resources.registers;
        block->shared = kernel->resources.shared_bytes;
        block->barriers = kernel->resources.barriers;
    }
    cubin_release(&cubin);
    return rc;
}

static int read_count(unsigned *out, const struct cli_args *args, const char *name, unsigned min,
                      unsigned max, struct err *err)
{
    uint64_t value = *out;
    int rc = cli_count(&value, args, name, min, max, err);

    *out = (unsigned)value;
    return rc;
}

static int read_block(struct occupancy_block *block, const struct cli_args *args, struct err *err)
{
    unsigned carveout = 0;

    *block = (struct occupancy_block){.threads = 256, .carveout = -1};
    if (cli_given(args, "kernel") && !args->word_count)
        return err_set(err, ERR_USAGE, "--kernel: name the cubin that holds it");
    if (args->word_count && take_cubin(block, args->words[0], cli_text(args, "kernel"), err))
        return ERR_FORMAT;
    if (read_count(&block->threads, args, "threads", 1, 1 << 20, err) ||
        read_count(&block->registers, args, "registers", 0, 1024, err) ||
        read_count(&block->shared, args, "shared", 0, 1 << 30, err) ||
        read_count(&block->barriers, args, "barriers", 0, 16, err) ||
        read_count(&carveout, args, "carveout", 0, 100, err))
        return ERR_USAGE;
    if (cli_given(args, "carveout"))
        block->carveout = (int)carveout;
    return 0;
}

static const char *const axis_names[] = {[OCCUPANCY_THREADS] = "threads",
                                         [OCCUPANCY_REGISTERS] = "registers",
                                         [OCCUPANCY_SHARED] = "shared_bytes"};

static void put_curves(FILE *out, const struct calculation *c)
{
    struct occupancy_point points[OCCUPANCY_POINTS];
    size_t n;

    for (int axis = OCCUPANCY_THREADS; axis <= OCCUPANCY_SHARED; axis++) {
        n = occupancy_curve(points, &c->device.limits, &c->block, (enum occupancy_axis)axis);
        fprintf(out, "\n%s warps\n", axis_names[axis]);
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%u %u\n", points[i].x, points[i].warps);
    }
}

/* One curve as a chart, with a mark where the kernel stands. */
static int draw_curve(FILE *out, const struct calculation *c, enum occupancy_axis axis, struct err *err)
{
    static const char *const labels[] = {[OCCUPANCY_THREADS] = "threads of a block",
                                         [OCCUPANCY_REGISTERS] = "registers of a thread",
                                         [OCCUPANCY_SHARED] = "shared memory of a block"};
    const unsigned here[] = {[OCCUPANCY_THREADS] = c->block.threads,
                             [OCCUPANCY_REGISTERS] = c->block.registers,
                             [OCCUPANCY_SHARED] = c->block.shared};
    struct occupancy_point points[OCCUPANCY_POINTS];
    double x[OCCUPANCY_POINTS], y[OCCUPANCY_POINTS];
    const size_t n = occupancy_curve(points, &c->device.limits, &c->block, axis);
    const struct chart_series series = {NULL, CHART_STEP, x, y, n};
    const struct chart_mark mark = {here[axis], "here"};
    const struct chart chart = {.title = c->device.name,
                                .x_label = labels[axis],
                                .y_label = "resident warps",
                                .x_bytes = axis == OCCUPANCY_SHARED,
                                .series = &series,
                                .series_count = 1,
                                .marks = &mark,
                                .mark_count = here[axis] > 0};
    char *svg;
    int rc;

    for (size_t i = 0; i < n; i++) {
        x[i] = points[i].x;
        y[i] = points[i].warps;
    }
    rc = chart_svg(&svg, &chart, err);
    if (rc)
        return rc;
    fprintf(out, "<g transform=\"translate(0 %d)\">%s</g>\n", (int)axis * CHART_HEIGHT, svg);
    free(svg);
    return 0;
}

/* The three charts below each other. */
static int draw_curves(const char *path, const struct calculation *c, struct err *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int axis, rc = out ? 0 : err_memory(err);

    if (rc)
        return rc;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n", CHART_WIDTH,
            3 * CHART_HEIGHT);
    for (axis = OCCUPANCY_THREADS; axis <= OCCUPANCY_SHARED && !rc; axis++)
        rc = draw_curve(out, c, (enum occupancy_axis)axis, err);
    fprintf(out, "</svg>\n");
    if (file_close_memory(out, &text, err) && !rc)
        rc = ERR_MEMORY;
    if (!rc)
        rc = file_write(path, text, size, err);
    free(text);
    return rc;
}

static void put_limits(FILE *out, const struct calculation *c)
{
    fprintf(out, "  blocks allowed by  ");
    for (int l = LIMITER_WARPS; l < LIMITER_COUNT; l++)
        if (c->found.limits[l] != UINT_MAX)
            fprintf(out, " %s %u", limiter_text((enum limiter)l), c->found.limits[l]);
    fprintf(out, "\n");
}

static void put_text(FILE *out, const struct calculation *c)
{
    fprintf(out, "%s: %u threads, %u registers, %u bytes of shared memory\n", c->device.name,
            c->block.threads, c->block.registers, c->block.shared);
    fprintf(out, "  occupancy           %.4g %%: %u of %llu warps, %u blocks per SM\n", c->found.share * 100,
            c->found.warps, (unsigned long long)c->device.limits.warps_per_sm, c->found.blocks);
    fprintf(out, "  limited by          %s\n", limiter_text(c->found.limiter));
    put_limits(out, c);
    if (!c->launchable)
        fprintf(out, "  warning: cannot be launched: %s\n", c->refusal);
    if (c->largest_block)
        fprintf(out, "  largest block       %u threads at %u registers\n", c->largest_block,
                c->block.registers);
    fprintf(out, "  lanes in use        %.4g %%\n", c->found.lanes * 100);
    if (c->found.lanes < 1)
        fprintf(out, "  warning: the last warp of a block is part filled: %.4g %% of the lanes do nothing\n",
                100 - c->found.lanes * 100);
    if (c->found.carveout || c->found.l1)
        fprintf(out, "  carve-out           %llu bytes of shared memory, %llu left to L1\n",
                (unsigned long long)c->found.carveout, (unsigned long long)c->found.l1);
    if (c->grid_blocks)
        fprintf(out, "  waves               %llu full, %llu blocks in the last; achieved occupancy %.4g %%\n",
                (unsigned long long)c->waves.full, (unsigned long long)c->waves.tail,
                c->waves.achieved * 100);
}

static struct json *limits_json(const struct occupancy *found)
{
    struct json *object = js_new_object();
    int l, failed = !object;

    for (l = LIMITER_WARPS; l < LIMITER_COUNT && !failed; l++)
        if (found->limits[l] != UINT_MAX)
            failed = js_set_integer(object, limiter_text((enum limiter)l), found->limits[l]);
    return js_unless(failed, object);
}

static struct json *curves_json(const struct calculation *c)
{
    struct occupancy_point points[OCCUPANCY_POINTS];
    struct json *object = js_new_object(), *list, *point;
    size_t n;
    int axis, failed = !object;

    for (axis = OCCUPANCY_THREADS; axis <= OCCUPANCY_SHARED && !failed; axis++) {
        n = occupancy_curve(points, &c->device.limits, &c->block, (enum occupancy_axis)axis);
        list = js_new_array();
        for (size_t i = 0; i < n && list && !failed; i++) {
            point = js_new_array();
            failed = !point || js_append(point, js_new_integer(points[i].x)) ||
                     js_append(point, js_new_integer(points[i].warps)) || js_append(list, point);
        }
        failed |= js_set(object, axis_names[axis], list);
    }
    return js_unless(failed, object);
}

static struct json *waves_json(const struct waves *waves)
{
    struct json *object = js_new_object();

    return js_unless(js_set_integer(object, "full", (int64_t)waves->full) |
                         js_set_integer(object, "tail", (int64_t)waves->tail) |
                         js_set_real(object, "fill", waves->fill) |
                         js_set_real(object, "achieved", waves->achieved),
                     object);
}

static struct json *result_json(const struct calculation *c, bool curves)
{
    struct json *object = js_new_object();

    return js_unless(
        js_set_string(object, "device", c->device.name) |
            js_set_integer(object, "threads", c->block.threads) |
            js_set_integer(object, "registers", c->block.registers) |
            js_set_integer(object, "shared_bytes", c->block.shared) |
            js_set_integer(object, "blocks_per_sm", c->found.blocks) |
            js_set_integer(object, "warps_per_sm", c->found.warps) |
            js_set_real(object, "occupancy", c->found.share) | js_set_real(object, "lanes", c->found.lanes) |
            js_set_string(object, "limiter", limiter_text(c->found.limiter)) |
            js_set_bool(object, "launchable", c->launchable) |
            js_set(object, "blocks_allowed_by", limits_json(&c->found)) |
            js_set_integer(object, "shared_allocated_bytes", (int64_t)c->found.shared_allocated) |
            js_set_integer(object, "carveout_bytes", (int64_t)c->found.carveout) |
            js_set_integer(object, "l1_bytes", (int64_t)c->found.l1) |
            (c->largest_block ? js_set_integer(object, "largest_block", c->largest_block) : 0) |
            (c->grid_blocks ? js_set(object, "waves", waves_json(&c->waves)) : 0) |
            (curves ? js_set(object, "curves", curves_json(c)) : 0),
        object);
}

/* What the rule of the tuner would say of a launch of such a block. */
static void check_launch(struct calculation *c)
{
    const struct occupancy_block *block = &c->block;
    const struct launch launch = {
        .grid = {1, 1, 1}, .block = {block->threads, 1, 1}, .shared_bytes = block->shared, .carveout = -1};
    const struct cubin_resources resources = {.registers = block->registers, .barriers = block->barriers};

    c->launchable =
        occupancy_launchable(c->refusal, sizeof c->refusal, &c->device.limits, &launch, &resources);
}

static int calculate(struct calculation *c, const struct cli_args *args, struct err *err)
{
    int rc = choose_device(&c->device, cli_given(args, "device") ? cli_text(args, "device") : "sm_90", err);

    if (!rc)
        rc = device_need_occupancy(&c->device, err);
    if (!rc)
        rc = read_block(&c->block, args, err);
    if (!rc)
        rc = cli_count(&c->grid_blocks, args, "blocks", 1, INT64_MAX, err);
    if (!rc && c->grid_blocks && !c->device.limits.sm_count)
        rc = err_set(err, ERR_USAGE, "--blocks: %s does not say how many SMs there are: name a device",
                     c->device.name);
    if (rc)
        return rc;
    occupancy_of(&c->found, &c->device.limits, &c->block);
    check_launch(c);
    if (c->block.registers)
        c->largest_block = occupancy_largest_block(&c->device.limits, c->block.registers);
    if (c->grid_blocks)
        occupancy_waves(&c->waves, &c->found, c->device.limits.sm_count, c->grid_blocks);
    return 0;
}

static int run_occupancy(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct calculation c = {0};
    int rc;

    device_init(&c.device);
    rc = cli_check_output(args, "plot", NULL, err);
    if (!rc)
        rc = calculate(&c, args, err);
    if (!rc && cli_given(args, "plot"))
        rc = draw_curves(cli_text(args, "plot"), &c, err);
    if (!rc && cli_given(args, "json")) {
        rc = cli_print_json(cli, result_json(&c, cli_given(args, "curves")), err);
    } else if (!rc) {
        put_text(cli->out, &c);
        if (cli_given(args, "curves"))
            put_curves(cli->out, &c);
    }
    device_release(&c.device);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_occupancy = {
    "occupancy", "[CUBIN]", "how many warps an SM holds, and what limits them", options, 0, 1, run_occupancy};
