/* The variants of one problem, for report_data.c. */
#ifndef TUNER_REPORT_PROBLEM_H
#define TUNER_REPORT_PROBLEM_H

#include "tuner/report/report.h"

/* Sets the members `keys` and `columns` of `out`; appends to the list `messages`, which columns refer to. */
int report_columns(struct json *out, const struct report_problem *problem, struct json *messages,
                   struct err *err);

#endif
