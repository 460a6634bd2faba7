/* Each code is compiled once: who asks for one that is under way waits for it, and where no cache keeps what
 * came of it this memory does, within bounds. Part of gpu/compile, which is how others see it. */
#ifndef GPU_COMPILE_ONCE_H
#define GPU_COMPILE_ONCE_H

#include "base/map.h"
#include "gpu/compile.h"

#include <pthread.h>
#include <stdint.h>

/* What is kept at most; what was compiled longest ago goes first. */
#define ONCE_BYTES (UINT64_C(256) << 20)

struct once {
    pthread_mutex_t lock;
    pthread_cond_t ended;            /* some compile, or all are interrupted */
    struct map codes;                /* key -> struct once_code */
    struct once_code *oldest, **end; /* of those whose result is kept */
    uint64_t bytes, limit;
    unsigned interrupts;
};

void once_init(struct once *out, uint64_t limit);
void once_release(struct once *once);

enum once_turn {
    ONCE_MINE,       /* compile it, then once_end() */
    ONCE_KEPT,       /* it is in `out`, with `cached` set */
    ONCE_INTERRUPTED /* once_interrupt() came while it was waited for */
};

/* Waits while the first to ask for `key` is at it. Later ones find what was kept, or each go their own way. `given_up`:
 * see struct compile_request. */
enum once_turn once_begin(struct compile_result *out, struct once *once, uint64_t key,
                          const atomic_bool *given_up);

/* What was kept, without waiting; and keeps what was compiled elsewhere. */
bool once_find(struct compile_result *out, struct once *once, uint64_t key);
void once_put(struct once *once, uint64_t key, struct compile_result *result);

/* Keeps a copy for those who come later. */
void once_keep(struct once *once, uint64_t key, struct compile_result *result);

/* Lets those go on that wait for `key`. */
void once_end(struct once *once, uint64_t key);

/* Ends all waiting, but of those who are not given up. */
void once_interrupt(struct once *once);

#endif
