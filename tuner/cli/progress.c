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

/* There is one bar: it is each run's that goes on for two seconds. */
static bool has_bar(const struct progress *progress, double wall_s)
{
    size_t before = 0, going = 0;

    if (!progress->all || !progress->cli->terminal)
        return true;
    for (size_t k = 0; k < progress->count; k++) {
        before += &progress->all[k] < progress && !progress->all[k].ended;
        going += !progress->all[k].ended;
    }
    return !going || (size_t)(wall_s / 2) % going == before;
}

/* Whether it is time to show something again. A short run that is not drawn needs no line. */
static bool is_due(struct progress *progress, bool at_once)
{
    const double wall = clock_wall_s(), interval = progress->cli->terminal ? 0.1 : 10;
    const bool first = progress->shown_s == 0;

    if (progress->quiet || !has_bar(progress, wall) ||
        (wall - progress->shown_s < interval && !(at_once && progress->cli->terminal)))
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

/* What hosts do ------------------------------------------------------------ */

void progress_open(struct progress *progress)
{
    job_file_open(&progress->job);
}

static void release(struct progress *progress)
{
    free(progress->work);
    free(progress->hosts);
    progress->work = NULL;
    progress->hosts = NULL;
}

void progress_close(struct progress *progress)
{
    job_file_close(&progress->job);
    for (size_t k = 0; progress->all && k < progress->count; k++)
        release(&progress->all[k]);
    free(progress->all);
    progress->all = NULL;
    release(progress);
}

static void put_rates(FILE *out, const char *name, const char *offers, struct progress_work *before,
                      struct progress_work now, double since_s)
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
    struct progress_work here = {now->compiled, now->tried};
    char offers[64];

    for (size_t i = 0; i < fleet_count(now->fleet); i++) {
        const struct host *host = fleet_host(now->fleet, i);
        const struct progress_work work = {host->work[now->kind].compiled, host->work[now->kind].timed};

        here.compiled -= work.compiled < here.compiled ? work.compiled : here.compiled;
        here.timed -= work.timed < here.timed ? work.timed : here.timed;
        snprintf(offers, sizeof offers, ", %u cores, %zu GPUs", host->cores, host_measuring(host, now->kind));
        if (host->up)
            put_rates(out, host->name, offers, &progress->work[1 + i], work, since_s);
        else
            fprintf(out, "  %s: not there%s%s\n", host->command, *host->reason ? ": " : "", host->reason);
    }
    put_rates(out, "this machine", "", &progress->work[0], here, since_s);
}

/* What all runs last had to say. */
static void write_job(const struct progress *progress)
{
    const struct progress *all = progress->all ? progress->all : progress;
    const size_t count = progress->all ? progress->count : 1;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return;
    for (size_t k = 0; k < count; k++)
        if (all[k].hosts)
            fputs(all[k].hosts, out);
    fclose(out);
    if (text)
        job_file_write(&progress->job, text, size);
    free(text);
}

/* " on Other GPU" where there are several. */
static const char *device_of(char out[128], const struct progress *progress, const struct tune_progress *now)
{
    *out = '\0';
    if (progress->all)
        snprintf(out, 128, " on %.100s", now->device);
    return out;
}

/* Once a second: what each host did since the last time. */
static void progress_hosts(struct progress *progress, const struct tune_progress *now)
{
    const double wall_s = clock_wall_s();
    char device[128];
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
    fprintf(out, "%s %s%s, %" PRIu64 " done\n", now->kernel, now->problem, device_of(device, progress, now),
            now->done);
    put_hosts(out, progress, now, wall_s - progress->written_s);
    fclose(out);
    progress->written_s = wall_s;
    write_job(progress);
}

void progress_show(void *context, const struct tune_progress *now)
{
    struct progress *progress = context;
    const double rate = now->now_s > 0 ? (double)now->done / now->now_s : 0;
    char numbers[160] = "finals", name[256], best[32], duration[32], left[48] = "", total[24] = "",
         device[128];

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
    snprintf(name, sizeof name, "%s%s%s%s", now->kernel, *now->problem && !progress->cli->terminal ? " " : "",
             progress->cli->terminal ? "" : now->problem, device_of(device, progress, now));
    put(progress, name, now->total || now->finals ? share_of(now->done, now->total) : 0, numbers);
    if (progress->hosts && !progress->cli->terminal)
        fputs(strchr(progress->hosts, '\n') + 1, progress->cli->err);
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

int progress_divide(struct progress *progress, size_t count, struct err *err)
{
    struct progress *all = calloc(count, sizeof *all);

    if (!all)
        return err_memory(err);
    progress->all = all;
    progress->count = count;
    for (size_t k = 0; k < count; k++)
        all[k] = *progress;
    return 0;
}

void progress_end(struct progress *progress)
{
    bool drawn = progress->drawn;

    for (size_t k = 0; progress->all && k < progress->count; k++) {
        drawn |= progress->all[k].drawn;
        progress->all[k].drawn = false;
    }
    if (drawn)
        fputs("\r\033[K", progress->cli->screen);
    progress->drawn = false;
}

void progress_message(void *context, const char *text)
{
    struct progress *progress = context;

    progress_end(progress);
    fprintf(progress->cli->err, "%s: %s\n", progress->cli->program, text);
}
