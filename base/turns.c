#include "base/turns.h"

void turns_init(struct turns *turns)
{
    pthread_mutex_init(&turns->mutex, NULL);
    pthread_cond_init(&turns->changed, NULL);
    turns->next = turns->now = 0;
}

void turns_release(struct turns *turns)
{
    pthread_cond_destroy(&turns->changed);
    pthread_mutex_destroy(&turns->mutex);
}

void turns_enter(struct turns *turns)
{
    unsigned long number;

    if (!turns)
        return;
    pthread_mutex_lock(&turns->mutex);
    number = turns->next++;
    while (turns->now != number)
        pthread_cond_wait(&turns->changed, &turns->mutex);
    pthread_mutex_unlock(&turns->mutex);
}

void turns_leave(struct turns *turns)
{
    if (!turns)
        return;
    pthread_mutex_lock(&turns->mutex);
    turns->now++;
    pthread_cond_broadcast(&turns->changed);
    pthread_mutex_unlock(&turns->mutex);
}
