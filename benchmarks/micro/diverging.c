/* Diverging loads: what each further sector or line of a request costs.
 *
 * Isolates: one 4-byte load whose lanes lie in 1 to 32 lines of L1, every lane in a bank of its own (1, 2 or
 * 4 sectors a line) or all in one bank; the same by the read-only path; and past L1 lanes 4 to 128 bytes
 * apart, which L2 answers. Latency with one warp hitting L1, lanes 8, 32 and 128 bytes apart.
 *
 * Unit: cycles per request and SM.
 *
 * Expected: as long as banks are distinct the tags set the time, in proportion to the lines; lanes in one
 * bank of different lines take a cycle each. Fully diverging against coalesced throughput is worse than the
 * ratio of their bytes, which is 8 (Volkov saw 28 to 33 and 56).
 *
 * Profile: l1_request, l1_sector, l1_line, sector_latency, line_latency; curves l1_lines_*, readonly_lines_*,
 * sectors_l2. */
#include "micro/micro.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum { PASSES = 32, LENGTH = 8, THREADS = 512, STEPS = 64, POINTS_MAX = 8 };

/* Where the lanes of a request lie: `group` in a row share a line, there are `lines` of those, and a lane
 * lies lane * lane_bytes behind the beginning of its line. Warps begin warp_bytes apart in a window. */
struct request {
    double x; /* of the curve */
    unsigned group, lines, lane_bytes;
};
struct requests {
    const char *load;
    uint64_t warp_bytes, window;
    size_t count;
    struct request points[POINTS_MAX];
};

static int compile_diverging(struct micro_code *out, const struct micro *micro, const char *load,
                             struct err *err)
{
    char option[64];
    const struct micro_kernel kernel = {
        .file = "diverging.cu",
        .name = "diverging",
        .options = {option, "-DLENGTH=8"},
        .body = {.parts = "- | LDG*8",
                 .bookkeeping = MICRO_LOOP " LOP3 R2UR IMAD LEA",
                 .bytes_max = BODY_CACHE},
    };

    snprintf(option, sizeof option, "-DLOAD_PTX=\"%s\"", load);
    return micro_compile(out, micro, &kernel, err);
}

static int run_request(double *cycles, const struct micro *micro, const struct micro_code *code,
                       const struct requests *all, const struct request *request, struct err *err)
{
    struct device_value rate;
    struct call call;
    int rc;

    call_init(&call, micro->sms, THREADS, 0);
    call_in(&call, "data", (all->window + LENGTH * 4096 + 8192) / 4);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    call_unsigned(&call, request->group);
    call_unsigned(&call, request->lines);
    call_unsigned(&call, request->lane_bytes);
    call_long(&call, all->warp_bytes);
    call_long(&call, all->window);
    call_unsigned(&call, 0);
    rc = micro_rate(&rate, micro, code, &call, PASSES * LENGTH, 1, "diverging", err);
    *cycles = rc ? 0 : 1 / rate.sustained;
    return rc;
}

/* Cycles per request and SM, also as a curve. The loads of a pass lie 4 KB apart. */
static int throughput(double cycles[POINTS_MAX], const struct micro *micro, enum device_curve_id id,
                      const struct requests *all, struct err *err)
{
    double x[POINTS_MAX];
    struct micro_code code;
    int rc = compile_diverging(&code, micro, all->load, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < all->count; i++) {
        x[i] = all->points[i].x;
        rc = run_request(&cycles[i], micro, &code, all, &all->points[i], err);
    }
    micro_code_release(&code);
    return rc ? rc : device_curve_set(&micro->device->curves[id], x, cycles, all->count, "diverging", err);
}

/* The four shapes of requests to L1. With every lane at 4 bytes from the one before no two share a bank;
 * `group` says how many sectors of a line they then touch. */
enum { ONE_SECTOR, TWO_SECTORS, FOUR_SECTORS, ONE_BANK, SHAPES };
static const struct requests shapes[SHAPES] = {
    {NULL, 0, 4096, 4, {{4, 8, 4, 4}, {8, 4, 8, 4}, {16, 2, 16, 4}, {32, 1, 32, 4}}},
    {NULL, 0, 4096, 4, {{2, 16, 2, 4}, {4, 4, 4, 4}, {8, 2, 8, 4}, {16, 1, 16, 4}}},
    {NULL, 0, 4096, 4, {{1, 32, 1, 4}, {2, 1, 2, 4}, {4, 1, 4, 4}, {8, 1, 8, 4}}},
    {NULL,
     0,
     4096,
     6,
     {{1, 32, 1, 0}, {2, 16, 2, 0}, {4, 8, 4, 0}, {8, 4, 8, 0}, {16, 2, 16, 0}, {32, 1, 32, 0}}},
};

