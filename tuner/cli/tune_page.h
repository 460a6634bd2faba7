/* What `tune` writes beside the decision: the page of the run as it goes and when it ends, and what a recorded run
 * did. */
#ifndef TUNER_CLI_TUNE_PAGE_H
#define TUNER_CLI_TUNE_PAGE_H

#include "tuner/cli/cli.h"
#include "tuner/report/report.h"
#include "tuner/tune/tune.h"

/* What was last shown of one kind of GPU: copies, since its run goes on, or has ended, when another kind's is shown. */
struct tune_shown {
    struct report_problem problem; /* of what follows; zeros: nothing was shown yet */
    struct json *head, *not_timed;
    struct record *copies;
    const struct record **records;
};

/* The page as the run goes, which all kinds of GPU have in common. */
struct tune_pages {
    struct tune_shown *shown; /* of each kind, in the order in which they came */
    size_t count;             /* so far, ... */
    size_t kinds;             /* ... and of all */
    bool failed;              /* it could not be written, which was said */
};
int tune_pages_init(struct tune_pages *pages, size_t kinds, struct err *err);
void tune_pages_release(struct tune_pages *pages);

struct tune_page {
    struct cli *cli;
    const struct spec *spec;
    const char *decision;     /* where it goes; "-": standard output, and nothing is written beside it */
    const char *page;         /* file; null: none is written */
    const char *profile;      /* for the page; null: the GPU's own */
    struct tuned *tuned;      /* of all problems, for this kind of GPU: whose `replay` is set */
    struct tune_pages *pages; /* set as the run goes */
    struct tune_shown *shown; /* this kind's; null: it has not been shown yet */
};

/* For struct tune_options: `context` is a struct tune_page. */
int tune_page_view(void *context, const struct tune_view *view, struct err *err);

/* Frees space on the disk: removes what view wrote beside the decision, and lets these runs name it no more. Whether there was any. */
bool tune_page_remove_replays(const struct tune_page *page, struct tuned *tuned, size_t count);

/* Whether the page can be written when the time comes. */
int tune_page_check(const struct tune_page *page, const struct cli_args *args, struct err *err);

/* The page of the whole run, of the decision, which is taken over; nothing where no page is asked for. */
int tune_page_end(const struct tune_page *page, struct json *decision, struct err *err);

#endif
