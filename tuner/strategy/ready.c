#include "tuner/strategy/ready.h"

#include <stdbool.h>
#include <stdlib.h>

void ready_release(struct ready *ready)
{
    free(ready->heap);
    *ready = (struct ready){0};
}

static bool is_before(const struct ready_one *a, const struct ready_one *b)
{
    return a->expected_s != b->expected_s ? a->expected_s > b->expected_s : a->came < b->came;
}

static void swap(struct ready_one *a, struct ready_one *b)
{
    const struct ready_one one = *a;

    *a = *b;
    *b = one;
}

static void sink(struct ready *ready, size_t at)
{
    struct ready_one *heap = ready->heap;

    for (size_t first;; at = first) {
        first = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < ready->count; child++)
            if (is_before(&heap[child], &heap[first]))
                first = child;
        if (first == at)
            return;
        swap(&heap[at], &heap[first]);
    }
}

int ready_push(struct ready *ready, uint64_t index, double expected_s, struct err *err)
{
    size_t at = ready->count;
    struct ready_one *heap;

    if (ready->count == ready->capacity) {
        const size_t capacity = ready->capacity ? 2 * ready->capacity : 64;

        heap = reallocarray(ready->heap, capacity, sizeof *heap);
        if (!heap)
            return err_memory(err);
        ready->heap = heap;
        ready->capacity = capacity;
    }
    heap = ready->heap;
    heap[ready->count++] = (struct ready_one){index, ready->came++, expected_s};
    for (; at && is_before(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
    return 0;
}

uint64_t ready_pop(struct ready *ready)
{
    const uint64_t index = ready->heap[0].index;

    ready->heap[0] = ready->heap[--ready->count];
    sink(ready, 0);
    return index;
}

void ready_order(struct ready *ready, double (*expected_s)(const void *context, uint64_t index),
                 const void *context)
{
    for (size_t i = 0; i < ready->count; i++)
        ready->heap[i].expected_s = expected_s(context, ready->heap[i].index);
    for (size_t i = ready->count / 2; i-- > 0;)
        sink(ready, i);
}
