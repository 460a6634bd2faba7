/* Each kind is tuned for on a thread of its own, one of which has the turn at a time: what waits (for a compile, a trial,
 * a worker elsewhere) gives it up. So a kind is tuned for as it is alone, finals included, and its GPUs do not wait for
 * those of another; the cores go to all of them in equal parts. */
#include "tuner/cli/tune_kinds.h"

#include "space/launchable.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    struct tune_kinds *kinds;
    struct environment *environment, part; /* the first kind's is the whole one */
    struct tune_options tune;
    struct tune_page page;
    struct progress *progress;
    struct tuned *tuned;
    size_t tuned_count;
    bool failed; /* any of them */
    struct err err;
    struct kind *all;
};

static void tell_all(const struct kind *kind)
{
    for (size_t k = 0; k < kind->kinds->count; k++)
        kind->all[k].failed = true;
}

/* Every problem for one kind. */
static void tune_problems(struct kind *kind)
{
    const struct tune_options *tune_options = &kind->tune;
    const struct spec *spec = kind->kinds->spec;
    int rc = 0;

    for (size_t i = 0; i < spec->problem_count && !rc; i++) {
        if ((tune_options->stop && *tune_options->stop) || kind->failed)
            break;
        rc = tune(&kind->tuned[i], spec, i, kind->environment, tune_options, &kind->err);
        progress_end(kind->progress);
        kind->tuned_count += !rc;
    }
    if (rc)
        tell_all(kind);
    kind->progress->ended = true;
}

static void *run_kind(void *argument)
{
    struct kind *kind = argument;

    turns_enter(kind->environment->turns);
    tune_problems(kind);
    turns_leave(kind->environment->turns);
    return NULL;
}

/* The first kind's is this thread. What is begun is ended, also where another thread cannot be had. */
static int run_all(struct kind *all, size_t count, struct err *err)
{
    pthread_t *threads = calloc(count, sizeof *threads);
    size_t begun = 1;
    int rc = threads ? 0 : err_memory(err);

    if (rc)
        return rc;
    while (begun < count && !rc) {
        if (pthread_create(&threads[begun], NULL, run_kind, &all[begun]))
            rc = err_set(err, ERR_SYSTEM, "no thread can be started");
        else
            begun++;
    }
    turns_enter(all->environment->turns);
    if (rc)
        tell_all(all);
    else
        tune_problems(all);
    turns_leave(all->environment->turns);
    while (begun-- > 1)
        pthread_join(threads[begun], NULL);
    free(threads);
    return rc;
}

static int open_kind(struct kind *out, struct tune_kinds *kinds, size_t k, struct err *err)
{
    out->kinds = kinds;
    out->environment = k ? &out->part : kinds->environment;
    out->tune = *kinds->tune;
    out->tune.failed = &out->failed;
    out->tune.context = out->progress;
    out->tune.view_context = &out->page;
    out->tuned = out->page.tuned = &kinds->tuned[k * kinds->spec->problem_count];
    return k ? environment_part(&out->part, kinds->environment, k, err) : 0;
}

/* The first error; and what ended, in order and without gaps. */
static int collect(struct tune_kinds *kinds, struct kind *all, struct err *err)
{
    int rc = 0;

    for (size_t k = 0; k < kinds->count; k++) {
        if (all[k].tuned_count)
            memmove(&kinds->tuned[kinds->tuned_count], all[k].tuned,
                    all[k].tuned_count * sizeof *kinds->tuned);
        kinds->tuned_count += all[k].tuned_count;
        if (!rc && all[k].err.code)
            rc = err_set(err, (enum err_code)all[k].err.code, "%s", all[k].err.text);
    }
    return rc;
}

static int tune_each(struct tune_kinds *kinds, struct kind *all, struct tune_pages *pages, struct err *err)
{
    int rc = 0, failed;

    for (size_t k = 0; k < kinds->count; k++) {
        all[k].all = all;
        all[k].progress = kinds->count > 1 ? &kinds->progress->all[k] : kinds->progress;
        all[k].page = *kinds->page;
        all[k].page.pages = pages;
    }
    for (size_t k = 0; k < kinds->count && !rc; k++)
        rc = open_kind(&all[k], kinds, k, err);
    if (!rc)
        rc = run_all(all, kinds->count, err);
    failed = collect(kinds, all, rc ? NULL : err);
    for (size_t k = 1; k < kinds->count; k++)
        environment_part_release(&all[k].part);
    return rc ? rc : failed;
}

int tune_kinds(struct tune_kinds *kinds, struct err *err)
{
    struct environment *environment = kinds->environment;
    struct kind *all = calloc(kinds->count, sizeof *all);
    struct tune_pages pages = {0};
    struct turns turns;
    struct share share;
    const uint64_t memory_bytes = kinds->tune->recorded ? 0 : environment_memory(environment);
    int rc = all ? space_check_problems(kinds->spec, memory_bytes, kinds->tune->stop, err) : err_memory(err);

    if (!rc)
        rc = tune_pages_init(&pages, kinds->count, err);
    if (!rc && kinds->count > 1)
        rc = progress_divide(kinds->progress, kinds->count, err);
    turns_init(&turns);
    share_init(&share, environment->jobs);
    if (kinds->count > 1) {
        environment->turns = &turns;
        environment->share = &share;
    }
    if (!rc)
        rc = tune_each(kinds, all, &pages, err);
    environment->turns = NULL;
    environment->share = NULL;
    share_release(&share);
    turns_release(&turns);
    tune_pages_release(&pages);
    free(all);
    return rc;
}
