#include "tuner/cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

void progress_time_text(char out[32], double time_s)
{
    if (isnan(time_s))
        snprintf(out, 32, "none");
    else if (time_s < 1e-3)
        snprintf(out, 32, "%.4g us", time_s * 1e6);
    else if (time_s < 1)
        snprintf(out, 32, "%.4g ms", time_s * 1e3);
    else
        snprintf(out, 32, "%.4g s", time_s);
}

void progress_duration_text(char out[32], double duration_s)
{
    if (isnan(duration_s))
        snprintf(out, 32, "?");
    else if (duration_s < 10)
        snprintf(out, 32, "%.2g s", duration_s);
    else if (duration_s < 60)
        snprintf(out, 32, "%.0f s", duration_s);
    else if (duration_s < 3600)
        snprintf(out, 32, "%.0f min %02.0f s", floor(duration_s / 60), fmod(floor(duration_s), 60));
    else
        snprintf(out, 32, "%.0f h %02.0f min", floor(duration_s / 3600), fmod(floor(duration_s / 60), 60));
}

static double wall_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void put_numbers(FILE *out, const struct tune_progress *now)
{
    char best[32], left[32];
    const double rate = now->now_s > 0 ? (double)now->done / now->now_s : 0;

    progress_time_text(best, now->best_s);
    progress_duration_text(left, now->left_s);
    fprintf(out, "%" PRIu64 "/%" PRIu64 ", best %s, %.3g/s, %" PRIu64 " failed, %s left", now->done,
            now->total, best, rate, now->failed, left);
}

static void draw_bar(FILE *out, const struct tune_progress *now)
{
    static const char full[] = "########################";
    const int width = (int)sizeof full - 1;
    const int done = now->total ? (int)((double)width * (double)now->done / (double)now->total) : width;

    fprintf(out, "\r\033[K%s [%.*s%*s] ", now->kernel, done, full, width - done, "");
    if (now->finals)
        fprintf(out, "finals");
    else
        put_numbers(out, now);
    fflush(out);
}

void progress_show(void *context, const struct tune_progress *now)
{
    struct progress *progress = context;
    const double wall = wall_s(), interval = progress->cli->terminal ? 0.1 : 10;

    if (progress->quiet || (wall - progress->shown_s < interval && !(now->finals && progress->cli->terminal)))
        return;
    if (!progress->cli->terminal && progress->shown_s == 0) { /* a short run needs no line */
        progress->shown_s = wall;
        return;
    }
    progress->shown_s = wall;
    if (progress->cli->terminal) {
        draw_bar(progress->cli->err, now);
        progress->drawn = true;
        return;
    }
    fprintf(progress->cli->err, "%s%s%s: ", now->kernel, *now->problem ? " " : "", now->problem);
    put_numbers(progress->cli->err, now);
    fprintf(progress->cli->err, "\n");
}

void progress_end(struct progress *progress)
{
    if (progress->drawn)
        fprintf(progress->cli->err, "\r\033[K");
    progress->drawn = false;
}

void progress_message(void *context, const char *text)
{
    struct progress *progress = context;

    progress_end(progress);
    fprintf(progress->cli->err, "%s: %s\n", progress->cli->program, text);
}
