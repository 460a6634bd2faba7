#include "tuner/strategy/ending.h"

#include "tuner/strategy/cost.h"
#include "tuner/strategy/features.h"

#include <stdlib.h>

enum {
    TURNS = 2,       /* of all cores */
    TOLD_MOST = 1024 /* what is learned from: the latest, which are nearest to what is left */
};

struct left {
    uint64_t index;
    size_t position;
    double expected_s;
};

/* What was told of one kind of work. */
struct told {
    struct cost *cost;
    struct cost_point *points; /* a ring */
    unsigned *choices;         /* of these */
    size_t count;
};

struct ending {
    struct search_options options;
    struct features *features;
    size_t feature_count;
    unsigned *choices; /* of one, to look at */
    struct told compiles, kernels;
    size_t unlearned;  /* compiles */
    struct left *left; /* once it has begun: longest first, from `drawn` on */
    size_t drawn, count;
};

static unsigned cores_of(const struct ending *ending)
{
    return ending->options.cores ? ending->options.cores : 1;
}

static int open_told(struct told *told, const struct ending *ending, struct err *err)
{
    told->points = calloc(TOLD_MOST, sizeof *told->points);
    told->choices = calloc(TOLD_MOST * ending->feature_count, sizeof *told->choices);
    if (!told->points || !told->choices)
        return err_memory(err);
    return cost_open(&told->cost, features_parameters(ending->features), ending->feature_count, err);
}

static void close_told(struct told *told)
{
    cost_close(told->cost);
    free(told->points);
    free(told->choices);
}

int ending_open(struct ending **out, const struct search_options *options, struct err *err)
{
    struct ending *ending = *out = calloc(1, sizeof *ending);

    if (!ending)
        return err_memory(err);
    ending->options = *options;
    if (features_open(&ending->features, options->spec, options->problem, err))
        return ERR_MEMORY;
    ending->feature_count = features_count(ending->features);
    ending->choices = calloc(ending->feature_count, sizeof *ending->choices);
    if (!ending->choices)
        return err_memory(err);
    return open_told(&ending->compiles, ending, err) || open_told(&ending->kernels, ending, err) ? ERR_MEMORY
                                                                                                 : 0;
}

void ending_close(struct ending *ending)
{
    if (!ending)
        return;
    close_told(&ending->compiles);
    close_told(&ending->kernels);
    features_close(ending->features);
    free(ending->choices);
    free(ending->left);
    free(ending);
}

uint64_t ending_count(const struct ending *ending)
{
    return (uint64_t)TURNS * cores_of(ending);
}

static void describe(unsigned *out, const struct ending *ending, uint64_t index)
{
    space_configuration(out, ending->options.space, index);
    features_fill(out, ending->features);
}

static int compare_left(const void *left, const void *right)
{
    const struct left *a = left, *b = right;

    if (a->expected_s != b->expected_s)
        return a->expected_s > b->expected_s ? -1 : 1;
    return a->position < b->position ? -1 : 1;
}

static int learn(struct told *told, struct err *err)
{
    const size_t count = told->count < TOLD_MOST ? told->count : TOLD_MOST;

    return count ? cost_learn(told->cost, told->points, count, err) : 0;
}

static void add(struct told *told, const struct ending *ending, uint64_t index, double seconds)
{
    const size_t at = told->count % TOLD_MOST;
    unsigned *choices = told->choices + at * ending->feature_count;

    if (!(seconds > 0))
        return;
    describe(choices, ending, index);
    told->points[at] = (struct cost_point){.choices = choices, .seconds = seconds, .ended = true};
    told->count++;
}

/* Puts those left in order, by what was told. */
static int rank(struct ending *ending, struct err *err)
{
    ending->unlearned = 0;
    if (!ending->compiles.count || ending->drawn == ending->count)
        return 0;
    if (learn(&ending->compiles, err))
        return ERR_MEMORY;
    for (size_t i = ending->drawn; i < ending->count; i++) {
        describe(ending->choices, ending, ending->left[i].index);
        ending->left[i].expected_s = cost_compile_s(ending->compiles.cost, ending->choices);
    }
    qsort(ending->left + ending->drawn, ending->count - ending->drawn, sizeof *ending->left, compare_left);
    return 0;
}

int ending_begin(struct ending *ending, const uint64_t *indices, size_t count, struct err *err)
{
    ending->left = calloc(count + 1, sizeof *ending->left);
    if (!ending->left)
        return err_memory(err);
    for (size_t i = 0; i < count; i++)
        ending->left[i] = (struct left){.index = indices[i], .position = i};
    ending->count = count;
    return learn(&ending->kernels, err) ? ERR_MEMORY : rank(ending, err);
}

bool ending_has_begun(const struct ending *ending)
{
    return ending->left != NULL;
}

uint64_t ending_draw(struct ending *ending)
{
    return ending->left[ending->drawn++].index;
}

int ending_tell(struct ending *ending, uint64_t index, double compile_s, struct err *err)
{
    add(&ending->compiles, ending, index, compile_s);
    return ending->left && compile_s > 0 && ++ending->unlearned >= (cores_of(ending) + 3) / 4
               ? rank(ending, err)
               : 0;
}

void ending_tell_kernel(struct ending *ending, uint64_t index, double kernel_s)
{
    add(&ending->kernels, ending, index, kernel_s);
}

double ending_kernel_s(const struct ending *ending, uint64_t index)
{
    describe(ending->choices, ending, index);
    return cost_compile_s(ending->kernels.cost, ending->choices);
}
