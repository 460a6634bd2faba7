/* A number of cores that several queues share: a core that becomes free goes to the sharer with the fewest. Each can have
 * all of them while the others have nothing to do. */
#ifndef BASE_SHARE_H
#define BASE_SHARE_H

#include <pthread.h>

struct sharer {
    unsigned has, wants;
    struct sharer *next;
};

struct share {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned left;
    struct sharer *sharers;
};

void share_init(struct share *share, unsigned cores);
void share_release(struct share *share); /* all sharers have left */

/* A sharer has no core when it leaves. */
void share_join(struct share *share, struct sharer *sharer);
void share_leave(struct share *share, struct sharer *sharer);

/* Waits for a core, on any thread of the sharer's; gives one back. */
void share_take(struct share *share, struct sharer *sharer);
void share_give(struct share *share, struct sharer *sharer);

#endif