static int against_lines(double cycles[SHAPES][POINTS_MAX], const struct micro *micro, const char *load,
                         enum device_curve_id first, struct err *err)
{
    int rc = 0;

    for (int shape = 0; rc == 0 && shape < SHAPES; shape++) {
        struct requests requests = shapes[shape];

        if (!micro->full && (shape == TWO_SECTORS || shape == ONE_BANK))
            continue; /* people read their curves */
        requests.load = load;
        rc = throughput(cycles[shape], micro, (enum device_curve_id)(first + shape), &requests, err);
    }
    return rc;
}

static void set_slope(struct device_value *out, double from, double to, double steps)
{
    *out = (struct device_value){.known = true};
    out->sustained = out->best = to > from ? (to - from) / steps : 0;
    snprintf(out->origin, sizeof out->origin, "diverging");
}

static int l1(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    double cycles[SHAPES][POINTS_MAX];
    int rc = against_lines(cycles, micro, "ld.global.u32", DEVICE_CURVE_L1_LINES_1, err);

    if (rc)
        return rc;
    set_slope(&values[DEVICE_L1_REQUEST], 0, cycles[FOUR_SECTORS][0], 1);
    set_slope(&values[DEVICE_L1_LINE], cycles[ONE_SECTOR][1], cycles[ONE_SECTOR][3], 32 - 8);
    set_slope(&values[DEVICE_L1_SECTOR], cycles[ONE_SECTOR][1], cycles[FOUR_SECTORS][3], 32 - 8);
    return 0;
}

static int read_only(const struct micro *micro, struct err *err)
{
    double cycles[SHAPES][POINTS_MAX];

    return against_lines(cycles, micro, "ld.global.nc.u32", DEVICE_CURVE_READONLY_LINES_1, err);
}

/* Equal counts of sectors in more lines stand a hair to the right. */
static int l2(const struct micro *micro, struct err *err)
{
    static const struct requests apart = {"ld.global.cg.u32",
                                          36864,
                                          16 << 20,
                                          6,
                                          {{4, 32, 1, 4},
                                           {8, 32, 1, 8},
                                           {16, 32, 1, 16},
                                           {32, 32, 1, 32},
                                           {32.0625, 32, 1, 64},
                                           {32.125, 32, 1, 128}}};
    double cycles[POINTS_MAX];

    return throughput(cycles, micro, DEVICE_CURVE_SECTORS_L2, &apart, err);
}

static int latency_of(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                      unsigned spread, struct err *err)
{
    struct call call;

    call_init(&call, micro->sms, LANES, 0);
    call_zeros(&call, "words", ROLE_OUT, (uint64_t)micro->sms * 32 * 256 / 4);
    call_samples(&call, micro);
    call_unsigned(&call, spread);
    return micro_latency(out, micro, code, &call, STEPS, "diverging chase", err);
}

static int latency(const struct micro *micro, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "diverging.cu",
        .name = "diverging_chase",
        .options = {"-DLENGTH=8", "-DLOAD_PTX=\"ld.global.u32\""},
        .body = {.parts = "LDG*64", .dependent = true, .bytes_max = BODY_CACHE},
    };
    struct device_value *values = micro->device->values, together, apart, lines;
    struct micro_code code;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    rc = latency_of(&together, micro, &code, 8, err); /* 8 bytes a lane: 8 sectors in 2 lines */
    if (rc == 0)
        rc = latency_of(&apart, micro, &code, 32, err); /* 32 sectors in 8 lines */
    if (rc == 0)
        rc = latency_of(&lines, micro, &code, 128, err); /* 32 sectors in 32 lines */
    if (rc == 0) {
        set_slope(&values[DEVICE_SECTOR_LATENCY], together.sustained, apart.sustained, 32 - 8);
        set_slope(&values[DEVICE_LINE_LATENCY], apart.sustained, lines.sustained, 32 - 8);
    }
    micro_code_release(&code);
    return rc;
}

int micro_diverging(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"l1_line", l1, false},
                                        {"readonly_lines", read_only, true},
                                        {"sectors_l2", l2, true},
                                        {"sector_latency", latency, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
