/* What the files of the report share: report.c (the page and its tables) and report_charts.c (its pictures).
 * Nobody else includes this. */
#ifndef TUNER_REPORT_REPORTING_H
#define TUNER_REPORT_REPORTING_H

#include "tuner/report/page.h"
#include "tuner/report/report.h"

/* A record that has a time. */
struct timed_record {
    const struct record *record;
    uint64_t index; /* in the space, where there is one */
    bool in_space;
    const struct variant_prediction *prediction; /* or null */
};

struct report {
    const struct report_options *options;
    struct page page;
    struct timed_record *ran; /* fastest first; at least one */
    size_t count;
    double *x, *y, *z; /* scratch for charts: as many as records */
    struct err *err;
    int code; /* of the first failure */
};

bool report_has_time(const struct record *record);

/* Adds the pictures to the page. */
void report_charts(struct report *report);

#endif
