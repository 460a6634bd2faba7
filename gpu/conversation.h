/* A worker's process and the talk with it: it is started, asked, waited for as long as it keeps its promises,
 * and replaced when it died. For gpu/worker.c alone. */
#ifndef GPU_CONVERSATION_H
#define GPU_CONVERSATION_H

#include "gpu/message.h"
#include "gpu/process.h"
#include "gpu/worker.h"

#include <pthread.h>
#include <stdbool.h>

enum {
    WORKER_START_S = 120, /* until a worker has found its GPU, and again until it has its context */
    WORKER_GRACE_S = 30   /* until it answers at all */
};
enum { START_TRIES = 3, ASK_TRIES = 6 /* then something means it */ };

struct worker {
    pthread_mutex_t asking;
    struct process process; /* pid 0: to be started */
    int device;
    struct clock_setting clocks; /* that it locks */
    int devices;                 /* that it sees */
    bool fresh;                  /* may still be making its context */
    char *executable;            /* or null */
};

/* What became of a conversation that did not end with an answer. */
struct silence {
    char stage[16]; /* the last stage announced, "" before the first */
    double within_s;
    int signal; /* that ended or stopped the worker; 0 when it ended by itself */
};

/* SIGKILL and SIGSTOP are sent by no kernel: they came from outside, and say nothing about the request. */
bool silence_from_outside(const struct silence *silence);

/* Starts the process without waiting for it. */
int worker_launch(struct worker *worker, struct err *err);

/* Waits until the process, which is started first if need be, has found its GPU. One that dies or is stopped before it
 * has said a word is replaced, START_TRIES times in all: something outside may have done that, which is no reason to
 * end a run. */
int worker_start(struct worker *worker, struct err *err);

/* Sends a request to a worker, which is started first if need be, and waits for the answer; one thread at a time. A worker that was
 * killed or stopped from outside is replaced and the request made again, up to ASK_TRIES times; so is, once,
 * an older one that says nothing at all. ERR_STOPPED: it broke a promise; ERR_SYSTEM: it died; both tell more
 * in `silence`, and the worker is gone. */
int worker_ask(struct message *answer, struct silence *silence, struct worker *worker,
               const struct json *head, const struct part *parts, size_t part_count, struct err *err);

/* The error that a worker sends instead of an answer; 0 where there is none. */
int answer_error(const struct js_at *root, struct err *err);

/* What `rc` and the silence come to: "did not end within 5 s". */
void silence_text(char *out, size_t size, const struct silence *silence, int rc);

#endif
