/* What the files of the public library share. */
#ifndef TUNER_LIBRARY_OCCUTUNE_OWN_H
#define TUNER_LIBRARY_OCCUTUNE_OWN_H

#include "base/err.h"
#include "tuner/decision/decision.h"
#include "tuner/library/occutune.h"

struct occutune_decision {
    struct decision decision;
};

/* Passes it to the caller, who may not want it; returns its code. */
int library_error(struct occutune_error *error, const struct err *err);

/* A pointer that the caller has to give, as the public header calls it. */
struct library_pointer {
    const char *name;
    const void *value;
};

/* ERR_USAGE, passed to the caller, where one of them is null; the list ends with a name that is. */
int library_need(struct occutune_error *error, const struct library_pointer *pointers);

#define LIBRARY_NEED(error, ...) library_need(error, (const struct library_pointer[]){__VA_ARGS__, {0}})

/* The folder of compiled code that the options say; null: none. */
const char *library_cache(char *out, size_t size, const struct occutune_options *options);

#endif
