#include "base/chart.h"

#include "base/file.h"
#include "base/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 70,
    RIGHT = 20,
    TOP = 64,
    BOTTOM = 50,
    TICKS = 6,
    COLOURS = 8,
    RADIUS = 3,
    REACH = 6,
    ANSWERS_MOST = 100
};

/* Inside a page its colours count (custom properties, light and dark); a picture by itself has those behind the commas. */
static const char style[] = "<style>text{fill:var(--ink,#333)}.ground{fill:var(--panel,#fff)}.grid{stroke:"
                            "var(--grid,#ccc);stroke-width:.6}"
                            ".mark{stroke:var(--soft,#999);stroke-dasharray:4 "
                            "3}.small{font-size:10px}.over{opacity:0}.over:hover{opacity:1}"
                            ".line{fill:none;stroke:currentColor;stroke-width:1.8}.dot{fill:currentColor}"
                            ".c0{color:var(--c0,#1b6ca8)}.c1{color:var(--c1,#d1495b)}.c2{color:var(--c2,#"
                            "3a7d44)}.c3{color:var(--c3,#b07d12)}"
                            ".c4{color:var(--c4,#7a4fa3)}.c5{color:var(--c5,#00868b)}.c6{color:var(--c6,#"
                            "8a5a44)}.c7{color:var(--c7,#666f7a)}"
                            "</style>\n";

struct axis {
    double low, high; /* of the data, logarithms on a logarithmic axis */
    double from, to;  /* pixels */
    bool log, bytes;
};

static bool usable(double value, bool log)
{
    return isfinite(value) && (!log || value > 0);
}

