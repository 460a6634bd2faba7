/* Charts as self-contained SVG: lines, steps, points and bars over linear or logarithmic axes. Text in, text
 * out; nothing is drawn. Colours hold on a white and on a dark ground, and series are told apart by their
 * legend. */
#ifndef BASE_CHART_H
#define BASE_CHART_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum chart_style {
    CHART_LINE,
    CHART_STEP,
    CHART_POINTS,
    CHART_BARS /* every two points are the ends of a line of its own */
};

struct chart_series {
    const char *name; /* in the legend; null: none */
    enum chart_style style;
    const double *x,
        *y; /* borrowed; points that are not finite, or not positive on a logarithmic axis, are left out */
    size_t count;
};

/* A vertical line at x with a word beside it: a ridge point, a capacity, the current configuration. */
struct chart_mark {
    double x;
    const char *label;
};

struct chart {
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
    bool x_bytes; /* ticks of x in B, KB, MB, GB */
    const struct chart_series *series;
    size_t series_count;
    size_t palette; /* series s has the colour of series s - palette, s - 2 palette, ...; 0: of none */
    const struct chart_mark *marks;
    size_t mark_count;
};

enum { CHART_WIDTH = 640, CHART_HEIGHT = 400 };

/* The chart as one <svg> element, malloc'ed. A chart without points says "no data". ERR_MEMORY. */
int chart_svg(char **out, const struct chart *chart, struct err *err);

/* The same into a file. ERR_SYSTEM names it. */
int chart_write(const char *path, const struct chart *chart, struct err *err);

#endif
