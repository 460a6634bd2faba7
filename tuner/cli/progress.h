/* Progress of a run: a bar that is redrawn on a terminal, a line now and then elsewhere. */
#ifndef TUNER_CLI_PROGRESS_H
#define TUNER_CLI_PROGRESS_H

#include "tuner/cli/cli.h"
#include "tuner/cli/jobs.h"
#include "tuner/tune/tune.h"

struct ranking_progress;

/* What a host had done. */
struct progress_work {
    uint64_t compiled, timed;
};

/* Of one run; or, where several go on at the same time, each for a kind of GPU, of one of them. */
struct progress {
    struct cli *cli;
    bool quiet;
    struct progress *all; /* of the runs beside each other; null: there is one */
    size_t count;
    struct job_file job;        /* where what follows is written */
    struct progress_work *work; /* of each host, this machine first, when it was last written */
    double written_s;           /* wall clock; 0: never */
    char *hosts;                /* what is done, and below what they do, a line each */
    double shown_s;             /* wall clock of the last drawing */
    bool drawn;                 /* a bar stands on the line */
    bool ended;                 /* its run */
};

/* For struct tune_options and struct ranking_options; `context` is a struct progress. */
void progress_show(void *context, const struct tune_progress *now);
void progress_rank(void *context, const struct ranking_progress *now);
void progress_message(void *context, const char *text);

/* For runs with workers elsewhere; progress_close() afterwards, also without. */
void progress_open(struct progress *progress);
void progress_close(struct progress *progress);

/* For `count` runs beside each other, which are shown by progress->all. */
int progress_divide(struct progress *progress, size_t count, struct err *err);

/* Clears the bar. */
void progress_end(struct progress *progress);

/* "2.743 ms", "18.2 us", "3 min 20 s": into `out` of 32 bytes. */
void progress_time_text(char out[32], double time_s);
void progress_duration_text(char out[32], double duration_s);

#endif
