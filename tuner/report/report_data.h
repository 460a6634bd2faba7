/* What the page's scripts are given: report_data.c makes it, report.c wraps it. Nobody else includes this. */
#ifndef TUNER_REPORT_DATA_H
#define TUNER_REPORT_DATA_H

#include "tuner/report/report.h"

/* One document. A variant is one place in each of its problem's columns; a column in which nothing is known is
 * left out. tuner/report/page/model.js reads it. */
int report_data(struct json **out, const struct report_options *options, struct err *err);

#endif
