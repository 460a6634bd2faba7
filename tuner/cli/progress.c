#include "tuner/cli/progress.h"

#include "base/clock.h"
#include "base/units.h"

#include "tuner/predict/ranking.h"
#include "tuner/remote/fleet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

void progress_time_text(char out[32], double time_s)
{
    units_time(out, time_s);
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

/* Columns of the terminal, which must not wrap what is redrawn. */
static size_t columns_of(FILE *terminal)
{
    struct winsize size;

    return !ioctl(fileno(terminal), TIOCGWINSZ, &size) && size.ws_col > 1 ? size.ws_col : 80;
}

/* "name [#####     ] numbers" in less than the terminal's columns: the bar gives way first, then the name,
 * and the numbers are cut last. */
static void draw_bar(const struct cli *cli, const char *name, double share, const char *numbers)
{
    enum { BAR_MOST = 24, BAR_LEAST = 5, NAME_LEAST = 8 };
    static const char full[] = "########################";
    const size_t columns = columns_of(cli->screen) - 1, length = strlen(numbers);
    const size_t left = columns > length + 1 ? columns - length - 1 : 0;
    const size_t name_most = left < NAME_LEAST ? 0 : left < strlen(name) ? left : strlen(name);
    const size_t beside = left - name_most;
    const int bar = beside < BAR_LEAST + 3 ? 0 : (int)(beside - 3 < BAR_MOST ? beside - 3 : BAR_MOST);
    const int done = (int)(share * bar);
    FILE *out = cli->err;

    fputs("\r\033[K", cli->screen);
    fprintf(out, "%.*s%s", (int)name_most, name, name_most ? " " : "");
    if (bar)
        fprintf(out, "[%.*s%*s] ", done, full, bar - done, "");
    fprintf(out, "%.*s", (int)columns, numbers);
    fflush(out);
}

/* Whether it is time to show something again. A short run that is not drawn needs no line. */
static bool is_due(struct progress *progress, bool at_once)
{
    const double wall = clock_wall_s(), interval = progress->cli->terminal ? 0.1 : 10;
    const bool first = progress->shown_s == 0;

    if (progress->quiet || (wall - progress->shown_s < interval && !(at_once && progress->cli->terminal)))
        return false;
    progress->shown_s = wall;
    return progress->cli->terminal || !first;
}

static void put(struct progress *progress, const char *name, double share, const char *numbers)
{
    if (progress->cli->terminal)
        draw_bar(progress->cli, name, share, numbers);
    else
        fprintf(progress->cli->err, "%s: %s\n", name, numbers);
    progress->drawn = progress->cli->terminal;
}

static double share_of(uint64_t done, uint64_t total)
{
    return total ? (double)done / (double)total : 1;
}

/* What hosts do
 * ------------------------------------------------------------------------------------------------------------
 */

void progress_open(struct progress *progress)
{
    job_file_open(&progress->job);
}

void progress_close(struct progress *progress)
{
    job_file_close(&progress->job);
    free(progress->work);
    free(progress->hosts);
    progress->work = NULL;
    progress->hosts = NULL;
}

static void put_rates(FILE *out, const char *name, const char *offers, struct host_work *before,
                      struct host_work now, double since_s)
{
    /* The numbers begin anew with each problem. */
    const double compiled = now.compiled < before->compiled ? 0 : (double)(now.compiled - before->compiled);
    const double timed = now.timed < before->timed ? 0 : (double)(now.timed - before->timed);

    fprintf(out, "  %s%s: compiles %.3g/s, times %.3g/s\n", name, offers, compiled / since_s,
            timed / since_s);
    *before = now;
}

static void put_hosts(FILE *out, struct progress *progress, const struct tune_progress *now, double since_s)
{
    struct host_work here = {now->compiled, now->tried};
    char offers[64];

    for (size_t i = 0; i < fleet_count(now->fleet); i++) {
        const struct host *host = fleet_host(now->fleet, i);
        const struct host_work work = {host->compiled, host->timed};

        here.compiled -= work.compiled < here.compiled ? work.compiled : here.compiled;
        here.timed -= work.timed < here.timed ? work.timed : here.timed;
        snprintf(offers, sizeof offers, ", %u cores, %zu GPUs", host->cores, host->measuring);
        if (host->up)
            put_rates(out, host->name, offers, &progress->work[1 + i], work, since_s);
        else
            fprintf(out, "  %s: not there%s%s\n", host->command, *host->reason ? ": " : "", host->reason);
    }
    put_rates(out, "this machine", "", &progress->work[0], here, since_s);
}

/* Once a second: what each host did since the last time. */
static void progress_hosts(struct progress *progress, const struct tune_progress *now)
{
    const double wall_s = clock_wall_s();
    size_t size;
    FILE *out;

    if (!now->fleet || wall_s - progress->written_s < 1)
        return;
    if (!progress->work) {
        progress->work = calloc(1 + fleet_count(now->fleet), sizeof *progress->work);
        progress->written_s = wall_s - fmax(now->now_s, 1);
    }
    free(progress->hosts);
    progress->hosts = NULL;
    out = progress->work ? open_memstream(&progress->hosts, &size) : NULL;
    if (!out)
        return;
    fprintf(out, "%s %s, %" PRIu64 " done\n", now->kernel, now->problem, now->done);
    put_hosts(out, progress, now, wall_s - progress->written_s);
    fclose(out);
    progress->written_s = wall_s;
    if (!progress->hosts)
        return;
    job_file_write(&progress->job, progress->hosts, size);
    memmove(progress->hosts, strchr(progress->hosts, '\n') + 1, strlen(strchr(progress->hosts, '\n')));
}

void progress_show(void *context, const struct tune_progress *now)
{
    struct progress *progress = context;
    const double rate = now->now_s > 0 ? (double)now->done / now->now_s : 0;
    char numbers[160] = "finals", name[256], best[32], duration[32], left[48] = "", total[24] = "";

    progress_hosts(progress, now);
    if (!is_due(progress, now->finals))
        return;
    progress_time_text(best, now->best_s);
    if (isfinite(now->left_s)) {
        progress_duration_text(duration, now->left_s);
        snprintf(left, sizeof left, ", %s left", duration);
    }
    if (now->total)
        snprintf(total, sizeof total, "/%" PRIu64, now->total);
    if (!now->finals || !progress->cli->terminal)
        snprintf(numbers, sizeof numbers, "%" PRIu64 "%s, best %s, %.3g/s, %" PRIu64 " failed%s", now->done,
                 total, best, rate, now->failed, left);
    snprintf(name, sizeof name, "%s%s%s", now->kernel, *now->problem && !progress->cli->terminal ? " " : "",
             progress->cli->terminal ? "" : now->problem);
    put(progress, name, now->total || now->finals ? share_of(now->done, now->total) : 0, numbers);
    if (progress->hosts && !progress->cli->terminal)
        fputs(progress->hosts, progress->cli->err);
}

void progress_rank(void *context, const struct ranking_progress *now)
{
    struct progress *progress = context;
    char numbers[160], best[32], left[32];

    if (!is_due(progress, false))
        return;
    progress_time_text(best, now->best_s);
    progress_duration_text(left, now->left_s);
    snprintf(numbers, sizeof numbers, "%" PRIu64 "/%" PRIu64 ", best estimate %s, %s left", now->done,
             now->total, best, left);
    put(progress, "predicted", share_of(now->done, now->total), numbers);
}

void progress_end(struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", progress->cli->screen);
    progress->drawn = false;
}

void progress_message(void *context, const char *text)
{
    struct progress *progress = context;

    progress_end(progress);
    fprintf(progress->cli->err, "%s: %s\n", progress->cli->program, text);
}
