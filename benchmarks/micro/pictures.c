/* The report's pictures. */
#include "micro/pictures.h"

#include "base/chart.h"

#include <stdlib.h>

enum scale { PLAIN, LOG_X, LOG_BYTES, LOG_BOTH }; /* of the axes: bytes are those of x */

struct picture {
    const char *title;
    enum scale scale;
    enum chart_style style;
    int marks[2];  /* 1 + enum device_value_id on the x axis, ended by 0 or the end */
    int curves[4]; /* 1 + enum device_curve_id, likewise; all share the axes of the first */
};

#define MARK(id)  1 + DEVICE_##id
#define CURVE(id) 1 + DEVICE_CURVE_##id
/* clang-format off */
#define MARKED(style, scale, title, mark, more, ...) {title, scale, CHART_##style, {mark, more}, {__VA_ARGS__}}
/* clang-format on */
#define PICTURE(style, scale, title, ...) MARKED(style, scale, title, 0, 0, __VA_ARGS__)
static const struct picture pictures[] = {
    MARKED(LINE, LOG_BYTES, "Latency against footprint", MARK(L1_BYTES), MARK(L2_BYTES),
           CURVE(LATENCY_FOOTPRINT)),
    MARKED(LINE, LOG_BYTES, "Latency against stride, past L1", MARK(SECTOR_BYTES), 0, CURVE(LATENCY_STRIDE)),
    MARKED(LINE, LOG_BYTES, "Latency with an element a TLB entry", MARK(TLB_REACH), 0, CURVE(LATENCY_PAGES)),
    PICTURE(LINE, LOG_BYTES, "All of the memory, elements farther and farther apart", CURVE(LATENCY_SPANS)),
    MARKED(LINE, LOG_BYTES, "Constant memory against footprint", MARK(CONSTANT_L1_BYTES),
           MARK(CONSTANT_L2_BYTES), CURVE(LATENCY_CONSTANT)),
    PICTURE(LINE, PLAIN, "A table in constant memory that one instruction walks through",
            CURVE(CONSTANT_WALK)),
    PICTURE(LINE, LOG_BOTH, "Constant memory from several SMs", CURVE(CONSTANT_BLOCKS)),
    PICTURE(POINTS, PLAIN, "Latency by SM", CURVE(LATENCY_L2_SM), CURVE(LATENCY_DRAM_SM)),
    PICTURE(LINE, LOG_BOTH, "Latency under load", CURVE(LOADED_SHARED), CURVE(LOADED_L1), CURVE(LOADED_L2),
            CURVE(LOADED_DRAM)),
    PICTURE(LINE, PLAIN, "Latency of each warp as warps are added", CURVE(WARP_LATENCY),
            CURVE(WARP_LATENCY_SPREAD)),
    PICTURE(LINE, PLAIN, "When each warp of a sub-partition has done", CURVE(TURNS_STAYING),
            CURVE(TURNS_YIELDING)),
    PICTURE(LINE, PLAIN, "DRAM against occupancy", CURVE(DRAM_READ_WARPS), CURVE(DRAM_COPY_WARPS)),
    PICTURE(LINE, PLAIN, "L2 against occupancy", CURVE(L2_READ_WARPS)),
    PICTURE(LINE, LOG_X, "DRAM against width", CURVE(DRAM_READ_WIDTH), CURVE(DRAM_WRITE_WIDTH),
            CURVE(DRAM_COPY_WIDTH)),
    PICTURE(LINE, LOG_X, "DRAM copy against what a thread reads before it writes", CURVE(DRAM_COPY_BURST)),
    PICTURE(LINE, LOG_X, "A copy against elements a thread", CURVE(COPY_UNROLLED), CURVE(COPY_CONSTANT),
            CURVE(COPY_RUN_TIME)),
    PICTURE(LINE, LOG_X, "DRAM against the length of pieces far apart", CURVE(DRAM_READ_PIECES),
            CURVE(DRAM_WRITE_PIECES)),
    PICTURE(LINE, LOG_X, "Single sectors at random from DRAM", CURVE(DRAM_SCATTERED_FLIGHT)),
    PICTURE(LINE, LOG_X, "Single sectors at random from L2", CURVE(L2_SCATTERED_FLIGHT)),
    PICTURE(LINE, PLAIN, "L1 against the carve-out", CURVE(L1_CARVEOUT)),
    PICTURE(LINE, LOG_BOTH, "Bank conflicts", CURVE(BANK_4), CURVE(BANK_8), CURVE(BANK_16)),
    PICTURE(LINE, LOG_BOTH, "Lines of a request that hits L1", CURVE(L1_LINES_1), CURVE(L1_LINES_2),
            CURVE(L1_LINES_4), CURVE(L1_LINES_BANK)),
    PICTURE(LINE, LOG_BOTH, "Lines of a request by the read-only path", CURVE(READONLY_LINES_1),
            CURVE(READONLY_LINES_2), CURVE(READONLY_LINES_4), CURVE(READONLY_LINES_BANK)),
    PICTURE(LINE, PLAIN, "Sectors of a request past L1", CURVE(SECTORS_L2)),
    PICTURE(LINE, PLAIN, "Barrier against warps", CURVE(BARRIER_WARPS)),
    PICTURE(LINE, PLAIN, "Divergence: four arms by (thread / n) % 4", CURVE(DIVERGENCE_RUN)),
    PICTURE(LINE, PLAIN, "Issue of the k-th access of a warp", CURVE(ISSUE_LOADS), CURVE(ISSUE_LOADS_FULL),
            CURVE(ISSUE_STORES)),
    MARKED(LINE, LOG_BYTES, "Instruction supply", MARK(INSTRUCTION_L0_BYTES), MARK(INSTRUCTION_L1_BYTES),
           CURVE(INSTRUCTION_SUPPLY), CURVE(INSTRUCTION_SUPPLY_FULL)),
    PICTURE(LINE, PLAIN, "Clusters that run at a time", CURVE(CLUSTERS)),
    PICTURE(STEP, PLAIN, "Time against thread blocks", CURVE(TIME_BLOCKS)),
    PICTURE(STEP, PLAIN, "Largest block against registers", CURVE(BLOCK_REGISTERS)),
};

