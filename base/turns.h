/* Several runs in one process, each on a thread of its own, that share what is made for one thread: each does its work
 * while it has the turn, and gives it up wherever it waits. Turns come in the order in which they were asked for. */
#ifndef BASE_TURNS_H
#define BASE_TURNS_H

#include <pthread.h>

struct turns {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned long next, now; /* the number that the next one takes; whose turn it is */
};

void turns_init(struct turns *turns);
void turns_release(struct turns *turns); /* nobody has a turn or waits for one */

/* Both also for null: there is one run. */
void turns_enter(struct turns *turns);
void turns_leave(struct turns *turns);

#endif
