/* What a worker elsewhere answered to what was asked by dispatch.h. */
#ifndef TUNER_REMOTE_ANSWER_H
#define TUNER_REMOTE_ANSWER_H

#include "gpu/compile.h"
#include "gpu/trial.h"
#include "tuner/predict/code_facts.h"
#include "tuner/predict/predictor.h"
#include "tuner/remote/fleet.h"

enum answer_kind {
    ANSWER_DONE,
    ANSWER_MISSING, /* a content is not there any more: ask again */
    ANSWER_UNFIT,   /* it cannot be done there, but here */
    ANSWER_FAILED   /* for the reason in `err`, which is not the message's */
};

/* Where there is an answer: which one is in *out_id. */
int answer_id(int64_t *out_id, const struct message *message, struct err *err);

/* Takes an answer apart: what was asked for is filled in, the payload taken over; packed code stays so. An error: it makes no sense. */
int answer_compile(enum answer_kind *kind, struct compile_result *compiled, struct code_facts *facts,
                   struct variant_prediction *prediction, struct host *host, struct message *message,
                   struct err *failed, struct err *err);
int answer_trial(enum answer_kind *kind, struct trial *trial, const struct message *message,
                 struct err *failed, struct err *err);

#endif
