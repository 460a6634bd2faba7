/* Workers elsewhere, as the controller sees them: started by commands of the user's, dropped when they fail, started
 * again when that makes sense.
 *
 * A command runs through the shell and speaks over its standard input and output. Nothing here ever waits but
 * fleet_open() and fleet_turn(). */
#ifndef TUNER_REMOTE_FLEET_H
#define TUNER_REMOTE_FLEET_H

#include "base/err.h"
#include "base/key.h"
#include "gpu/message.h"
#include "gpu/pace.h"
#include "model/device/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A GPU of a worker's. */
struct host_gpu {
    struct device device;
    struct gpu_pace pace;
    bool measures; /* for this job: it is of its kind, not set aside and has not failed */
    bool failed;
    size_t waiting; /* trials that are with it; the user's of the fleet */
};

/* One worker. The name is its host's, with a number where several are on one. */
struct host {
    const char *command;
    char name[280];
    bool up;        /* offers what follows */
    unsigned cores; /* that compile and predict */
    struct host_gpu *gpus;
    size_t gpu_count;    /* of all kinds */
    size_t measuring;    /* of them, for this job */
    unsigned most_cores; /* so far */
    size_t most_gpus;
    uint64_t compiled, timed;    /* done for this job */
    double compile_s, measure_s; /* core and GPU seconds of that */
    unsigned drops;
    char reason[512];  /* of the last drop; "": none */
    struct link *link; /* the fleet's own */
};

struct fleet;

struct fleet_options {
    const char *const *commands; /* borrowed */
    size_t count;
    const char *version; /* of this program: workers of another are dropped */
    const char *nvrtc;   /* version: workers with another compile nothing; null: nobody compiles */
    void (*message)(void *context,
                    const char *text); /* what becomes of workers, one line each; may be null */
    void *context;
};

/* Starts all and waits until each has answered or failed once, FLEET_OPEN_S at most: who comes later joins
 * then. */
enum { FLEET_OPEN_S = 60 };
int fleet_open(struct fleet **out, const struct fleet_options *options, struct err *err);
void fleet_close(struct fleet *fleet); /* also null; ends the workers */

size_t fleet_count(const struct fleet *fleet);
struct host *fleet_host(const struct fleet *fleet, size_t index);

/* A number for a request that no other has, of whatever search: answers may come after the search that asked. */
int64_t fleet_new_id(struct fleet *fleet);

/* Whether a GPU measures, or one may come with a worker that has not answered yet. */
bool fleet_may_measure(const struct fleet *fleet);

/* The kind of GPU that this job measures on, and its usual pace (zeros: not known): those of another kind do not, nor
 * those that are off (tuner/remote/pace.h). */
/* All kinds that it tunes for, one after another, are `kinds` (borrowed): who has others is told so. */
void fleet_know_kinds(struct fleet *fleet, const struct device *kinds, size_t count);
void fleet_measure_on(struct fleet *fleet, const struct device *device, const struct gpu_pace *usual);

/* A GPU failed for reasons of its host: it measures no more until its worker comes back. */
void host_gpu_failed(struct host *host, size_t gpu);

/* Sends to a host that is up. Where that fails the host is dropped at the next turn. */
void host_send(struct host *host, const char *head, size_t length); /* JSON */

/* Sends bytes unless the host has them. */
void host_give(struct host *host, struct key key, const void *bytes, size_t size);
/* The same of bytes that are compressed already, of `size` when they are not. */
void host_give_packed(struct host *host, struct key key, struct part packed, size_t size);
void host_has(struct host *host, struct key key); /* notes that it does */
void host_forget_contents(struct host *host);     /* it says that it has not */

/* Who is told what. An answer that makes no sense is an error, for which its host is dropped. */
struct fleet_listener {
    int (*answered)(void *context, struct host *host, struct message *message, struct err *err);
    void (*dropped)(void *context, struct host *host); /* with all that it had not answered */
    void *context;
};

/* Waits up to `timeout_s` for any host, or the descriptor `other` (-1: none), and does what is due. */
int fleet_turn(struct fleet *fleet, double timeout_s, int other, const struct fleet_listener *listener,
               struct err *err);

#endif
