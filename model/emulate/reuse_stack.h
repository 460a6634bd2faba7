/* How many different lines a warp touches between two accesses to the same one: what a cache has to hold for it. A line that
 * is lost comes back sector by sector. Of many
 * lines a sample is looked at, chosen by a hash of their numbers, each of which stands for as many more. */
#ifndef MODEL_EMULATE_REUSE_STACK_H
#define MODEL_EMULATE_REUSE_STACK_H

#include "model/sass/arch/geometry.h"

#include <stdbool.h>
#include <stdint.h>

enum { REUSE_STACK_SECTORS = LINE / SECTOR };
enum { REUSE_STACK_LINES = 512, REUSE_STACK_PLACES = 1024, REUSE_STACK_SLOTS = 4096 };

struct reuse_stack_line {
    uint64_t number, request;           /* from 1; the last one that touched it */
    uint16_t slot;                      /* in which it was touched last */
    bool again;                         /* it was touched more than once */
    uint8_t sectors;                    /* that were touched, a bit each, */
    uint32_t most[REUSE_STACK_SECTORS]; /* and since then: the most lines between two accesses to the line */
};

/* A zeroed struct has seen nothing. */
struct reuse_stack {
    struct reuse_stack_line lines[REUSE_STACK_LINES];
    unsigned count;
    uint16_t places[REUSE_STACK_PLACES];  /* index in `lines`, plus 1 */
    uint16_t owner[REUSE_STACK_SLOTS];    /* the line that was touched last in the slot, plus 1; 0: none */
    uint16_t tree[REUSE_STACK_SLOTS + 1]; /* of sums of slots that have one */
    unsigned now;                         /* slots so far */
    unsigned halvings;                    /* one of 2^halvings lines is looked at */
    uint64_t request;                     /* number of the newest */
};

/* A line that a request touches. */
struct reuse_stack_found {
    unsigned count; /* of the sectors asked for, those that were touched before, */
    uint32_t lines
        [REUSE_STACK_SECTORS]; /* and for each the most different lines that were touched in between while the
                                            line was not */
    bool first;                /* it was touched once only */
    double weight;             /* how many lines it stands for */
    uint64_t requests;         /* since it was touched last; 0: it never was */
};

void reuse_stack_begin(struct reuse_stack *stack);
/* A new request: lines that it touches twice count once. */
void reuse_stack_request(struct reuse_stack *stack);
/* The request touches these sectors of a line, a bit each. Whether the line is looked at, and this is the first time that this
 * request does; only then *out is set. */
bool reuse_stack_touch(struct reuse_stack_found *out, struct reuse_stack *stack, uint64_t line,
                       unsigned sectors);

#endif
