/* Output formats: a run, written for one kind of reader. A format is one file of this folder and a row of formats[];
 * commands take its name and where it goes from the row. docs/howto-format.md says how to add one.
 *
 * A format reads what the tuner keeps, decisions and journals, and nothing else. It predicts, times and decides nothing:
 * what a reader is to see that neither holds is to be kept there first. */
#ifndef TUNER_FORMAT_FORMAT_H
#define TUNER_FORMAT_FORMAT_H

#include "base/err.h"
#include "tuner/decision/decision.h"
#include "tuner/report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct format_input {
    const struct decision *decisions; /* of one kernel */
    size_t decision_count;
    size_t row; /* from 0, counted over the decisions: the one for macros */
    const struct report_options
        *runs; /* the journals, with what a page shows beside them; null: none were read */
};

struct format {
    const char *name;    /* of `report --format` */
    const char *file;    /* where it goes unless a user says; "-": standard output */
    bool reads_decision; /* a journal alone is not enough */
    bool reads_runs;
    int (*check)(struct err *err); /* what must be installed: asked before a long run; null: nothing */
    /* ERR_USAGE where the input has nothing of the kind, ERR_MEMORY. A failure to write shows in ferror(out). */
    int (*write)(FILE *out, const struct format_input *in, struct err *err);
};

#define FORMAT(name, file) extern const struct format format_##name;
#include "tuner/format/formats.def"
#undef FORMAT

/* Those of formats.def; null ends the table. */
extern const struct format *const formats[];

/* By name, and the default for null; ERR_USAGE, which lists them, for an unknown name. */
int format_find(const struct format **out, const char *name, struct err *err);

enum { FORMAT_NAMES_MAX = 256 };

/* For --help: "page (default), header or rows". */
void format_choices(char *out, size_t size);

/* The whole text, malloc'ed. ERR_USAGE where the format needs what the input lacks; errors of write(). */
int format_text(char **out, size_t *size, const struct format *format, const struct format_input *in,
                struct err *err);

#endif
