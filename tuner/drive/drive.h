/* The loop that carries out a search: it asks the strategy for steps as far as there is capacity, has them begun, and tells
 * of each job that ends. `occutune tune` and every way of `occutune compare` run in it.
 *
 * The owner of a search says in `struct driver` how a step begins and what comes of a job. Its functions return an error
 * only for what ends the run. */
#ifndef TUNER_DRIVE_DRIVE_H
#define TUNER_DRIVE_DRIVE_H

#include "base/err.h"
#include "tuner/evaluate/evaluator.h"
#include "tuner/strategy/strategy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct driver {
    const struct strategy *strategy;
    struct search *search;
    struct evaluator *evaluator;
    const size_t *ready;         /* compiled and not yet timed: bounds how far compiling runs ahead */
    const bool *hold;            /* nothing is timed yet; null: never */
    bool (*over)(void *context); /* nothing new is to be started; null: never */
    int (*compile)(void *context, uint64_t index, struct err *err);
    int (*time)(void *context, uint64_t index, bool audit, struct err *err);
    int (*finish)(void *context, struct evaluator_job *job, struct err *err);
    /* At each step of the audit, before it begins. True: compiling was given up with it, so there is capacity again and the
     * step need not wait. */
    bool (*audit)(void *context);
    int (*tick)(void *context,
                struct err *err); /* after each wait, ten times a second or more often; null: nothing */
    void *context;
};

/* Until the search stops, or it is over. What is under way then stays so. */
int drive(const struct driver *driver, struct err *err);

/* Waits for a job, not for long, and has it finished, and all others that have ended by then: a search learns from them
 * together before it says what next. */
int drive_wait(const struct driver *driver, struct err *err);

#endif
