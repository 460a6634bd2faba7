/* What the kinds of evaluator share. For the files of this folder. */
#ifndef TUNER_EVALUATE_EVALUATING_H
#define TUNER_EVALUATE_EVALUATING_H

#include "tuner/evaluate/evaluator.h"

/* A code that some job compiles. */
struct evaluator_code {
    double ready_s;      /* recorded: when the first was compiled */
    const void *at_work; /* remote: the task that is at it now; null: none */
};

/* Compile jobs of an earlier round were given up. */
bool evaluator_is_given_up(const struct evaluator_job *job);

/* Finished jobs that were not returned yet. */
struct jobs {
    struct evaluator_job **jobs;
    size_t count, capacity;
};

/* Allocates `count` jobs in all, so that jobs_add() cannot fail. */
int jobs_reserve(struct jobs *jobs, size_t count, struct err *err);
void jobs_add(struct jobs *jobs, struct evaluator_job *job);
struct evaluator_job *jobs_pop(struct jobs *jobs); /* the one that finished first; null: none */
double jobs_first_s(const struct jobs *jobs);      /* when that finished; infinite: none */
void jobs_forget_given_up(struct jobs *jobs);
void jobs_release(struct jobs *jobs);

#endif
