#include "model/memory/stores.h"

#include "model/machine/assumptions.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { LOOK_BACK = 1000 /* instructions among which to look for the store before */ };

/* How long ago a warp stored to the sectors that it stores to again. */
enum since {
    AT_ONCE,  /* right before */
    IN_A_ROW, /* right before, but it has stored so much that it waits for the load/store units */
    A_TURN,   /* in the last turn of a loop */
    LONG_AGO, /* it has waited for memory or at a barrier since */
    UNKNOWN
};

/* What is the same for all stores of a kernel. */
struct scene {
    const struct sass_code *code;
    const struct traffic_caches *caches;
    double meeting; /* other warps that store at the same time, where warps queue up */
    double others;  /* the same, 0 where they do not */
    double all;     /* other warps of the SM that store at all */
    double again;   /* of the sectors that warps store to, the share that they have stored to before */
};

/* The share of a warp's stores to sectors that it has stored to before that do not merge with what is still
 * on its way to L2. That queue holds so many lines, `queue` of these stores. The warps of a block that store do so
 * together, and those of another one get in between, `others` in all: who goes next is any of them, so that
 * between two stores of a warp the number of those of others has a geometric distribution. Each that does not
 * merge, of the `again` that could and of all the others, moves the queue on. */
static double parts_apart(double queue, double others, double again)
{
    double apart = 1;

    if (queue < 1)
        return 1;
    for (int i = 0; i < 50; i++) {
        const double moves = others * (1 - again * (1 - apart));

        apart = pow(moves / (1 + moves), queue);
    }
    return apart;
}

/* The same of stores that follow at once: one of each other scheduler may get in between, where it has a warp that
 * stores. */
static double parts_at_once(double queue, double others, double schedulers)
{
    const double busy = others / (others + schedulers - 1);
    double apart = 0, chance = pow(1 - busy, schedulers - 1); /* that so many of them are busy */

    for (double k = 0; k < schedulers; k++) {
        apart += k + 1 > queue ? chance : 0;
        chance *= busy < 1 ? (schedulers - 1 - k) / (k + 1) * busy / (1 - busy) : 0;
    }
    return apart;
}

static bool same_place(const struct sass_access *a, const struct sass_access *b)
{
    return a && a->index == b->index && a->uniform == b->uniform && a->wide == b->wide &&
           a->scale == b->scale && abs(a->offset - b->offset) < SECTOR;
}

static bool changes_address(const struct sass *i, const struct sass_access *access)
{
    for (unsigned d = 0; d < i->destination_count; d++)
        if (i->destinations[d].kind == SASS_REGISTER &&
            i->destinations[d].index <= access->index + access->wide &&
            access->index < i->destinations[d].index + i->destinations[d].count)
            return true;
    return false;
}

static bool waits_for_memory(const struct sass *i, unsigned waited)
{
    if (i->op == SASS_BAR)
        return true;
    return i->access_count && i->accesses[0].access & SASS_READS &&
           i->accesses[0].space != SASS_SPACE_SHARED && i->accesses[0].space != SASS_SPACE_CONSTANT &&
           i->control.write_barrier != SASS_NO_BARRIER && waited >> i->control.write_barrier & 1;
}

/* What the copy engine writes goes another way, where nothing merges. */
static bool stores(const struct sass *i)
{
    const struct sass_access *access = traffic_global_access(i);

    return access && access->access & SASS_WRITES && !(access->access & SASS_ATOMICALLY) &&
           !sass_copies_in_bulk(i);
}

/* Stores before this one, each soon after the one before. */
static unsigned row_before(const struct scene *scene, size_t i)
{
    unsigned cycles = 0, row = 0;

    while (i > 0) {
        const struct sass *before = &scene->code->instructions[--i];

        cycles += before->control.stall;
        if (sass_is_jump(before) || cycles > scene->caches->assumed->stores_together)
            break;
        if (stores(before)) {
            row++;
            cycles = 0;
        }
    }
    return row;
}

/* The jump that ends the innermost loop around instruction i, or code->count. */
static size_t loop_end(const struct sass_code *code, size_t i)
{
    for (size_t k = i; k < code->count; k++) {
        const struct sass *jump = &code->instructions[k];

        if (!sass_is_jump(jump) || !jump->has_target)
            continue;
        if (jump->target <= (int64_t)code->instructions[i].pc)
            return k;
    }
    return code->count;
}

/* What comes before instruction k on the way back from instruction i: in a loop around i, behind its first instruction its last. */
static size_t step_back(const struct sass_code *code, size_t k, size_t end)
{
    const bool first =
        end < code->count && code->instructions[end].target == (int64_t)code->instructions[k].pc;

    return first ? end : k - 1;
}

/* Behind a jump the instructions before it may not have been executed: waits among them are taken to have been, and nothing else. */
static enum since stored_since(const struct scene *scene, size_t i)
{
    const struct assumptions *assumed = scene->caches->assumed;
    const struct sass_code *code = scene->code;
    const struct sass_access *access = traffic_global_access(&code->instructions[i]);
    const size_t end = loop_end(code, i);
    unsigned cycles = 0, waited = code->instructions[i].control.wait_mask;
    bool memory = false, jumped = false;

