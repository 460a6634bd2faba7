#include "model/emulate/trace.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void trace_release(struct trace *trace)
{
    free(trace->steps);
    free(trace->loops);
    *trace = (struct trace){0};
}

void trace_clear(struct trace *trace)
{
    trace->count = trace->loop_count = 0;
    trace->first = trace->next = 0;
    trace->cut = false;
}

static int reserve(struct trace *trace, struct err *err)
{
    if (trace->count == trace->capacity) {
        const size_t capacity = trace->capacity ? 2 * trace->capacity : 64;
        struct emulate_step *steps = realloc(trace->steps, capacity * sizeof *steps);

        if (!steps)
            return err_memory(err);
        trace->steps = steps;
        trace->capacity = capacity;
    }
    return 0;
}

/* A trace that is too long keeps its last steps only, so that it still closes loops. */
static int insert(struct trace *trace, size_t at, struct emulate_step step, struct err *err)
{
    int rc;

    if (trace->count >= TRACE_MOST) {
        trace->count = trace->loop_count = 0;
        trace->cut = true;
        at = 0;
    }
    rc = reserve(trace, err);
    if (rc)
        return rc;
    memmove(trace->steps + at + 1, trace->steps + at, (trace->count - at) * sizeof step);
    trace->steps[at] = step;
    trace->count++;
    return 0;
}

static int end_run(struct trace *trace, struct err *err)
{
    const struct emulate_step step = {.first = trace->first, .count = trace->next - trace->first};

    trace->first = trace->next;
    return step.count ? insert(trace, trace->count, step, err) : 0;
}

int trace_run(struct trace *trace, uint32_t first, uint32_t end, struct err *err)
{
    int rc = 0;

    if (first != trace->next || trace->first == trace->next) {
        rc = end_run(trace, err);
        trace->first = first;
    }
    trace->next = end;
    return rc;
}

static int open_loop(struct trace *trace, uint32_t target, struct err *err)
{
    int rc;

    if (trace->loop_count == trace->loop_capacity) {
        const size_t capacity = trace->loop_capacity ? 2 * trace->loop_capacity : 8;
        struct trace_loop *loops = realloc(trace->loops, capacity * sizeof *loops);

        if (!loops)
            return err_memory(err);
        trace->loops = loops;
        trace->loop_capacity = capacity;
    }
    rc = insert(trace, trace->count, (struct emulate_step){0}, err);
    if (!rc)
        trace->loops[trace->loop_count++] = (struct trace_loop){target, trace->count - 1};
    return rc;
}

static bool steps_equal(const struct emulate_step *a, const struct emulate_step *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].first != b[i].first || a[i].count != b[i].count || a[i].body != b[i].body ||
            a[i].repeats != b[i].repeats)
            return false;
    return true;
}

/* The iteration in progress, steps from `start`, ended: it is folded into the loop, or begins another. */
static int close_iteration(struct trace *trace, struct trace_loop *loop, struct err *err)
{
    struct emulate_step *header = &trace->steps[loop->header];
    const size_t start = loop->header + 1 + header->body, length = trace->count - start;

    if (!header->repeats) {
        header->body = (uint32_t)length;
        header->repeats = length > 0;
        return 0;
    }
    if (length == header->body && steps_equal(header + 1, trace->steps + start, length)) {
        header->repeats++;
        trace->count = start;
        return 0;
    }
    loop->header = start;
    return insert(trace, start, (struct emulate_step){.body = (uint32_t)length, .repeats = 1}, err);
}

int trace_back(struct trace *trace, uint32_t branch, uint32_t target, struct err *err)
{
    int rc = end_run(trace, err);

    if (rc)
        return rc;
    for (size_t k = trace->loop_count; k-- > 0;)
        if (trace->loops[k].target == target) {
            trace->loop_count = k + 1;
            return close_iteration(trace, &trace->loops[k], err);
        }
    while (trace->loop_count && trace->loops[trace->loop_count - 1].target > target &&
           trace->loops[trace->loop_count - 1].target < branch)
        trace->loop_count--;
    return open_loop(trace, target, err);
}

uint64_t trace_repeats(const struct trace *trace)
{
    return trace->loop_count ? trace->steps[trace->loops[trace->loop_count - 1].header].repeats : 0;
}

void trace_repeat(struct trace *trace, uint64_t times)
{
    trace->steps[trace->loops[trace->loop_count - 1].header].repeats += times;
}

int trace_finish(uint64_t *hash, struct trace *trace, struct err *err)
{
    const int rc = end_run(trace, err);

    *hash = HASH_START;
    for (size_t i = 0; i < trace->count; i++) {
        *hash = hash_u64(*hash, (uint64_t)trace->steps[i].first << 32 | trace->steps[i].count);
        *hash = hash_u64(*hash, trace->steps[i].body);
        *hash = hash_u64(*hash, trace->steps[i].repeats);
    }
    return rc;
}
