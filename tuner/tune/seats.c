#include "tuner/tune/seats.h"

#include <math.h>
#include <string.h>

/* At a limit of power the clock of a trial goes by how hot those before left the GPU: the same kernel at 1,359 and at 1,500 MHz on
 * an NVIDIA H200. By so much less time one may take in the finals. */
#define LIMITED_SPREAD 0.11

static double cycles_of(const struct candidate *candidate)
{
    const struct record *record = &candidate->record;

    return record->clock_hz > 0 ? record->time_s * record->clock_hz : INFINITY;
}

static bool has_seat(struct candidate *const *seats, size_t n, const struct candidate *candidate)
{
    for (size_t i = 0; i < n; i++)
        if (seats[i] == candidate)
            return true;
    return false;
}

/* Null: one that stands there already. */
static struct candidate *fewest_cycles(struct candidate *const *ranked, size_t count, size_t seats)
{
    struct candidate *fewest = ranked[0];

    for (size_t i = 1; i < count; i++)
        if (ranked[i]->record.throttled && cycles_of(ranked[i]) < cycles_of(fewest) &&
            ranked[i]->record.time_s * (1 - LIMITED_SPREAD) < ranked[0]->record.time_s)
            fewest = ranked[i];
    return has_seat(ranked, seats, fewest) ? NULL : fewest;
}

size_t seats_take(struct candidate *out[SEATS], struct candidate *const *ranked, size_t count,
                  const struct candidate *initial)
{
    size_t n = count < TUNE_FINALISTS ? count : TUNE_FINALISTS;
    struct candidate *const limited = n ? fewest_cycles(ranked, count, n) : NULL;

    memcpy(out, ranked, n * sizeof *out);
    if (limited)
        out[n++] = limited;
    for (size_t i = 0; i < count; i++)
        if (ranked[i] == initial && !has_seat(out, n, initial))
            out[n++] = ranked[i];
    return n;
}
