#include "space/listed.h"

#include <stdlib.h>
#include <string.h>

struct listed_range listed_all(const struct listing *listed)
{
    return (struct listed_range){0, listed->count};
}

/* The first row of the range that chooses `choice` or more at `level`. */
static size_t lower_bound(const struct listing *listed, struct listed_range range, size_t level,
                          unsigned choice)
{
    size_t middle;

    while (range.first < range.end) {
        middle = range.first + (range.end - range.first) / 2;
        if (listed->rows[middle * listed->width + level] < choice)
            range.first = middle + 1;
        else
            range.end = middle;
    }
    return range.first;
}

struct listed_range listed_narrow(const struct listing *listed, struct listed_range range, size_t level,
                                  unsigned choice)
{
    const size_t first = lower_bound(listed, range, level, choice);

    range.first = first;
    return (struct listed_range){first, lower_bound(listed, range, level, choice + 1)};
}

bool listed_has(const struct listing *listed, const unsigned *choices)
{
    struct listed_range range = listed_all(listed);

    if (!listed->given)
        return true;
    for (size_t level = 0; level < listed->width; level++)
        range = listed_narrow(listed, range, level, choices[level]);
    return range.first < range.end;
}

static int compare_rows(const void *a, const void *b, void *width)
{
    const uint16_t *left = a, *right = b;
    const unsigned count = *(const unsigned *)width;
    unsigned p = 0;

    while (p < count && left[p] == right[p])
        p++;
    return p == count ? 0 : left[p] < right[p] ? -1 : 1;
}

void listed_sort(struct listing *listed)
{
    const size_t size = listed->width * sizeof *listed->rows;
    size_t kept = 0, r;

    qsort_r(listed->rows, listed->count, size, compare_rows, &listed->width);
    for (r = 0; r < listed->count; r++)
        if (r == 0 || memcmp(listed->rows + (r - 1) * listed->width, listed->rows + r * listed->width, size))
            memmove(listed->rows + kept++ * listed->width, listed->rows + r * listed->width, size);
    listed->count = kept;
}

void listed_release(struct listing *listed)
{
    free(listed->rows);
    *listed = (struct listing){0};
}
