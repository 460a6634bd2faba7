/* The report's pictures. */
#include "micro/pictures.h"

#include "base/chart.h"

#include <stdbool.h>
#include <stdlib.h>

enum { NONE = -1 };

struct picture {
    const char *title;
    int curves[4]; /* enum device_curve_id, ended by NONE; all share the axes of the first */
    bool x_log, y_log, x_bytes;
    enum chart_style style;
    int marks[3]; /* enum device_value_id on the x axis, ended by NONE */
};

/* clang-format off: a picture a line or two */
#define CURVE(id) DEVICE_CURVE_##id
#define PLAIN                                                                                                \
    false, false, false, CHART_LINE,                                                                         \
    {                                                                                                        \
        NONE                                                                                                 \
    }
#define LOG_X                                                                                                \
    true, false, false, CHART_LINE,                                                                          \
    {                                                                                                        \
        NONE                                                                                                 \
    }
#define LOG_BOTH                                                                                             \
    true, true, false, CHART_LINE,                                                                           \
    {                                                                                                        \
        NONE                                                                                                 \
    }
static const struct picture pictures[] = {
    {"Latency against footprint",
     {CURVE(LATENCY_FOOTPRINT), NONE},
     true,
     false,
     true,
     CHART_LINE,
     {DEVICE_L1_BYTES, DEVICE_L2_BYTES, NONE}},
    {"Latency against stride, past L1",
     {CURVE(LATENCY_STRIDE), NONE},
     true,
     false,
     true,
     CHART_LINE,
     {DEVICE_SECTOR_BYTES, NONE}},
    {"Latency with an element a TLB entry",
     {CURVE(LATENCY_PAGES), NONE},
     true,
     false,
     true,
     CHART_LINE,
     {DEVICE_TLB_REACH, NONE}},
    {"All of the memory, elements farther and farther apart",
     {CURVE(LATENCY_SPANS), NONE},
     true,
     false,
     true,
     CHART_LINE,
     {NONE}},
    {"Constant memory against footprint",
     {CURVE(LATENCY_CONSTANT), NONE},
     true,
     false,
     true,
     CHART_LINE,
     {DEVICE_CONSTANT_L1_BYTES, DEVICE_CONSTANT_L2_BYTES, NONE}},
    {"A table in constant memory that one instruction walks through", {CURVE(CONSTANT_WALK), NONE}, PLAIN},
    {"Constant memory from several SMs", {CURVE(CONSTANT_BLOCKS), NONE}, LOG_BOTH},
    {"Latency by SM",
     {CURVE(LATENCY_L2_SM), CURVE(LATENCY_DRAM_SM), NONE},
     false,
     false,
     false,
     CHART_POINTS,
     {NONE}},
    {"Latency under load",
     {CURVE(LOADED_SHARED), CURVE(LOADED_L1), CURVE(LOADED_L2), CURVE(LOADED_DRAM)},
     LOG_BOTH},
    {"Latency of each warp as warps are added",
     {CURVE(WARP_LATENCY), CURVE(WARP_LATENCY_SPREAD), NONE},
     PLAIN},
    {"When each warp of a sub-partition has done",
     {CURVE(TURNS_STAYING), CURVE(TURNS_YIELDING), NONE},
     PLAIN},
    {"DRAM against occupancy", {CURVE(DRAM_READ_WARPS), CURVE(DRAM_COPY_WARPS), NONE}, PLAIN},
    {"L2 against occupancy", {CURVE(L2_READ_WARPS), NONE}, PLAIN},
    {"DRAM against width",
     {CURVE(DRAM_READ_WIDTH), CURVE(DRAM_WRITE_WIDTH), CURVE(DRAM_COPY_WIDTH), NONE},
     LOG_X},
    {"DRAM copy against what a thread reads before it writes", {CURVE(DRAM_COPY_BURST), NONE}, LOG_X},
    {"A copy against elements a thread",
     {CURVE(COPY_UNROLLED), CURVE(COPY_CONSTANT), CURVE(COPY_RUN_TIME), NONE},
     LOG_X},
    {"DRAM against the length of pieces far apart",
     {CURVE(DRAM_READ_PIECES), CURVE(DRAM_WRITE_PIECES), NONE},
     LOG_X},
    {"Single sectors at random from DRAM", {CURVE(DRAM_SCATTERED_FLIGHT), NONE}, LOG_X},
    {"Single sectors at random from L2", {CURVE(L2_SCATTERED_FLIGHT), NONE}, LOG_X},
    {"L1 against the carve-out", {CURVE(L1_CARVEOUT), NONE}, PLAIN},
    {"Bank conflicts", {CURVE(BANK_4), CURVE(BANK_8), CURVE(BANK_16), NONE}, LOG_BOTH},
    {"Lines of a request that hits L1",
     {CURVE(L1_LINES_1), CURVE(L1_LINES_2), CURVE(L1_LINES_4), CURVE(L1_LINES_BANK)},
     LOG_BOTH},
    {"Lines of a request by the read-only path",
     {CURVE(READONLY_LINES_1), CURVE(READONLY_LINES_2), CURVE(READONLY_LINES_4), CURVE(READONLY_LINES_BANK)},
     LOG_BOTH},
    {"Sectors of a request past L1", {CURVE(SECTORS_L2), NONE}, PLAIN},
    {"Barrier against warps", {CURVE(BARRIER_WARPS), NONE}, PLAIN},
    {"Divergence: four arms by (thread / n) % 4", {CURVE(DIVERGENCE_RUN), NONE}, PLAIN},
    {"Issue of the k-th access of a warp",
     {CURVE(ISSUE_LOADS), CURVE(ISSUE_LOADS_FULL), CURVE(ISSUE_STORES), NONE},
     PLAIN},
    {"Instruction supply",
     {CURVE(INSTRUCTION_SUPPLY), CURVE(INSTRUCTION_SUPPLY_FULL), NONE},
     true,
     false,
     true,
     CHART_LINE,
     {DEVICE_INSTRUCTION_L0_BYTES, DEVICE_INSTRUCTION_L1_BYTES, NONE}},
    {"Clusters that run at a time", {CURVE(CLUSTERS), NONE}, PLAIN},
    {"Time against thread blocks", {CURVE(TIME_BLOCKS), NONE}, false, false, false, CHART_STEP, {NONE}},
    {"Largest block against registers",
     {CURVE(BLOCK_REGISTERS), NONE},
     false,
     false,
     false,
     CHART_STEP,
     {NONE}},
};
/* clang-format on */

