/* The state of a fleet, shared by fleet.c, fleet_listen.c and fleet_offer.c. Nobody else includes this. */
#ifndef TUNER_REMOTE_FLEETING_H
#define TUNER_REMOTE_FLEETING_H

#include "base/map.h"
#include "tuner/remote/fleet.h"
#include "tuner/remote/link.h"
#include "tuner/remote/wire.h"

#include <poll.h>

enum state {
    LINK_RESTING, /* to be started at `next_s` */
    LINK_STARTED, /* has not said what it offers */
    LINK_UP,
    LINK_ENDED /* for good */
};

struct link {
    enum state state;
    struct command command;
    struct wire wire;
    struct map has; /* contents that are there: low word of the key -> the host */
    double heard_s, next_s;
    unsigned failures;
    bool worked;       /* since it was started */
    bool answered;     /* or failed, at least once */
    bool foreign;      /* of another version */
    char host[256];    /* that it said it is on */
    struct err broken; /* why it is to be dropped, if set */
};

enum claim { CLAIM_NONE, CLAIM_MADE, CLAIM_WAITED_FOR, CLAIM_STATES };

struct fleet {
    struct fleet_options options;
    struct host *hosts;
    struct link *links;
    size_t count;
    struct pollfd *signs;       /* two for each, and one more; before anybody listens */
    const struct device *kinds; /* of GPUs that the job tunes for; borrowed */
    struct gpu_pace *usual;     /* of each */
    size_t kind_count;
    struct fleet_listener *listeners;
    struct map claims; /* low word of a code's key -> one of: */
    char claim_states[CLAIM_STATES];
    int64_t last_id;
    double looked_s;   /* when all hosts were looked at last, */
    double listened_s; /* and when at what they write on standard error, too */
};

/* Tells the user of a host. */
void fleet_say(const struct fleet *fleet, const struct host *host, const char *text);

/* fleet_offer.c: what a worker says of itself. */
int host_take_hello(const struct fleet *fleet, struct host *host, const struct js_at *hello, struct err *err);
void host_forget_gpus(struct host *host);

#endif
