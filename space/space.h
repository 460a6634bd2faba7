/* The valid configurations of a spec for one problem: counted, and reached by index in both directions,
 * without listing them.
 *
 * The order is lexicographic: the first parameter of the spec varies slowest, values in the order listed. A
 * constraint is decided as soon as its last parameter is bound. A configuration at which a constraint has no
 * value (division by zero, overflow) is not valid; how many there are, and the first reason, can be asked
 * for. */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include "base/err.h"
#include "space/spec.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct space;

/* `spec` must outlive the space. A space without a valid configuration opens: space_default tells. More than
 * 2^64 - 2 valid configurations are an error, and so are constraints that take too long to count. */
int space_open(struct space **out, const struct spec *spec, size_t problem, struct err *err);
/* The same, which may take seconds: ERR_STOPPED soon after *stop is not 0; `stop` may be null. */
int space_open_until(struct space **out, const struct spec *spec, size_t problem,
                     const volatile sig_atomic_t *stop, struct err *err);
void space_close(struct space *space); /* also null */

/* Combinations of all values, UINT64_MAX standing for that many or more; and those that satisfy every
 * constraint. */
uint64_t space_combinations(const struct space *space);
uint64_t space_count(const struct space *space);

/* The configuration at `index` < space_count. */
void space_configuration(unsigned *choices, const struct space *space, uint64_t index);

/* Whether a configuration is valid, and its index (`index` may be null). */
bool space_index(uint64_t *index, const struct space *space, const unsigned *choices);

/* Where a search starts: the spec's default, else the first listed values if valid, else index 0. An empty
 * space is an error that names the constraint which removes most. */
int space_default(uint64_t *index, const struct space *space, struct err *err);

/* Indices of the valid configurations that differ from `index` in exactly one parameter, ascending within a
 * parameter, into `out`, of space_neighbour_limit elements. Returns how many. */
size_t space_neighbour_limit(const struct space *space);
size_t space_neighbours(uint64_t *out, const struct space *space, uint64_t index);

/* What constraint `c` removes of the combinations which those decided before it leave (the order is that of
 * the last parameter bound, then of the spec); removed counts of all constraints and space_count add up to
 * space_combinations. Saturates like it. `c` == constraint_count is the list of configurations, where the
 * spec has one; it is decided before the constraints. */
struct space_removal {
    uint64_t removed;   /* not satisfied, or without a value */
    uint64_t undefined; /* of these: without a value */
    const char *reason; /* why the first of those has none, or null; borrowed from the space */
};
struct space_removal space_removed(const struct space *space, size_t c);

#endif
