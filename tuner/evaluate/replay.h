/* A recording laid out by configuration, to run searches on again and again without a GPU. */
#ifndef TUNER_EVALUATE_REPLAY_H
#define TUNER_EVALUATE_REPLAY_H

#include "base/err.h"
#include "space/space.h"
#include "tuner/journal/journal.h"
#include "tuner/strategy/search.h"

#include <stddef.h>
#include <stdint.h>

struct replay_entry {
    const struct record *record; /* of the configuration; null: not recorded */
    const struct record *timed;  /* what was timed for it: itself, or the one with the same code; else null */
    uint64_t code;               /* first configuration with this code at this launch */
    uint64_t build; /* which code compiling the source as it is now gives (gpu/sources.h); 0: not known */
};

struct replay {
    struct replay_entry *entries; /* by index in the space */
    uint64_t count, recorded, ran;
    uint64_t best;  /* the fastest */
    double best_s;  /* its median */
    double last_s;  /* the slowest's */
    bool resources; /* occupancy is recorded for all that ran */
};

/* Everything is borrowed and must outlive the replay. ERR_USAGE when nothing of the space ran in the
 * recording; ERR_MEMORY. */
int replay_open(struct replay *out, const struct spec *spec, const struct space *space,
                const struct journal *journal, struct err *err);
void replay_release(struct replay *replay);

/* The time that run `seed` measures: the median of as many recorded samples as there are, drawn with
 * replacement. NaN where it did not run. */
double replay_time(const struct replay *replay, uint64_t index, uint64_t seed);

/* What became of the configuration when it was compiled, and when it was timed. */
enum outcome replay_compiled(const struct replay *replay, uint64_t index);
enum outcome replay_timed(const struct replay *replay, uint64_t index);

#endif
