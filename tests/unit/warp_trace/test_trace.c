/* Little's law on warps written by hand. */
#include "check.h"

#include "base/file.h"
#include "warp_trace/picture.h"
#include "warp_trace/trace.h"

#include <unistd.h>

static void put(uint64_t *words, size_t warp, uint64_t start, uint64_t end, unsigned sm)
{
    words[2 * warp] = start | (uint64_t)sm << 48;
    words[2 * warp + 1] = end;
}

/* Two places, warps of 100 cycles one after the other: on SM 7 ten in each, on SM 3 five in one. */
static void the_law_holds(void **state)
{
    uint64_t words[2 * 25];
    struct warp_trace trace;
    struct err err = {0};

    for (size_t w = 0; w < 20; w++)
        put(words, w, 1000 + 100 * (w / 2), 1100 + 100 * (w / 2), 7);
    for (size_t w = 0; w < 5; w++)
        put(words, 20 + w, 50 + 100 * w, 150 + 100 * w, 3);
    assert_int_equal(warp_trace_read(&trace, words, 25, &err), 0);
    assert_int_equal(trace.sm_count, 2);
    assert_int_equal(trace.sms[0].sm, 3);
    assert_int_equal(trace.sms[1].sm, 7);
    assert_int_equal(trace.sms[1].count, 20);
    check_near(trace.sms[1].occupancy, 2, 1e-12);
    check_near(trace.sms[0].occupancy, 1, 1e-12);
    check_near(trace.occupancy, (20 * 100 + 5 * 100) / 1500.0, 1e-12);
    check_near(trace.latency, 100, 1e-12);
    /* SM 7 from 1100 to 1900: all within, none cut. SM 3 from 100 to 500: two cut by half, three... */
    assert_int_equal(trace.sms[1].law.whole, 16);
    assert_int_equal(trace.sms[1].law.cut, 0);
    check_near(trace.sms[1].law.occupancy, 2, 1e-12);
    check_near(trace.sms[1].law.throughput, 0.02, 1e-12);
    assert_int_equal(trace.sms[0].law.whole, 3);
    assert_int_equal(trace.sms[0].law.cut, 2);
    check_near(trace.sms[0].law.cut_occupancy, 0.25, 1e-12);
    check_near(trace.worst_error, 0, 1e-12);
    check_near(trace.worst_plain_error, 0, 1e-12);
    warp_trace_release(&trace);
}

/* The chapter's figure: 10 items of mean latency 2 in 10 cycles are 2 in flight. */
static void idle_time_counts(void **state)
{
    uint64_t words[2 * 3];
    struct warp_trace trace;
    struct err err = {0};

    put(words, 0, 0, 20, 0);
    put(words, 1, 30, 60, 0);
    put(words, 2, 40, 100, 0);
    assert_int_equal(warp_trace_read(&trace, words, 3, &err), 0);
    check_near(trace.occupancy, 1.1, 1e-12);
    check_near(trace.sms[0].law.occupancy, (10 + 30 + 50) / 80.0, 1e-12); /* from 10 to 90 */
    check_near(trace.sms[0].law.error, 0, 1e-12);
    check_near(trace.sms[0].law.plain_error, fabs((20 + 30) / 90.0 - 1), 1e-12);
    warp_trace_release(&trace);
}

static void refuses_what_was_not_recorded(void **state)
{
    uint64_t words[4] = {0};
    struct warp_trace trace;
    struct err err = {0};

    put(words, 0, 10, 20, 0);
    put(words, 1, 10, 0, 0);
    assert_int_equal(warp_trace_read(&trace, words, 2, &err), ERR_FORMAT);
    assert_string_equal(err.text, "warp 1 started at cycle 10 and left no end");
    assert_null(trace.warps);
    err = (struct err){0};
    put(words, 1, 10, 9, 0);
    assert_int_equal(warp_trace_read(&trace, words, 2, &err), ERR_FORMAT);
    assert_string_equal(err.text, "warp 1 started at cycle 10 and ended before");
    err = (struct err){0};
    assert_int_equal(warp_trace_read(&trace, words, 0, &err), ERR_FORMAT);
}

static void take_text(char **text, const char *path)
{
    struct err err = {0};
    size_t size;

    assert_int_equal(file_read(text, &size, path, &err), 0);
    unlink(path);
}

static void draws_each_warp_once(void **state)
{
    uint64_t words[2 * 6];
    struct warp_trace trace;
    struct err err = {0};
    char path[] = "/tmp/occutune-trace-XXXXXX", *svg = NULL;
    size_t w, moves = 0;
    const char *at;

    assert_true(close(mkstemp(path)) == 0);
    for (w = 0; w < 6; w++)
        put(words, w, 100 * (w / 2), 90 + 100 * (w / 2), 1);
    assert_int_equal(warp_trace_read(&trace, words, 6, &err), 0);
    assert_int_equal(picture_warps(path, &trace.sms[0], 2, "warps", &err), 0);
    take_text(&svg, path);
    for (at = strstr(svg, "<path class=\"line"); at; at = strstr(at + 1, "<path class=\"line"))
        for (; *at != '/'; at++)
            moves += *at == 'M';
    assert_int_equal(moves, 6);
    free(svg);
    assert_int_equal(picture_occupancy(path, &trace, 64, "occupancy", &err), 0);
    take_text(&svg, path);
    assert_non_null(strstr(svg, "<circle"));
    free(svg);
    assert_int_equal(picture_occupancy("/nowhere/x.svg", &trace, 64, "occupancy", &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "/nowhere/x.svg"));
    warp_trace_release(&trace);
}

int main(void)
{
    return RUN_TESTS(the_law_holds, idle_time_counts, refuses_what_was_not_recorded, draws_each_warp_once);
}
