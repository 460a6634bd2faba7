/* The page of a run, with the scripts and the profile that were installed. */
#ifndef TUNER_CLI_PAGE_H
#define TUNER_CLI_PAGE_H

#include "tuner/report/report.h"

struct page_source {
    const char *level;            /* see struct report_options */
    const struct json *signature; /* likewise */
    const struct report_problem *problems;
    size_t problem_count;
    const char *profile; /* name or file, whose lack is an error; null: the GPU's own, if there is one */
    bool live;
};

/* ERR_MISSING where a part of every page is not installed. */
int page_check(struct err *err);

/* The page, malloc'ed. Errors of report_page(). */
int page_make(char **out, const struct page_source *source, struct err *err);

#endif
