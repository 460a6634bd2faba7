/* The paths of warps as lists of operations, loops cut short; how far these are like the whole paths. */
#include "model/sm/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reserves space for so many more. */
static int list_reserve(struct sm_list *list, size_t more, struct err *err)
{
    size_t capacity = list->capacity ? list->capacity : 1024;
    uint32_t *grown;

    if (list->count + more <= list->capacity)
        return 0;
    while (capacity < list->count + more)
        capacity *= 2;
    grown = realloc(list->ops, capacity * sizeof *grown);
    if (!grown)
        return err_memory(err);
    list->ops = grown;
    list->capacity = capacity;
    return 0;
}

/* To how many iterations loops are cut at some depth. */
struct depth {
    const struct sm_cut *cut;
    unsigned iterations;
    bool within; /* an outermost loop that is cut */
};

/* That of the loops within one that has `repeats`. Those within a loop that is cut are cut to more, since they
 * begin anew in each iteration; those within these to few, or they would be too many. */
static struct depth deeper(const struct depth *depth, uint64_t repeats)
{
    const struct sm_cut *cut = depth->cut;

    if (depth->within)
        return (struct depth){cut, cut->brief, false};
    if (repeats > cut->brief)
        return (struct depth){cut, cut->inner, true};
    return *depth;
}

int sm_list_run(struct sm_list *list, const struct sm_input *in, const struct emulate_step *steps, size_t s,
                size_t count, size_t most, struct err *err)
{
    const struct emulate_step *step = &steps[s];
    const size_t left = list->count < most ? most - list->count : 0,
                 added = step->count < left ? step->count : left;
    const uint32_t end = step->first + step->count;
    const bool goes_on = s + 1 < count && !steps[s + 1].body && steps[s + 1].first == end;
    const int rc = list_reserve(list, added, err);

    for (uint32_t k = 0; k < added && !rc; k++)
        list->ops[list->count++] = step->first + k;
    if (!rc && added && added == step->count && !goes_on && in->code->ops[end - 1].pipe == SASS_PIPE_BRANCH)
        list->ops[list->count - 1] += (uint32_t)in->code->count;
    return rc;
}

double sm_count_steps(const struct emulate_step *steps, size_t count)
{
    double sum = 0;

    for (size_t s = 0; s < count; s += steps[s].body + 1)
        sum += steps[s].body ? (double)steps[s].repeats * sm_count_steps(steps + s + 1, steps[s].body)
                             : steps[s].count;
    return sum;
}

/* Loops cut short. The two simulations differ in the iterations of the outermost loop that both cut, so that
 * one of these costs what it does with all of its inner loops, and with the barriers between them. */
static int list_steps(struct sm_list *list, const struct sm_input *in, const struct emulate_step *steps,
                      size_t count, const struct depth *depth, struct err *err)
{
    const size_t most = depth->cut->most;
    int rc = 0;

    for (size_t s = 0; s < count && !rc; s += steps[s].body + 1) {
        const struct emulate_step *step = &steps[s];
        const struct depth inner = deeper(depth, step->repeats);
        uint64_t k = 0;

        for (; step->body && k < step->repeats && k < depth->iterations && !rc && list->count < most; k++)
            rc = list_steps(list, in, step + 1, step->body, &inner, err);
        if (!step->body && !rc)
            rc = sm_list_run(list, in, steps, s, count, most, err);
    }
    return rc;
}

void sm_lists_free(struct sm_list *lists, size_t count)
{
    for (size_t l = 0; l < count && lists; l++)
        free(lists[l].ops);
    free(lists);
}

void sm_lists_share(struct sm_list *lists, const struct sm_list *others, size_t count)
{
    size_t k;

    for (size_t l = 0; l < count; l++) {
        for (k = 0; k < lists[l].count && k < others[l].count && lists[l].ops[k] == others[l].ops[k];)
            k++;
        lists[l].shared = k ? k - 1 : 0;
    }
}

/* The steps of a path of which a cut simulates the beginning. */
static size_t steps_shown(const struct sm_list *list, const struct emulate_path *path,
                          const struct sm_cut *cut)
{
    double shown = 0;
    size_t s = 0;

    for (; s < path->count && shown < cut->part * list->all; s += path->steps[s].body + 1)
        shown += sm_count_steps(path->steps + s, path->steps[s].body + 1);
    return s;
}

static int list_path(struct sm_list *list, const struct sm_input *in, const struct emulate_path *path,
                     const struct sm_cut *cut, unsigned iterations, struct err *err)
{
    const struct depth depth = {cut, iterations, false};

    list->all = sm_count_steps(path->steps, path->count);
    list->steps = cut->part < 1 ? steps_shown(list, path, cut) : path->count;
    list->shown = sm_count_steps(path->steps, list->steps);
    return list_steps(list, in, path->steps, list->steps, &depth, err);
}

static void count_instructions(double *out, const struct emulate_step *steps, size_t count, double times)
{
    for (size_t s = 0; s < count; s += steps[s].body + 1) {
        if (steps[s].body)
            count_instructions(out, steps + s + 1, steps[s].body, times * (double)steps[s].repeats);
        for (uint32_t i = 0; i < steps[s].count; i++)
            out[steps[s].first + i] += times;
    }
}

/* Share of the instructions of a path by which its beginning is another mixture. */
static double unlikeness(const struct emulate_path *path, const struct sm_list *list, double *counts,
                         size_t instructions)
{
    double *whole = counts, *shown = counts + instructions, sum = 0;

    memset(counts, 0, 2 * instructions * sizeof *counts);
    count_instructions(whole, path->steps, path->count, 1 / list->all);
    count_instructions(shown, path->steps, list->steps, 1 / list->shown);
    for (size_t i = 0; i < instructions; i++)
        sum += fabs(whole[i] - shown[i]) / 2;
    return sum;
}

int sm_lists_unlike(double *out, const struct sm_list *lists, const struct sm_input *in, struct err *err)
{
    const size_t instructions = in->code->count, paths = in->emulation->path_count;
    double *counts = calloc(2 * instructions + paths + 1, sizeof *counts), *each = counts + 2 * instructions,
           all = 0;
    const size_t warps = in->blocks[0]->warps;

    *out = 0;
    if (!counts)
        return err_memory(err);
    for (size_t l = 0; l < paths; l++)
        if (lists[l].count)
            each[l] = unlikeness(&in->emulation->paths[l], &lists[l], counts, instructions);
    for (size_t w = 0; w < warps * in->block_count; w++) {
        const uint32_t p = in->blocks[w / warps]->paths[w % warps];

        *out += each[p] * lists[p].all;
        all += lists[p].all;
    }
    *out /= fmax(all, 1);
    free(counts);
    return 0;
}

int sm_lists(struct sm_list **out, const struct sm_input *in, const struct sm_cut *cut, unsigned iterations,
             double *simulated, double *all, struct err *err)
{
    const size_t count = in->emulation->path_count;
    struct sm_list *lists = calloc(count + 1, sizeof *lists);
    const size_t warps = in->blocks[0]->warps;
    int rc = lists ? 0 : err_memory(err);

    *simulated = *all = 0;
    for (size_t w = 0; w < warps * in->block_count && !rc; w++) {
        const uint32_t p = in->blocks[w / warps]->paths[w % warps];
        struct sm_list *list = &lists[p];

        if (!list->count)
            rc = list_path(list, in, &in->emulation->paths[p], cut, iterations, err);
        *simulated += (double)list->count;
        *all += list->all;
    }
    *out = lists;
    if (!rc)
        return 0;
    sm_lists_free(lists, count);
    *out = NULL;
    return rc;
}
