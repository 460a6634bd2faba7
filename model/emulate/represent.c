#include "model/emulate/represent.h"

#include "model/emulate/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS = 64,
    LEAST_GROUPS = 4,
    FOLLOWED = 4,  /* times what it takes to follow a block: what it costs to execute it, at most */
    DEAR = 1 << 20 /* instructions beyond which fewer blocks must do */
};

/* What is none of it: relative variance of blocks that all issue the same, and a part missed of all they issue. */
#define ROUNDING 1e-12

/* Strata whose blocks issue nearly as much: of the sorted list those from `first` to before `end`. */
struct kin {
    size_t first, end;
    double blocks, mean; /* mean: what one of the blocks issues */
    size_t typical;      /* the stratum that is nearest to the mean */
    bool taken;          /* some block stands for it */
};

struct choice {
    struct emulate_result *result;
    struct signer *signer;
    struct strata *strata;
    struct err *err;
    struct kin groups[GROUPS];
    size_t count;
    size_t *group; /* of each block of the result; count where it stands for nothing */
};

static int by_issued(const void *a, const void *b)
{
    const struct stratum *x = a, *y = b;

    return x->issued != y->issued ? (x->issued > y->issued) - (x->issued < y->issued)
                                  : (x->hash > y->hash) - (x->hash < y->hash);
}

static void describe(struct kin *group, const struct stratum *list)
{
    double issued = 0;

    group->blocks = 0;
    for (size_t k = group->first; k < group->end; k++) {
        group->blocks += list[k].blocks;
        issued += list[k].blocks * list[k].issued;
    }
    group->mean = issued / group->blocks;
    group->typical = group->first;
    for (size_t k = group->first; k < group->end; k++)
        if (fabs(list[k].issued - group->mean) < fabs(list[group->typical].issued - group->mean))
            group->typical = k;
}

/* Parts the sorted strata into at most `most` groups, each of as much of the blocks and of their work. */
static void make_groups(struct choice *choice, size_t most)
{
    const struct strata *strata = choice->strata;
    double blocks = 0, issued = 0, before = 0;
    size_t last = 0;

    for (size_t k = 0; k < strata->count; k++) {
        blocks += strata->list[k].blocks;
        issued += strata->list[k].blocks * strata->list[k].issued;
    }
    for (size_t k = 0; k < strata->count; k++) {
        const struct stratum *own = &strata->list[k];
        const double part = own->blocks / blocks / 2 + own->blocks * own->issued / issued / 2;
        const size_t at = strata->count <= most ? k : (size_t)((before + part / 2) * (double)most);

        before += part;
        if (!k || at != last)
            choice->groups[choice->count++] = (struct kin){.first = k};
        choice->groups[choice->count - 1].end = k + 1;
        last = at;
    }
    for (size_t g = 0; g < choice->count; g++)
        describe(&choice->groups[g], strata->list);
}

/* Whether what a block issues says which stratum is the nearest: *out. Blocks of one signature issue the same,
 * so only where several strata issue just that must it be signed to be told apart. */
static bool is_told_by_issued(size_t *out, const struct strata *strata, double issued)
{
    const struct signature like = {.issued = (uint64_t)issued};
    size_t same = 0;

    for (size_t k = 0; k < strata->count; k++)
        same += strata->list[k].issued == issued;
    *out = strata_nearest(strata, &like);
    return same <= 1;
}

/* The stratum of a sampled block, or the nearest; *known is false where nobody can tell. */
static int find_stratum(size_t *out, bool *known, struct choice *choice, const struct emulate_block *block)
{
    struct signature signature;
    int rc;

    *known = is_told_by_issued(out, choice->strata, (double)block->issued);
    if (*known)
        return 0;
    rc = signer_sign(&signature, known, choice->signer, block->position, choice->signer->budget, choice->err);
    if (!rc && *known)
        *out = strata_nearest(choice->strata, &signature);
    return rc;
}

