/* The configurations that a spec lists one by one (`configurations`): rows of choices, in lexicographic
 * order and distinct, so that all rows with the same first choices stand together. */
#ifndef SPACE_LISTED_H
#define SPACE_LISTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct listing {
    bool given;     /* false: there is no list, and nothing is excluded by it */
    uint16_t *rows; /* rows[width * r + p]: the choice of parameter p in row r */
    size_t count;   /* rows; at least 1 if given */
    unsigned width; /* parameters of a row */
};

/* Rows [first, end). */
struct listed_range {
    size_t first, end;
};

/* All rows: the range of the empty prefix. */
struct listed_range listed_all(const struct listing *listed);

/* Of a range whose rows agree in the parameters before `level`, the rows that choose `choice` there. */
struct listed_range listed_narrow(const struct listing *listed, struct listed_range range, size_t level,
                                  unsigned choice);

/* Whether a configuration stands in the list; true without a list. */
bool listed_has(const struct listing *listed, const unsigned *choices);

/* Sorts the rows and drops those that are there twice. */
void listed_sort(struct listing *listed);

void listed_release(struct listing *listed);

#endif
