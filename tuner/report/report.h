/* A run, or several, as one self-contained HTML page: charts and a table over what journals and a decision hold. Nothing
 * is predicted, nothing is fetched when it is read. docs/report.md says what it shows. */
#ifndef TUNER_REPORT_REPORT_H
#define TUNER_REPORT_REPORT_H

#include "base/err.h"
#include "base/json.h"
#include "model/device/device.h"
#include "tuner/journal/journal.h"

#include <stdio.h>

/* What was tuned for one problem size on one kind of GPU; borrows everything. */
struct report_problem {
    struct js_at head; /* of the journal */
    const struct record *const *records;
    size_t count;
    const struct json *not_timed; /* as at the end of a journal, or null */
    const struct json *decision;  /* the decision's part on this problem, or null */
    const char *source;           /* where the times are from, for people */
    const struct device *profile; /* whose curves are shown; null: none */
    bool replay;                  /* records stand in the order of compiling, on one clock */
};

struct report_options {
    const struct report_problem *problems; /* at least one, of one kernel */
    size_t problem_count;
    const struct json *signature; /* of the decision, or null */
    const char *level;            /* "live", "recorded"; "" unknown */
    const char *assets;           /* folder of the page's scripts and style */
    const char *version;          /* of this program */
    bool live;                    /* the run goes on: the page loads itself anew */
};

/* ERR_MISSING where the charting library is not in the folder of the page's parts. */
int report_check(const char *assets, struct err *err);

/* ERR_USAGE where there is no record at all, ERR_MISSING where a part of the page is not installed, ERR_MEMORY. */
int report_page(FILE *out, const struct report_options *options, struct err *err);

#endif