/* The group that a sampled block belongs to, if it is like what the group's blocks do. */
static int assign(struct choice *choice, size_t b)
{
    const struct emulate_block *block = &choice->result->blocks[b];
    size_t stratum, g = 0;
    bool known;
    int rc = find_stratum(&stratum, &known, choice, block);

    choice->group[b] = GROUPS;
    if (rc || !known)
        return rc;
    while (choice->groups[g].end <= stratum)
        g++;
    if (stratum != choice->groups[g].typical &&
        fabs((double)block->issued - choice->groups[g].mean) > 0.02 * choice->groups[g].mean)
        return 0;
    choice->group[b] = g;
    choice->groups[g].taken = true;
    return 0;
}

static int assign_from(struct choice *choice, size_t first)
{
    size_t *group = realloc(choice->group, (choice->result->block_count + 1) * sizeof *group);
    int rc = 0;

    if (!group)
        return err_memory(choice->err);
    choice->group = group;
    for (size_t b = first; b < choice->result->block_count && !rc; b++)
        rc = assign(choice, b);
    return rc;
}

static double mean_issued(const struct emulate_result *result)
{
    double sum = 0;

    for (size_t b = 0; b < result->block_count; b++)
        sum += (double)result->blocks[b].issued;
    return sum / (double)result->block_count;
}

/* How many times as much a block costs as those so far: what it issues says it, or what it took to follow it, where
 * most is in loops that are extrapolated. */
static double share_of_cost(const struct emulate_result *result, const struct stratum *stratum)
{
    const double each = (double)result->executed / (double)result->block_count;

    return fmin(stratum->issued / fmax(mean_issued(result), 1), FOLLOWED * stratum->cost / fmax(each, 1));
}

/* Executes a block of each group that has none. What such a block issues is known, and so about what it
 * costs. */
static int add_typical(struct choice *choice)
{
    struct emulate_result *result = choice->result;
    int rc = 0;

    for (size_t g = choice->count; g-- > 0 && !rc && result->end == EMULATE_DONE;) {
        const struct stratum *typical = &choice->strata->list[choice->groups[g].typical];
        const size_t before = result->block_count;

        if (choice->groups[g].taken)
            continue;
        rc = sample_add(result, choice->signer->emulation, typical->at, share_of_cost(result, typical),
                        choice->err);
        if (!rc && result->end == EMULATE_DONE)
            rc = assign_from(choice, before);
        else if (!rc && result->end == EMULATE_BUDGET) /* it ends, as its signature shows, but too late */
            result->end = EMULATE_DONE;
    }
    return rc;
}

/* Where the middle block touches no memory, the one that touches most: its neighbours say what blocks share. */
static int add_beside_busiest(const struct choice *choice, size_t most)
{
    struct emulate_result *result = choice->result;
    uint64_t sectors = 0;
    unsigned at[3];

    for (size_t b = 0; b < result->block_count; b++) {
        const struct emulate_block *block = &result->blocks[b];

        if (block->read.sectors + block->written.sectors <= sectors)
            continue;
        sectors = block->read.sectors + block->written.sectors;
        memcpy(at, block->position, sizeof at);
        if (!b)
            return 0;
    }
    return sectors ? sample_add_beside(result, choice->signer->emulation, at, most, choice->err) : 0;
}

/* A group for which no block could be executed is put to the one that issues most nearly as much. */
static void merge_groups(struct choice *choice)
{
    for (size_t g = 0; g < choice->count; g++) {
        struct kin *own = &choice->groups[g], *nearest = NULL;

        for (size_t k = 0; k < choice->count && !own->taken; k++) {
            struct kin *other = &choice->groups[k];

            if (other->taken && (!nearest || fabs(other->mean - own->mean) < fabs(nearest->mean - own->mean)))
                nearest = other;
        }
        if (nearest)
            nearest->blocks += own->blocks;
    }
}

/* Where executed blocks are like those of no group and there was no time for others, the group that issues most nearly as much as
 * the first takes all of them: what they do stands for the grid, and how far it is off is said. */