static int write_picture(FILE *out, const struct device *device, const struct picture *picture,
                         struct err *err)
{
    const struct device_curve_info *first = device_curve_info((enum device_curve_id)picture->curves[0]);
    struct chart_series series[4];
    struct chart_mark marks[3];
    struct chart chart = {.title = picture->title,
                          .x_label = first->x,
                          .y_label = first->y,
                          .x_log = picture->x_log,
                          .y_log = picture->y_log,
                          .x_bytes = picture->x_bytes,
                          .series = series,
                          .marks = marks};
    char *svg;
    int rc;

    for (int i = 0; i < 4 && picture->curves[i] != NONE; i++) {
        const struct device_curve *curve = &device->curves[picture->curves[i]];

        series[chart.series_count++] =
            (struct chart_series){device_curve_info((enum device_curve_id)picture->curves[i])->name,
                                  picture->style, curve->x, curve->y, curve->count};
    }
    for (int i = 0; i < 3 && picture->marks[i] != NONE; i++)
        if (device->values[picture->marks[i]].known)
            marks[chart.mark_count++] =
                (struct chart_mark){device->values[picture->marks[i]].sustained,
                                    device_value_info((enum device_value_id)picture->marks[i])->name};
    rc = chart_svg(&svg, &chart, err);
    if (rc)
        return rc;
    fprintf(out, "<figure>%s</figure>\n", svg);
    free(svg);
    return 0;
}

/* Occupancy rooflines: one picture for a handful of operations that stand for their pipes. */
static int write_rooflines(FILE *out, const struct device *device, struct err *err)
{
    static const enum device_op_id shown[] = {DEVICE_OP_FFMA,  DEVICE_OP_IMAD, DEVICE_OP_LOP3,
                                              DEVICE_OP_HFMA2, DEVICE_OP_DFMA, DEVICE_OP_MUFU_RSQ,
                                              DEVICE_OP_SHFL};
    enum { SHOWN = sizeof shown / sizeof *shown };
    struct chart_series series[SHOWN];
    struct chart_mark ridges[SHOWN];
    struct chart chart = {.title = "Occupancy roofline (dependent chains)",
                          .x_label = "warps per SM",
                          .y_label = "warp instructions per cycle and SM",
                          .series = series,
                          .series_count = SHOWN,
                          .marks = ridges};
    char *svg;
    int rc;

    for (int i = 0; i < SHOWN; i++) {
        const struct device_op *op = &device->ops[shown[i]];

        series[i] = (struct chart_series){device_op_text(shown[i]), CHART_LINE, op->roofline.x,
                                          op->roofline.y, op->roofline.count};
        if (op->ridge_warps > 0)
            ridges[chart.mark_count++] = (struct chart_mark){op->ridge_warps, device_op_text(shown[i])};
    }
    rc = chart_svg(&svg, &chart, err);
    if (rc)
        return rc;
    fprintf(out, "<figure>%s</figure>\n", svg);
    free(svg);
    return 0;
}

int report_pictures(FILE *out, const struct device *device, struct err *err)
{
    int rc;

    fputs("<div class=\"charts\">\n", out);
    rc = write_rooflines(out, device, err);
    for (size_t i = 0; rc == 0 && i < sizeof pictures / sizeof *pictures; i++)
        rc = write_picture(out, device, &pictures[i], err);
    fputs("</div>\n", out);
    return rc;
}