static double place(const struct axis *axis, double value)
{
    const double v = axis->log ? log10(value) : value;

    return axis->from + (v - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

static void widen(struct axis *axis, double value, bool *any)
{
    const double v = axis->log ? log10(value) : value;

    axis->low = *any && axis->low < v ? axis->low : v;
    axis->high = *any && axis->high > v ? axis->high : v;
    *any = true;
}

/* The range of all usable points; false when there are none. Linear axes that are not far from zero begin
 * there. */
static bool span(struct axis *x, struct axis *y, const struct chart *chart)
{
    bool any_x = false, any_y = false;

    for (size_t s = 0; s < chart->series_count; s++)
        for (size_t i = 0; i < chart->series[s].count; i++) {
            const double px = chart->series[s].x[i], py = chart->series[s].y[i];

            if (!usable(px, x->log) || !usable(py, y->log))
                continue;
            widen(x, px, &any_x);
            widen(y, py, &any_y);
        }
    if (!y->log && y->low > 0)
        y->low = 0;
    if (!y->log)
        y->high += 0.05 * (y->high - y->low);
    if (x->high <= x->low)
        x->high = x->low + 1;
    if (y->high <= y->low)
        y->high = y->low + 1;
    return any_x;
}

/* 1, 2 or 5 times a power of ten, so that about TICKS of them fit. */
static double tick_step(const struct axis *axis)
{
    const double wanted = (axis->high - axis->low) / TICKS;
    const double power = pow(10, floor(log10(wanted)));
    const double ratio = wanted / power;

    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

static void tick_text(char *out, size_t size, double value, bool bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    int unit = 0;

    if (!bytes) {
        static const char suffixes[] = " kMGT";

        while (fabs(value) >= 10000 && unit < 4) {
            value /= 1000;
            unit++;
        }
        snprintf(out, size, unit ? "%.4g%c" : "%.4g", value, suffixes[unit]);
        return;
    }
    while (fabs(value) >= 1024 * (1 - 1e-9) && unit < 4) {
        value /= 1024;
        unit++;
    }
    snprintf(out, size, "%.4g %s", value, units[unit]);
}

static void write_label(FILE *out, double x, double y, const char *attributes, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    html_text(out, text);
    fputs("</text>\n", out);
}

static void write_tick(FILE *out, const struct axis *axis, double value, bool horizontal)
{
    const double at = place(axis, value);
    char text[32];

    tick_text(text, sizeof text, value, axis->bytes);
    if (horizontal) {
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", at, TOP, CHART_HEIGHT - BOTTOM);
        write_label(out, at, CHART_HEIGHT - BOTTOM + 16, "text-anchor=\"middle\"", text);
    } else {
        fprintf(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, at, CHART_WIDTH - RIGHT);
        write_label(out, LEFT - 6, at + 4, "text-anchor=\"end\"", text);
    }
}

static void write_axis(FILE *out, const struct axis *axis, bool horizontal)
{
    if (axis->log) {
        /* Powers of the base, thinned so that they do not touch; a short range gets its two ends. */
        const double base = axis->bytes ? log10(2) : 1;
        const double first = ceil(axis->low / base - 1e-9), last = floor(axis->high / base + 1e-9);
        const double step = fmax(1, ceil((last - first) / 8));

        for (double p = first; p <= last; p += step)
            write_tick(out, axis, pow(10, p * base), horizontal);
        if (last - first < 1) {
            write_tick(out, axis, pow(10, axis->low), horizontal);
            write_tick(out, axis, pow(10, axis->high), horizontal);
        }
        return;
    }
    const double step = tick_step(axis);

    for (double v = ceil(axis->low / step) * step; v <= axis->high + step * 1e-6; v += step)
        write_tick(out, axis, fabs(v) < step * 1e-6 ? 0 : v, horizontal);
}

/* What the pointer over a point is told. */
static void write_answer(FILE *out, const struct chart_series *series, const struct axis *x, size_t i)
{
    char text[32];

    tick_text(text, sizeof text, series->x[i], x->bytes);
    fputs("<title>", out);
    if (series->name) {
        html_text(out, series->name);
        fputs(", ", out);
    }
    fprintf(out, "%s: %.4g</title>", text, series->y[i]);
}

static bool is_shown(const struct chart_series *series, const struct axis *x, const struct axis *y, size_t i)
{
    return usable(series->x[i], x->log) && usable(series->y[i], y->log);
}

/* All points as dots; those of a line only while the pointer is near. */
static void write_dots(FILE *out, const struct chart_series *series, const struct axis *x,
                       const struct axis *y, int radius, const char *kind, size_t colour)
{
    for (size_t i = 0; i < series->count; i++) {
        if (!is_shown(series, x, y, i))
            continue;
        fprintf(out, "<circle class=\"%s c%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\">", kind, colour,
                place(x, series->x[i]), place(y, series->y[i]), radius);
        write_answer(out, series, x, i);
        fputs("</circle>\n", out);
    }
}

static void write_line(FILE *out, const struct chart_series *series, const struct axis *x,
                       const struct axis *y, size_t colour)
{
    bool started = false;
    double before = 0, at = 0;

    fprintf(out, "<path class=\"line c%zu\" d=\"", colour);
    for (size_t i = 0; i < series->count; i++) {
        double px, py;

        if (!is_shown(series, x, y, i))
            continue;
        px = at = place(x, series->x[i]);
        py = place(y, series->y[i]);
        if (series->style == CHART_STEP && started && fabs(py - before) < 0.05)
            continue; /* thousands of trials that change nothing */
        else if (series->style == CHART_STEP && started)
            fprintf(out, "H%.1fV%.1f", px, py);
        else
            fprintf(out, "%c%.1f %.1f", started && (series->style != CHART_BARS || i % 2) ? 'L' : 'M', px,
                    py);
        started = true;
        before = py;
    }
    if (series->style == CHART_STEP && started)
        fprintf(out, "H%.1f", at);
    fputs("\"/>\n", out);
}

static void write_series(FILE *out, const struct chart_series *series, const struct axis *x,
                         const struct axis *y, size_t colour)
{
    if (series->style == CHART_POINTS) {
        write_dots(out, series, x, y, RADIUS, "dot", colour);
        return;
    }
    write_line(out, series, x, y, colour);
    if (series->style == CHART_LINE && series->count <= ANSWERS_MOST)
        write_dots(out, series, x, y, REACH, "dot over", colour);
}

static size_t colour_of(const struct chart *chart, size_t s)
{
    return (chart->palette ? s % chart->palette : s) % COLOURS;
}

/* In a row under the title, in two where one is too short. */
static void write_legend(FILE *out, const struct chart *chart)
{
    double x = LEFT, y = TOP - 26;

    for (size_t s = 0; s < chart->series_count; s++) {
        const char *name = chart->series[s].name;
        const double width = name ? 26 + 6.2 * (double)strlen(name) : 0;

        if (!name)
            continue;
        if (x + width > CHART_WIDTH - RIGHT) {
            x = LEFT;
            y += 14;
        }
        fprintf(out, "<rect class=\"dot c%zu\" x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"3\"/>\n",
                colour_of(chart, s), x, y - 5);
        write_label(out, x + 16, y, "", name);
        x += width;
    }
}

/* A label stands right of its line, left of it where it would not fit. */
static void write_marks(FILE *out, const struct chart *chart, const struct axis *x)
{
    for (size_t i = 0; i < chart->mark_count; i++) {
        const double value = chart->marks[i].x, at = usable(value, x->log) ? place(x, value) : -1;
        const bool fits = at + 4 + 5.6 * (double)strlen(chart->marks[i].label) < CHART_WIDTH - RIGHT;

        if (at < LEFT || at > CHART_WIDTH - RIGHT)
            continue;
        fprintf(out, "<path class=\"mark\" d=\"M%.1f %dV%d\"/>\n", at, TOP, CHART_HEIGHT - BOTTOM);
        write_label(out, fits ? at + 4 : at - 4, CHART_HEIGHT - BOTTOM - 6 - 13 * (double)(i % 4),
                    fits ? "class=\"small\"" : "class=\"small\" text-anchor=\"end\"", chart->marks[i].label);
    }
}

static void write_chart(FILE *out, const struct chart *chart)
{
    struct axis x = {.from = LEFT, .to = CHART_WIDTH - RIGHT, .log = chart->x_log, .bytes = chart->x_bytes};
    struct axis y = {.from = CHART_HEIGHT - BOTTOM, .to = TOP, .log = chart->y_log};

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"system-ui, sans-serif\" font-size=\"11\">\n%s"
            "<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n",
            CHART_WIDTH, CHART_HEIGHT, CHART_WIDTH, CHART_HEIGHT, style);
    write_label(out, CHART_WIDTH / 2.0, 22, "text-anchor=\"middle\" font-size=\"14\"", chart->title);
    write_label(out, (LEFT + CHART_WIDTH - RIGHT) / 2.0, CHART_HEIGHT - 12, "text-anchor=\"middle\"",
                chart->x_label);
    fprintf(out, "<g transform=\"rotate(-90)\">");
    write_label(out, -(TOP + CHART_HEIGHT - BOTTOM) / 2.0, 16, "text-anchor=\"middle\"", chart->y_label);
    fputs("</g>\n", out);
    if (span(&x, &y, chart)) {
        write_axis(out, &x, true);
        write_axis(out, &y, false);
        for (size_t s = 0; s < chart->series_count; s++)
            write_series(out, &chart->series[s], &x, &y, colour_of(chart, s));
        write_marks(out, chart, &x);
        write_legend(out, chart);
    } else {
        write_label(out, CHART_WIDTH / 2.0, CHART_HEIGHT / 2.0, "text-anchor=\"middle\"", "no data");
    }
    fputs("</svg>\n", out);
}

int chart_svg(char **out, const struct chart *chart, struct err *err)
{
    size_t size;
    FILE *stream;

    *out = NULL;
    stream = open_memstream(out, &size);
    if (!stream)
        return err_memory(err);
    write_chart(stream, chart);
    return file_close_memory(stream, out, err);
}

int chart_write(const char *path, const struct chart *chart, struct err *err)
{
    char *svg;
    int rc = chart_svg(&svg, chart, err);

    if (rc)
        return rc;
    rc = file_write(path, svg, strlen(svg), err);
    free(svg);
    return rc;
}
