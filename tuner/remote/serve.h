/* The worker's side of a connection: compiles, predicts and measures what the controller sends, until its end of
 * the connection closes.
 *
 * It reads and writes no file of its host but the toolkit's and those it was sent, which it keeps in a folder of
 * its own. */
#ifndef TUNER_REMOTE_SERVE_H
#define TUNER_REMOTE_SERVE_H

#include "base/err.h"
#include "gpu/compile.h"
#include "gpu/worker.h"

struct serve_gpu {
    struct worker *worker;
    const struct device *device;
    struct gpu_pace pace;
};

struct serve_options {
    int in, out;                  /* the connection */
    const char *version;          /* of the program */
    struct compiler *compiler;    /* null: nothing is compiled or predicted */
    unsigned cores;               /* that compile and predict */
    const struct serve_gpu *gpus; /* of any kinds */
    size_t gpu_count;
};

/* Returns where the connection ended. Jobs may still run on threads that end with the process: the caller ends
 * it. */
int serve(const struct serve_options *options, struct err *err);

#endif
