/* The C header: what was decided, for programs that are compiled against it.
 *
 * Plain C99 that is also C++ and CUDA, in three forms: macros of one row; a table of all rows with a lookup
 * by device, architecture and problem size that gives the compiler's options too; and an X-macro over the
 * distinct configurations, for templates that nvcc instantiates. */
#ifndef TUNER_DECISION_HEADER_H
#define TUNER_DECISION_HEADER_H

#include "base/err.h"
#include "tuner/decision/decision.h"

#include <stddef.h>
#include <stdio.h>

/* Writes the header of decisions about one kernel; `row` (from 0, counted over the decisions in order) is the
 * one for the macros. ERR_USAGE when the decisions are about different kernels, parameters or sizes, when
 * none has a winner, or when there is no such row. Failing to write shows in ferror(out). */
int header_write(FILE *out, const struct decision *decisions, size_t count, size_t row, struct err *err);

#endif
