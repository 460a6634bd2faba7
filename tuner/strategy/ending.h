/* How an order that is fixed ends: what takes long and comes last keeps everybody waiting. The last configurations
 * are compiled longest first, as those before let expect (`cost`); that is learned anew as they are told. What is
 * compiled is timed longest first, too, as the trials before it began let expect. Pure. */
#ifndef TUNER_STRATEGY_ENDING_H
#define TUNER_STRATEGY_ENDING_H

#include "tuner/strategy/search.h"

struct ending;

/* `options` have a space and its spec. */
int ending_open(struct ending **out, const struct search_options *options, struct err *err);
void ending_close(struct ending *ending); /* also null */

/* So many configurations are the last ones: what all cores are at, and what follows. */
uint64_t ending_count(const struct ending *ending);

/* Begins with these, in whose order those are drawn that are expected to take the same. */
int ending_begin(struct ending *ending, const uint64_t *indices, size_t count, struct err *err);
bool ending_has_begun(const struct ending *ending);

/* The one that is expected to take longest of those left; there is one. */
uint64_t ending_draw(struct ending *ending);

/* What compiling one took, before it began and after; 0: not known. */
int ending_tell(struct ending *ending, uint64_t index, double compile_s, struct err *err);

/* The time of a kernel, some multiple of which its trial takes: before the ending began, later ones teach nothing. */
void ending_tell_kernel(struct ending *ending, uint64_t index, double kernel_s);

/* The time that is expected of a kernel; the same for all where none was told before it began. */
double ending_kernel_s(const struct ending *ending, uint64_t index);

#endif
