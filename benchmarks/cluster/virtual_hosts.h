/* Hosts of so many cores and one GPU each, in virtual time: an evaluator whose jobs end when an event queue says so. What a
 * compile or a trial takes comes with the job. Nothing is compiled, run or waited for, so that 64 hosts take seconds of one
 * core, and the same ones every time.
 *
 * Placing follows evaluator_remote: a compile goes to the host with the least work for each of its cores, two for each core
 * ahead; a trial to the GPU of the host that has the code, else to the one with the least to do. The controller is a server
 * of its own: each result keeps it for `controller_s`, and nothing is placed meanwhile. */
#ifndef BENCHMARKS_CLUSTER_VIRTUAL_HOSTS_H
#define BENCHMARKS_CLUSTER_VIRTUAL_HOSTS_H

#include "tuner/evaluate/evaluator.h"

struct virtual_options {
    unsigned hosts, cores; /* of each */
    double latency_s;      /* one way */
    double controller_s;   /* for each result; negative: so much, and what the search really thought since */
};

/* How long GPUs had nothing to do, on average: before their first trial, and between trials; and when the last of each
 * ended. */
struct virtual_idle {
    double first_s, between_s, ended_s;
};

/* Of the evaluator that was opened last, so far. */
struct virtual_idle virtual_idle(void);

/* A job of the evaluator's, with what it takes. */
struct virtual_job {
    struct evaluator_job job;
    double takes_s;
    unsigned host;            /* of a trial: that compiled it; afterwards, that did it */
    double back_s;            /* when its result is with the controller */
    struct virtual_job *next; /* of those that wait */
};

extern const struct evaluator_type evaluator_virtual;

/* For the next evaluator that is opened. */
void virtual_configure(const struct virtual_options *options);

#endif
