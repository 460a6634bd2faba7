/* What `tune` writes beside the decision: the page of the run as it goes and when it ends, and what a recorded run
 * did. */
#ifndef TUNER_CLI_TUNE_PAGE_H
#define TUNER_CLI_TUNE_PAGE_H

#include "tuner/cli/cli.h"
#include "tuner/tune/tune.h"

struct tune_page {
    struct cli *cli;
    const struct spec *spec;
    const char *decision; /* where it goes; "-": standard output, and nothing is written beside it */
    const char *page;     /* file; null: none is written */
    const char *profile;  /* for the page; null: the GPU's own */
    struct tuned *tuned;  /* of all problems, for this kind of GPU: whose `replay` is set */
    bool kinds_follow;    /* they are tuned for other kinds, too */
    bool hidden; /* as the run goes the page is of another kind, which is tuned for at the same time */
    bool failed; /* the page could not be written as the run went, which was said */
};

/* For struct tune_options: `context` is a struct tune_page. */
int tune_page_view(void *context, const struct tune_view *view, struct err *err);

/* Whether the page can be written when the time comes. */
int tune_page_check(const struct tune_page *page, const struct cli_args *args, struct err *err);

/* The page of the whole run, of the decision, which is taken over; nothing where no page is asked for. */
int tune_page_end(const struct tune_page *page, struct json *decision, struct err *err);

#endif