static int write_figure(FILE *out, const struct chart *chart, struct err *err)
{
    char *svg;
    int rc = chart_svg(&svg, chart, err);

    if (rc)
        return rc;
    fprintf(out, "<figure>%s</figure>\n", svg);
    free(svg);
    return 0;
}

static int write_picture(FILE *out, const struct device *device, const struct picture *picture,
                         struct err *err)
{
    const struct device_curve_info *first = device_curve_info((enum device_curve_id)(picture->curves[0] - 1));
    struct chart_series series[4];
    struct chart_mark marks[2];
    struct chart chart = {.title = picture->title,
                          .x_label = first->x,
                          .y_label = first->y,
                          .x_log = picture->scale != PLAIN,
                          .y_log = picture->scale == LOG_BOTH,
                          .x_bytes = picture->scale == LOG_BYTES,
                          .series = series,
                          .marks = marks};

    for (int i = 0; i < 4 && picture->curves[i]; i++) {
        const enum device_curve_id id = (enum device_curve_id)(picture->curves[i] - 1);
        const struct device_curve *curve = &device->curves[id];

        series[chart.series_count++] = (struct chart_series){device_curve_info(id)->name, picture->style,
                                                             curve->x, curve->y, curve->count};
    }
    for (int i = 0; i < 2 && picture->marks[i]; i++) {
        const enum device_value_id id = (enum device_value_id)(picture->marks[i] - 1);

        if (device->values[id].known)
            marks[chart.mark_count++] =
                (struct chart_mark){device->values[id].sustained, device_value_info(id)->name};
    }
    return write_figure(out, &chart, err);
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

    for (int i = 0; i < SHOWN; i++) {
        const struct device_op *op = &device->ops[shown[i]];

        series[i] = (struct chart_series){device_op_text(shown[i]), CHART_LINE, op->roofline.x,
                                          op->roofline.y, op->roofline.count};
        if (op->ridge_warps > 0)
            ridges[chart.mark_count++] = (struct chart_mark){op->ridge_warps, device_op_text(shown[i])};
    }
    return write_figure(out, &chart, err);
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
