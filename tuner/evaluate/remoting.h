/* The state of evaluator_remote, shared by its files: remote.c (the interface), remote_tasks.c (lists of jobs on their
 * way), remote_place.c (what goes where) and remote_answer.c (what comes back). Nobody else includes this. */
#ifndef TUNER_EVALUATE_REMOTING_H
#define TUNER_EVALUATE_REMOTING_H

#include "tuner/evaluate/evaluating.h"
#include "tuner/remote/dispatch.h"
#include "tuner/remote/fleet.h"

/* A job on its way: among those that wait, here or away. */
struct task {
    struct evaluator_job *job;
    int64_t id;
    struct host *holder;         /* of measuring: that has the code; null: none */
    struct host *host;           /* that is at it; null: it waits, or is `here` */
    bool here;                   /* the local evaluator is at it */
    bool stays;                  /* it cannot be done elsewhere */
    bool claimed;                /* the code that it compiles, see fleet_claim() */
    bool read;                   /* what follows is filled in */
    struct key key;              /* of compiling: of the sources; of measuring: of the code */
    struct job_sources *sources; /* of compiling */
    unsigned losses;
    struct task *next, *before;
    struct task *alike; /* its number ends with the same bits */
};

/* The GPU of a host's that has the fewest trials. */
struct place {
    struct host *host; /* null: here */
    size_t gpu;
    double load; /* trials that are there; INFINITY: it takes no more */
};

struct tasks {
    struct task *first, *last;
    size_t count[2]; /* of each kind of job */
};

enum { TASK_SLOTS = 1024 };

struct remote {
    struct evaluator_options options;
    void *local;
    struct task *by_id[TASK_SLOTS]; /* all, by the last bits of their numbers */
    int finished; /* event: the local evaluator has finished a job, or another brought news */
    struct fleet_listener listener;
    struct dispatch_files files;
    struct tasks waiting[2], here; /* waiting: of each kind of job */
    struct tasks *away;            /* for each host */
    struct place *least;           /* of each host, see remote_survey() */
    size_t under_way;              /* in all of these lists */
    double placed_s;               /* when all that waits was looked at, by the wall's clock */
    bool freed;                    /* a core or a GPU, since all that waits was looked at */
    unsigned cores_away;           /* that the fleet has, */
    size_t gpus_away;              /* and GPUs that measure for this one */
    struct jobs done;
    struct host *finals_host; /* of the GPU that measures finals, null: here */
    size_t finals_gpu;
    bool finals_chosen;
    char trouble[512]; /* why the last GPU that failed did */
    char name[256];    /* of this machine */
};

/* remote_tasks.c */
struct task *task_new(struct remote *remote, struct evaluator_job *job, struct err *err);
struct task *task_find(const struct remote *remote, int64_t id); /* null: there is none */
void tasks_init(struct tasks *tasks);
void tasks_add(struct tasks *tasks, struct task *task);
void tasks_add_first(struct tasks *tasks, struct task *task);
void tasks_remove(struct tasks *tasks, struct task *task);
void tasks_free(struct remote *remote, struct tasks *tasks);
void task_free(struct remote *remote, struct task *task);

/* Those that are with a host. */
struct tasks *remote_away(const struct remote *remote, const struct host *host);

/* From those that wait to a host's (to measure, on its GPU job->lane); and back from there, into no list. */
void remote_send(struct remote *remote, struct task *task, struct host *host);
void remote_take(struct remote *remote, struct task *task);

/* The job of a task that is in no list any more is done. */
void remote_finish(struct remote *remote, struct task *task);

/* Where it waits for the fleet while another is served, it is to look what there is. */
void remote_wake(void *context);

/* What a host has done for this one's kind of GPU. */
struct host_work *remote_work(const struct remote *remote, const struct host *host);

/* Looks at all hosts, whose state lies far apart: what is asked for again and again until the next look is kept beside each
 * other. Trials that are sent since are counted. */
void remote_survey(struct remote *remote);

/* remote_place.c: starts what can be started, of all that waits; or a task that has just begun to wait. */
void remote_place(struct remote *remote);
void remote_place_new(struct remote *remote, struct task *task);

/* remote_answer.c: a fleet_listener's. */
int remote_answered(void *context, struct host *host, struct message *message, struct err *err);
void remote_dropped(void *context, struct host *host);

#endif
