/* What is asked of a worker, between being read and being answered. For the worker's files of this folder. */
#ifndef TUNER_REMOTE_SERVING_H
#define TUNER_REMOTE_SERVING_H

#include "gpu/message.h"
#include "gpu/worker.h"
#include "tuner/predict/code_facts.h"
#include "tuner/predict/predictor.h"
#include "tuner/remote/serve.h"
#include "tuner/remote/store.h"

#include <stdatomic.h>

/* Parts of a request that travel by themselves: the files of a compile and its launch's arguments, or a trial's protocol,
 * its arguments and the reference's. */
enum { SHARED_MOST = 3 };

struct errand {
    const struct serve_options *options;
    struct message message; /* most of the rest is borrowed from it */
    struct json *shared[SHARED_MOST];
    size_t shared_count;
    int64_t id;
    bool measure;      /* else compile, predict, or both */
    bool missing;      /* the answer: a content that it names is not here */
    char unfit[256];   /* the answer, unless "": this cannot be done on another machine */
    struct err err;    /* the answer, if set */
    atomic_bool *stop; /* ends predicting */

    char folder[PATH_MAX]; /* of the source and its headers */
    char source[PATH_MAX];
    const char *text; /* of the source; null: the code is given */
    struct compile_request request;
    char **compile_options; /* owned, as are the texts */
    struct js_at files;     /* what was sent, by its names at the controller */
    size_t file_count;
    struct compile_result compiled;
    struct code_facts facts;

    const struct machine *machine; /* null: nothing is predicted */
    bool warm;
    struct launch launch;
    struct variant_prediction prediction;

    size_t gpu;
    struct code code;
    struct protocol protocol;
    struct launch reference_launch;
    struct reference reference;
    char **reference_names, **reference_paths; /* owned, as are the texts */
    struct trial trial;
};

/* Reads the message of an errand, which has its options, message and id. What cannot be done is its answer.
 * Contents are copied: the store may forget them. */
void errand_read(struct errand *errand, struct store *store, struct map *machines);
void errand_free(struct errand *errand);

/* A profile that was sent, among those that are known by the low words of their keys. */
struct known_machine {
    struct device profile;
    struct machine machine;
};
int machine_know(struct known_machine **out, struct map *machines, const struct content *content,
                 struct err *err);
void machines_release(struct map *machines);

/* Does it; on any thread. */
void errand_run(struct errand *errand);

/* The answer: its head, or null when memory ends, and its payload. */
struct json *errand_answer(struct part *payload, const struct errand *errand);

#endif
