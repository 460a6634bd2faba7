/* A hash of a sequence of words to which a part of it can be appended many times over at once: a loop that is
 * extrapolated hashes to what it does when it is executed one by one. */
#ifndef MODEL_EMULATE_SEQUENCE_H
#define MODEL_EMULATE_SEQUENCE_H

#include <stdint.h>

/* A zeroed struct is the empty sequence. */
struct sequence {
    uint64_t sum; /* the words as digits of a number, modulo a prime */
    uint64_t count;
};

void sequence_add(struct sequence *sequence, uint64_t word);
/* Appends what was added since `before`, an earlier state, `times` more times. */
void sequence_repeat(struct sequence *sequence, const struct sequence *before, uint64_t times);

#endif
