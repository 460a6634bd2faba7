#include "check.h"

#include "base/chart.h"

static size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

static void points_lines_and_steps(void **state)
{
    const double x[] = {1, 2, 4, 8}, y[] = {10, 20, NAN, 40};
    const struct chart_series series[] = {
        {"a line", CHART_LINE, x, y, 4}, {"steps", CHART_STEP, x, x, 4}, {NULL, CHART_POINTS, x, y, 4}};
    const struct chart_mark marks[] = {{4, "here"}, {1000, "outside"}};
    const struct chart chart = {.title = "a < b & \"c\"",
                                .x_label = "warps",
                                .y_label = "GB/s",
                                .series = series,
                                .series_count = 3,
                                .marks = marks,
                                .mark_count = 2};
    struct err err = {0};
    char *text;

    assert_int_equal(chart_svg(&text, &chart, &err), 0);
    assert_non_null(strstr(text, "a &lt; b &amp; &quot;c&quot;"));
    /* the point that is not a number is left out; those of the line answer the pointer and are seen under it only */
    assert_int_equal(count(text, "<circle class=\"dot c2\""), 3);
    assert_int_equal(count(text, "<circle class=\"dot over c0\""), 3);
    assert_int_equal(count(text, "<circle"), 6);
    assert_non_null(strstr(text, "<title>a line, 8: 40</title>"));
    assert_int_equal(count(text, "<svg"), 1);
    assert_non_null(strstr(text, ">a line</text>"));
    assert_non_null(strstr(text, ">here</text>"));
    assert_null(strstr(text, "outside"));
    assert_null(strstr(text, "nan"));
    free(text);
}

static void a_mark_near_the_end_is_labelled_before_it(void **state)
{
    const double x[] = {0, 100}, y[] = {1, 2};
    const struct chart_series series[] = {{"s", CHART_LINE, x, y, 2}};
    const struct chart_mark marks[] = {{80, "short"}, {80, "a label that needs a third of the picture"}};
    const struct chart chart = {.title = "t",
                                .x_label = "x",
                                .y_label = "y",
                                .series = series,
                                .series_count = 1,
                                .marks = marks,
                                .mark_count = 2};
    char *text;

    assert_int_equal(chart_svg(&text, &chart, NULL), 0);
    assert_non_null(strstr(text, "class=\"small\">short<"));
    assert_non_null(strstr(text, "class=\"small\" text-anchor=\"end\">a label"));
    free(text);
}

/* A search times thousands of configurations that are no better than the best so far. */
static void steps_are_written_where_they_are(void **state)
{
    enum { N = 3000 };
    static double x[N], y[N];
    const struct chart_series series[] = {{NULL, CHART_STEP, x, y, N}};
    const struct chart chart = {
        .title = "t", .x_label = "x", .y_label = "y", .series = series, .series_count = 1};
    char *text, *path;

    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = i < 1000 ? 2 : 1;
    }
    assert_int_equal(chart_svg(&text, &chart, NULL), 0);
    path = strstr(text, "<path class=\"line c0\" d=\"");
    path[strcspn(path, "/")] = 0;
    assert_int_equal(count(path, "M"), 1);
    assert_int_equal(count(path, "V"), 1);
    assert_int_equal(count(path, "H"), 2); /* to the step, and to the end */
    free(text);
}

static void bars_stand_apart_and_colours_repeat(void **state)
{
    const double x[] = {1, 2, 3, 4}, y[] = {1, 1, 2, 2};
    const struct chart_series series[] = {{"first", CHART_BARS, x, y, 4}, {NULL, CHART_LINE, x, y, 4}};
    struct chart chart = {
        .title = "t", .x_label = "x", .y_label = "y", .series = series, .series_count = 2, .palette = 1};
    char *text, *bars;

    assert_int_equal(chart_svg(&text, &chart, NULL), 0);
    assert_int_equal(count(text, "class=\"dot c0\""), 1);  /* the legend of the bars */
    assert_int_equal(count(text, "class=\"line c0\""), 2); /* bars and line */
    bars = strstr(text, "<path class=\"line c0\" d=\"");
    bars[strcspn(bars, "/")] = 0;
    assert_int_equal(count(bars, "M"), 2);
    assert_int_equal(count(bars, "L"), 2);
    free(text);
    chart.palette = 0;
    assert_int_equal(chart_svg(&text, &chart, NULL), 0);
    assert_int_equal(count(text, "class=\"line c0\""), 1);
    assert_int_equal(count(text, "class=\"line c1\""), 1);
    free(text);
}

static void logarithmic_axes_leave_out_what_is_not_positive(void **state)
{
    const double x[] = {0, 1024, 1048576, 1073741824}, y[] = {5, -1, 100, 1000};
    const struct chart_series series = {"latency", CHART_POINTS, x, y, 4};
    const struct chart chart = {.title = "t",
                                .x_label = "x",
                                .y_label = "y",
                                .x_log = true,
                                .y_log = true,
                                .x_bytes = true,
                                .series = &series,
                                .series_count = 1};
    char *text;

    assert_int_equal(chart_svg(&text, &chart, NULL), 0);
    assert_int_equal(count(text, "<circle"), 2);
    assert_non_null(strstr(text, "1 MB"));
    assert_non_null(strstr(text, "1 GB"));
    free(text);
}

static void nothing_to_show_says_so(void **state)
{
    const double bad[] = {NAN};
    const struct chart_series series = {"empty", CHART_LINE, bad, bad, 1};
    const struct chart chart = {
        .title = "t", .x_label = "x", .y_label = "y", .series = &series, .series_count = 1};
    char *text;

    assert_int_equal(chart_svg(&text, &chart, NULL), 0);
    assert_non_null(strstr(text, "no data"));
    free(text);
}

static void a_single_point_has_a_range(void **state)
{
    const double one[] = {7};
    const struct chart_series series = {"one", CHART_LINE, one, one, 1};
    const struct chart chart = {
        .title = "t", .x_label = "x", .y_label = "y", .series = &series, .series_count = 1};
    char *text;

    assert_int_equal(chart_svg(&text, &chart, NULL), 0);
    assert_null(strstr(text, "inf"));
    assert_null(strstr(text, "nan"));
    free(text);
}

int main(void)
{
    return RUN_TESTS(points_lines_and_steps, a_mark_near_the_end_is_labelled_before_it,
                     steps_are_written_where_they_are, bars_stand_apart_and_colours_repeat,
                     logarithmic_axes_leave_out_what_is_not_positive, nothing_to_show_says_so,
                     a_single_point_has_a_range);
}
