#include "base/share.h"

#include <stdbool.h>

void share_init(struct share *share, unsigned cores)
{
    pthread_mutex_init(&share->mutex, NULL);
    pthread_cond_init(&share->changed, NULL);
    share->left = cores;
    share->sharers = NULL;
}

void share_release(struct share *share)
{
    pthread_cond_destroy(&share->changed);
    pthread_mutex_destroy(&share->mutex);
}

void share_join(struct share *share, struct sharer *sharer)
{
    pthread_mutex_lock(&share->mutex);
    *sharer = (struct sharer){.next = share->sharers};
    share->sharers = sharer;
    pthread_mutex_unlock(&share->mutex);
}

void share_leave(struct share *share, struct sharer *sharer)
{
    struct sharer **link;

    pthread_mutex_lock(&share->mutex);
    for (link = &share->sharers; *link != sharer; link = &(*link)->next)
        ;
    *link = sharer->next;
    pthread_mutex_unlock(&share->mutex);
}

/* Of those that want one, does no other have fewer? Called with the mutex. */
static bool is_next(const struct share *share, const struct sharer *sharer)
{
    for (const struct sharer *other = share->sharers; other; other = other->next)
        if (other->wants && other->has < sharer->has)
            return false;
    return true;
}

void share_take(struct share *share, struct sharer *sharer)
{
    pthread_mutex_lock(&share->mutex);
    sharer->wants++;
    while (!share->left || !is_next(share, sharer))
        pthread_cond_wait(&share->changed, &share->mutex);
    sharer->wants--;
    sharer->has++;
    share->left--;
    pthread_cond_broadcast(&share->changed); /* another may be next for those that are left */
    pthread_mutex_unlock(&share->mutex);
}

void share_give(struct share *share, struct sharer *sharer)
{
    pthread_mutex_lock(&share->mutex);
    sharer->has--;
    share->left++;
    pthread_cond_broadcast(&share->changed);
    pthread_mutex_unlock(&share->mutex);
}
