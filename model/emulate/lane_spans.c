#include "model/emulate/lane_spans.h"

#include "model/emulate/count.h"

/* By where they begin. Few, and most of them in order: the library's sort allocates and calls. */
static void sort_spans(struct span *spans, unsigned count)
{
    for (unsigned k = 1; k < count; k++) {
        const struct span own = spans[k];
        unsigned at = k;

        for (; at && spans[at - 1].first > own.first; at--)
            spans[at] = spans[at - 1];
        spans[at] = own;
    }
}

/* Adds the bytes to the span where they are that close to it. */
static bool is_taken(struct span *span, uint64_t first, uint64_t end)
{
    if (first >= span->end + SECTOR || end + SECTOR <= span->first)
        return false;
    span->first = first < span->first ? first : span->first;
    span->end = end > span->end ? end : span->end;
    return true;
}

unsigned lane_spans(struct span spans[LANES], const struct request *request)
{
    unsigned count = 0, kept = 0;
    uint64_t least, most;

    count_extent(&least, &most, request->address, request->mask);
    if (most - least <= SECTOR) { /* the frequent case */
        spans[0] = (struct span){least, most + request->width};
        return 1;
    }
    for (uint32_t left = request->mask; left; left &= left - 1) {
        const uint64_t address = request->address[__builtin_ctz(left)], end = address + request->width;

        if (!count || !is_taken(&spans[count - 1], address, end))
            spans[count++] = (struct span){address, end};
    }
    sort_spans(spans, count);
    for (unsigned k = 0; k < count; k++)
        if (kept && spans[k].first < spans[kept - 1].end + SECTOR) {
            if (spans[k].end > spans[kept - 1].end)
                spans[kept - 1].end = spans[k].end;
        } else {
            spans[kept++] = spans[k];
        }
    return kept;
}
