/* What evaluator_asked asks of another program, and what that answers, a line of JSON each: docs/cli.md describes them. */
#ifndef TUNER_EVALUATE_QUESTIONS_H
#define TUNER_EVALUATE_QUESTIONS_H

#include "base/err.h"
#include "base/json.h"
#include "base/line_reader.h"
#include "gpu/trial.h"
#include "space/spec.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct evaluator_job;

/* The sender fills this in and owns it. */
struct questions {
    const struct spec *spec; /* whose configurations are asked for */
    FILE *out;
    struct line_reader answers;
    const volatile sig_atomic_t *stop; /* not 0: no answer is waited for any more */
    /* Told of an answer that makes no sense; the question waits for another. */
    void (*refused)(void *context, const struct err *why);
    void *context;
    uint64_t number; /* of the next question, or of the one that waits */
    bool doubtful;   /* the last answer was refused */
    bool gone;       /* nobody answers any more */
};

/* To time what the job measures. ERR_SYSTEM, ERR_MEMORY. */
int questions_put(const struct questions *questions, const struct evaluator_job *job, struct err *err);

/* Takes the JSON over; null: memory has ended. Likewise. */
int questions_put_line(const struct questions *questions, struct json *line, struct err *err);

/* Whether the answer has come: what was timed is in *out. */
bool questions_take(struct trial *out, struct questions *questions, struct err *err);

bool questions_over(const struct questions *questions);

#endif
