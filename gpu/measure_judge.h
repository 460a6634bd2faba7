/* What samples and clocks say, while a kernel is timed and at the end: functions of numbers alone. */
#ifndef GPU_MEASURE_JUDGE_H
#define GPU_MEASURE_JUDGE_H

#include "gpu/kernels.h"
#include "gpu/trial.h"

#include <stdbool.h>
#include <stddef.h>

extern const double measure_clock_tolerance; /* relative: clocks that differ by less are the same */
enum { MEASURE_BEHIND = 5 };                 /* samples that are all slower: by chance in one case of 32 */

/* Which samples count: those within 1 % of the clock at which the variant settled (the median clock), and at
 * least the nearer half; true when that half had to be filled up with others, because the clock never
 * settled. */
bool measure_keep(bool *kept, const double *clock_hz, size_t count);

/* Whether a warm-up that has gone on so long goes on: while the clock rises, and, where power limits it, until it has
 * fallen. */
bool measure_warms(double spent_s, double previous_hz, double clock_hz, double clock_top_hz);

/* Is the clock lower than the highest seen by more than two settled clocks may differ? */
bool measure_slowed(double clock_hz, double clock_top_hz);

/* Would every one of at least two samples be slower than `give_up_s` even at the highest clock? A GPU that
 * has idled is slow at first, and that is no variant's fault. */
bool measure_hopeless(const double *samples_s, const double *clock_hz, size_t count, double clock_top_hz,
                      double give_up_s);

/* Is the median known well enough? To the protocol's interval; to 2 %, of five samples at least, where all are slower than
 * the rival by more than that at the highest clock: such a variant does not win, and is not worth more. */
bool measure_settled(const double *samples_s, const double *clock_hz, size_t count, double clock_top_hz,
                     const struct protocol *protocol);

/* Samples at most, where each is expected to take so long: what has two modes, or never settles, is sampled for two seconds or
 * as often as the protocol asks at the least. */
unsigned measure_most(const struct protocol *protocol, double expected_s);

/* The median clock of the SMs that were stamped both before and after; 0 when none was. */
double measure_clock(const struct stamp *before, const struct stamp *after, unsigned sm_count);

#endif