    for (size_t k = i, looked = 0; k > 0 && looked < LOOK_BACK; looked++) {
        const struct sass *before;

        k = step_back(code, k, end);
        before = &code->instructions[k];
        cycles += before->control.stall;
        memory = memory || waits_for_memory(before, waited);
        jumped = jumped || (sass_is_jump(before) && k != end);
        if (stores(before) && same_place(traffic_global_access(before), access)) {
            if (memory)
                return LONG_AGO;
            if (jumped)
                break;
            if (k >= i)
                return A_TURN;
            if (waited || cycles > assumed->stores_together)
                return UNKNOWN;
            return row_before(scene, i) < assumed->stores_ahead ? AT_ONCE : IN_A_ROW;
        }
        if (k == i || changes_address(before, access))
            break;
        waited |= before->control.wait_mask;
    }
    return end < code->count ? A_TURN : UNKNOWN;
}

static double parts_left(const struct scene *scene, size_t i, double queue)
{
    switch (stored_since(scene, i)) {
    case AT_ONCE:
        return parts_at_once(queue, scene->others, scene->caches->schedulers);
    case IN_A_ROW:
        return parts_apart(queue, scene->meeting, scene->again);
    case A_TURN:
        return parts_apart(queue, scene->all < queue ? scene->others : scene->all, scene->again);
    case LONG_AGO:
        return 1;
    default:
        return parts_apart(queue, scene->others, scene->again);
    }
}

/* Parts of a sector that a warp stores one after another leave the SM as one where they merge. */
static void send(struct traffic_stores *out, struct traffic_count *count, const struct scene *scene, size_t i)
{
    const bool merges = stores(&scene->code->instructions[i]) && count->requests > 0;
    const double queue = merges ? scene->caches->merge_lines / (count->lines / count->requests) : 0;
    const double parts = fmax(count->sectors - count->own, 0);

    if (!(count->sectors > 0))
        return;
    count->again = merges && parts > 0 ? parts * (1 - parts_left(scene, i, queue)) : 0;
    out->sectors += count->sectors - count->again;
    out->lines += count->lines * (1 - count->again / count->sectors);
    out->filled += fmin(count->bytes / SECTOR, count->sectors);
}

/* Of the sectors that warps store to, the share that they have stored to before. */
static double stored_again(const struct traffic *traffic, const struct sass_code *code)
{
    double all = 0, again = 0;

    for (size_t i = 0; i < code->count; i++)
        if (stores(&code->instructions[i])) {
            all += traffic->counts[i].sectors;
            again += fmax(traffic->counts[i].sectors - traffic->counts[i].own, 0);
        }
    return all > 0 ? again / all : 0;
}

/* Whether warps queue for the load/store units to store: they come there together, from a barrier, or the
 * loads of all resident ones are more than an SM can have under way. */
static bool stores_queue(const struct traffic *traffic, const struct sass_code *code,
                         const struct traffic_caches *caches, double resident_warps)
{
    double lines = 0; /* that a warp loads, each instruction once */

    for (size_t i = 0; i < code->count; i++) {
        const struct traffic_count *count = &traffic->counts[i];

        if (code->instructions[i].op == SASS_BAR && count->issued > 0)
            return true;
        if (count->requests > 0 && traffic_is_cached(&code->instructions[i]))
            lines += count->lines / fmax(count->issued, 1);
    }
    return lines * resident_warps > caches->loads_most;
}

static bool path_stores(const struct emulate_path *path, const struct sass_code *code)
{
    for (size_t s = 0; s < path->count; s++)
        for (uint32_t i = 0; i < path->steps[s].count && !path->steps[s].body; i++)
            if (stores(&code->instructions[path->steps[s].first + i]))
                return true;
    return path->cut;
}

/* Warps of a mean block that store anything: those that only load for others do not get in between. */
static double storing_warps(const struct sass_code *code, const struct emulate_result *result)
{
    double warps = 0, weight = 0;

    for (size_t p = 0; p < result->path_count; p++) {
        const size_t blocks = path_stores(&result->paths[p], code) ? result->block_count : 0;

        for (size_t b = 0; b < blocks; b++)
            for (unsigned w = 0; w < result->blocks[b].warps; w++)
                warps += result->blocks[b].paths[w] == p ? result->blocks[b].weight : 0;
    }
    for (size_t b = 0; b < result->block_count; b++)
        weight += result->blocks[b].weight;
    return weight > 0 ? warps / weight : 0;
}

/* Other warps that store at the same time: those of a block and of the next one, or of more where blocks are small. */
static double meeting(const struct scene *scene, const struct emulate_result *result)
{
    const double warps = storing_warps(scene->code, result), blocks = scene->caches->resident_blocks;
    const double together = scene->caches->assumed->stores_meet * blocks;

    return fmax(fmin(fmax(together, 2), blocks) * warps - 1, 0);
}

void stores_sum(struct traffic *traffic, const struct sass_code *code, const struct emulate_result *result,
                const struct traffic_caches *caches)
{
    const double resident_warps = caches->resident_blocks * result->blocks[0].warps;
    struct scene scene = {.code = code, .caches = caches, .again = stored_again(traffic, code)};

    scene.meeting = meeting(&scene, result);
    scene.all = fmax(caches->resident_blocks * storing_warps(code, result) - 1, 0);
    scene.others = stores_queue(traffic, code, caches, resident_warps)
                       ? fmax(fmin(caches->resident_blocks, 2) * storing_warps(code, result) - 1, 0)
                       : 0;
    for (size_t i = 0; i < code->count; i++) {
        const struct sass_access *access = traffic_global_access(&code->instructions[i]);

        if (access && access->access & (SASS_WRITES | SASS_ATOMICALLY))
            send(access->access & SASS_ATOMICALLY ? &traffic->added : &traffic->stores, &traffic->counts[i],
                 &scene, i);
    }
    traffic->stores.filled = fmin(traffic->stores.filled, traffic->stores.sectors);
}