static void take_nearest(struct choice *choice)
{
    const double issued = (double)choice->result->blocks[0].issued;
    size_t nearest = 0;

    for (size_t g = 0; g < choice->count; g++) {
        if (choice->groups[g].taken)
            return;
        if (fabs(choice->groups[g].mean - issued) < fabs(choice->groups[nearest].mean - issued))
            nearest = g;
    }
    choice->groups[nearest].taken = true;
    for (size_t b = 0; b < choice->result->block_count; b++)
        choice->group[b] = nearest;
}

/* Shifts weight towards blocks that issue more, or less, until all of it adds up to what the strata issue. */
static void tilt(const struct choice *choice, double issued)
{
    struct emulate_result *result = choice->result;
    double blocks = 0, mean = 0, spread = 0, slope;

    for (size_t b = 0; b < result->block_count; b++) {
        blocks += result->blocks[b].weight;
        mean += result->blocks[b].weight * (double)result->blocks[b].issued;
    }
    mean /= blocks;
    for (size_t b = 0; b < result->block_count; b++)
        spread += result->blocks[b].weight * pow((double)result->blocks[b].issued - mean, 2);
    slope = spread > ROUNDING * blocks * mean * mean ? (issued - blocks * mean) / spread : 0;
    for (size_t b = 0; b < result->block_count; b++) /* no weight below 0 */
        if (1 + slope * ((double)result->blocks[b].issued - mean) < 0)
            slope = -1 / ((double)result->blocks[b].issued - mean);
    for (size_t b = 0; b < result->block_count; b++)
        result->blocks[b].weight *= 1 + slope * ((double)result->blocks[b].issued - mean);
}

static void weigh(struct choice *choice)
{
    struct emulate_result *result = choice->result;
    double counted = 0, missed;

    take_nearest(choice);
    merge_groups(choice);
    for (size_t b = 0; b < result->block_count; b++)
        result->blocks[b].weight = 0;
    for (size_t g = 0; g < choice->count; g++)
        if (choice->groups[g].taken)
            sample_weigh(result, choice->signer->emulation->launch->grid, choice->group, g,
                         choice->groups[g].blocks);
    tilt(choice, choice->strata->issued);
    for (size_t b = 0; b < result->block_count; b++)
        counted += result->blocks[b].weight * (double)result->blocks[b].issued;
    missed = fabs(counted / choice->strata->issued - 1);
    if (missed > ROUNDING)
        choice->strata->error += missed;
}

/* As many blocks as may be executed. */
static size_t affordable(const struct emulate_result *result, size_t most)
{
    const double each = (double)result->executed / (double)result->block_count;
    const size_t cheap = each * (double)most > DEAR ? (size_t)(DEAR / each) : most;

    return cheap < LEAST_GROUPS ? LEAST_GROUPS : cheap;
}

int represent(struct emulate_result *result, struct signer *signer, struct strata *strata, size_t most,
              struct err *err)
{
    struct choice choice = {.result = result, .signer = signer, .strata = strata, .err = err};
    const size_t groups = affordable(result, most < GROUPS ? most : GROUPS);
    const uint64_t budget = signer->emulation->budget;
    size_t before;
    int rc;

    qsort(strata->list, strata->count, sizeof *strata->list, by_issued);
    make_groups(&choice, groups);
    rc = assign_from(&choice, 0);
    signer->emulation->budget *= 2; /* blocks that others depend on come after those around the middle */
    if (!rc)
        rc = add_typical(&choice);
    signer->emulation->budget = budget;
    before = result->block_count;
    if (!rc && result->end == EMULATE_DONE)
        rc = add_beside_busiest(&choice, before + most);
    if (!rc && result->end == EMULATE_DONE)
        rc = sample_add_more(result, signer->emulation, most, err);
    if (!rc && result->end == EMULATE_DONE)
        rc = assign_from(&choice, before);
    if (!rc && result->end == EMULATE_DONE)
        weigh(&choice);
    free(choice.group);
    return rc;
}
