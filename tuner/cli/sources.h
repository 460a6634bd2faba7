/* What a page can be made of: a decision with the journals that it names, or a journal alone. */
#ifndef TUNER_CLI_SOURCES_H
#define TUNER_CLI_SOURCES_H

#include "tuner/cli/cli.h"
#include "tuner/decision/decision.h"
#include "tuner/journal/journal.h"
#include "tuner/report/report.h"

#include <limits.h>

struct sources {
    struct decision decision;
    bool has_decision;
    const char *level;
    const struct json *signature;
    struct report_problem *problems; /* `count` of them, and below what they borrow */
    struct journal **journals;
    const struct record ***records;
    size_t count;
};

/* The name of the decision, or where there is none of the journal, that was written last in this folder;
 * ERR_USAGE where there is neither. */
int sources_latest(char out[PATH_MAX], struct err *err);

/* Reads the file and, with `journals`, those it names; remarks on journals go to cli->err. sources_close() in any
 * case. */
int sources_open(struct sources *out, struct cli *cli, const char *path, bool journals, struct err *err);
/* The same of a decision in memory, which is taken over (also on failure); `path` is where it goes. `out` is all
 * zero. */
int sources_take(struct sources *out, struct cli *cli, struct json *decision, const char *path, bool journals,
                 struct err *err);
/* Whether `output`, of the option --output, is none of the files that were read (of `path`) or that the decision
 * names. ERR_USAGE. */
int sources_check_output(const struct sources *sources, const char *path, const char *output,
                         struct err *err);
/* What they show, which borrows from them. */
struct report_options sources_shown(const struct sources *sources);
void sources_close(struct sources *sources);

#endif
