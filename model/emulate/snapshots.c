#include "model/emulate/snapshots.h"

#include "model/emulate/operand.h"
#include "model/emulate/slice_sets.h"

#include <stdlib.h>
#include <string.h>

static void list_state(struct snapshots *snapshots, const struct slice *slice)
{
    for (unsigned bit = 0; bit < SLICE_PREDICATES; bit++) {
        if (bit == SLICE_UNIFORM)
            snapshots->vector_count = snapshots->count;
        if (slice_has(slice, snapshots->target, bit))
            snapshots->list[snapshots->count++] = (uint16_t)bit;
    }
    snapshots->register_count = snapshots->count;
    for (unsigned bit = SLICE_STACK; slice->plain_stack && bit < SLICE_FLAGS; bit++)
        if (slice_has(slice, snapshots->target, bit))
            snapshots->list[snapshots->count++] = (uint16_t)bit;
}

enum { LUT_NOT_A = 0x0f, LUT_NOT_B = 0x33, LUT_NOT_C = 0x55 }; /* -x - 1 */

/* Whether a result goes on by steps where its sources do not: i & 1023, min(i, 100), i / 3. */
static bool cuts(const struct sass *i)
{
    const unsigned lut = i->mod[SASS_MOD_LUT];

    switch (i->op) {
    case SASS_LOP3:
    case SASS_ULOP3:
        return lut != LUT_NOT_A && lut != LUT_NOT_B && lut != LUT_NOT_C;
    case SASS_SEL:
    case SASS_USEL:
    case SASS_IMNMX:
    case SASS_VIMNMX:
    case SASS_PRMT:
    case SASS_UPRMT:
        return true;
    case SASS_SHF:
    case SASS_USHF:
        return i->mod[SASS_MOD_RIGHT];
    case SASS_IMAD:
    case SASS_UIMAD:
        return i->mod[SASS_MOD_HIGH];
    default:
        return false;
    }
}

/* What the instructions of a loop define and need: with `of`, as far as that is made of it. Whether some of them cut what is
 * in `of`. */
static bool find_defined(struct slice_set *out, const struct slice_set *of, const struct emulation *emulation,
                         uint32_t branch, uint32_t target)
{
    const struct slice *slice = &emulation->slice;
    bool cut = false;

    for (uint32_t k = target; k <= branch; k++) {
        const struct sass *i = &emulation->instructions[k];
        struct slice_set reads = {0}, defined;

        if (!slice->needed[k] || !slice->wanted[k])
            continue;
        set_add_reads(&reads, slice, i);
        set_spread_flags(&reads, slice);
        if (of && !set_overlap(&reads, of))
            continue;
        cut |= cuts(i);
        set_definitions(&defined, slice, i);
        set_unite(out, &defined);
    }
    return cut;
}

/* Whether the loop cuts what it goes on with from iteration to iteration, or what is made of that. */
static bool loop_cuts(const struct emulation *emulation, uint32_t branch, uint32_t target)
{
    struct slice_set moving = {0}, more;
    bool cut;

    find_defined(&moving, NULL, emulation, branch, target);
    set_intersect(&moving, &emulation->slice.live[target]);
    do {
        more = moving;
        cut = find_defined(&more, &moving, emulation, branch, target);
        set_take_out(&more, &moving);
        set_unite(&moving, &more);
    } while (!set_is_empty(&more));
    return cut;
}

struct snapshots *snapshots_new(const struct emulation *emulation, uint32_t branch, uint32_t target)
{
    struct snapshots *snapshots = calloc(1, sizeof *snapshots);

    if (!snapshots)
        return NULL;
    snapshots->branch = branch;
    snapshots->target = target;
    snapshots->live = &emulation->slice.live[target];
    snapshots->local_bytes = emulation->local_bytes;
    snapshots->cuts = loop_cuts(emulation, branch, target);
    list_state(snapshots, &emulation->slice);
    snapshots->rows = malloc((snapshots->count * SNAPSHOT_COUNT + 1) * sizeof(row));
    snapshots->unknown = calloc(snapshots->count * SNAPSHOT_COUNT + 1, sizeof *snapshots->unknown);
    if (!snapshots->rows || !snapshots->unknown) {
        snapshots_free(snapshots);
        return NULL;
    }
    for (unsigned k = 0; k < SNAPSHOT_COUNT; k++) {
        snapshots->snapshots[k].rows = snapshots->rows + k * snapshots->count;
        snapshots->snapshots[k].unknown = snapshots->unknown + k * snapshots->count;
    }
    return snapshots;
}

void snapshots_free(struct snapshots *snapshots)
{
    free(snapshots->rows);
    free(snapshots->unknown);
    free(snapshots);
}

/* The bytes of the stack word in a lane's local memory, which R1 points to; null outside of it. */
static unsigned char *stack_word(const struct snapshots *snapshots, const struct warp *warp, unsigned k,
                                 unsigned lane)
{
    const uint64_t at = (uint64_t)warp->regs->r[1][lane] + 4 * (snapshots->list[k] - SLICE_STACK);

    return at + 4 <= snapshots->local_bytes ? warp->local + lane * snapshots->local_bytes + at : NULL;
}

static const uint32_t *register_row(const struct snapshots *snapshots, const struct warp *warp, unsigned k)
{
    return k < snapshots->vector_count ? warp->regs->r[snapshots->list[k]]
                                       : warp->regs->u[snapshots->list[k] - SLICE_UNIFORM];
}

/* The lanes for which a row is unknown, of a register. */
static uint32_t *unknown_lanes(const struct snapshots *snapshots, const struct warp *warp, unsigned k)
{
    return k < snapshots->vector_count ? &warp->regs->r_unknown[snapshots->list[k]]
                                       : &warp->regs->u_unknown[snapshots->list[k] - SLICE_UNIFORM];
}

static const uint32_t *read_row(const struct snapshots *snapshots, const struct warp *warp, unsigned k,
                                row scratch)
{
    if (k < snapshots->register_count)
        return register_row(snapshots, warp, k);
    for (unsigned l = 0; l < LANES; l++) {
        const unsigned char *word = stack_word(snapshots, warp, k, l);

        scratch[l] = 0;
        if (word)
            memcpy(&scratch[l], word, sizeof scratch[l]);
    }
    return scratch;
}

static void write_row(const struct snapshots *snapshots, struct warp *warp, unsigned k, const row values)
{
    const bool uniform = k >= snapshots->vector_count;

    if (k < snapshots->register_count && (uniform || snapshots->mask == ALL_LANES)) {
        memcpy(uniform ? warp->regs->u[snapshots->list[k] - SLICE_UNIFORM]
                       : warp->regs->r[snapshots->list[k]],
               values, sizeof(row));
        return;
    }
    for (unsigned l = 0; l < LANES; l++) {
        if (!(snapshots->mask >> l & 1))
            continue;
        if (k >= snapshots->register_count) {
            unsigned char *word = stack_word(snapshots, warp, k, l);

            if (word)
                memcpy(word, &values[l], sizeof values[l]);
        } else {
            warp->regs->r[snapshots->list[k]][l] = values[l];
        }
    }
}

static struct snapshot *snapshot_back(struct snapshots *snapshots, unsigned back)
{
    return &snapshots->snapshots[(snapshots->taken - 1 - back) % SNAPSHOT_COUNT];
}

static void take_predicates(struct snapshot *out, const struct warp *warp)
{
    memcpy(out->p, warp->regs->p, sizeof out->p);
    memcpy(out->up, warp->regs->up, sizeof out->up);
    memcpy(out->p_unknown, warp->regs->p_unknown, sizeof out->p_unknown);
    memcpy(out->up_unknown, warp->regs->up_unknown, sizeof out->up_unknown);
}

void snapshots_take(struct snapshots *snapshots, const struct warp *warp)
{
    struct snapshot *snapshot = &snapshots->snapshots[snapshots->taken++ % SNAPSHOT_COUNT];
    row scratch;

    for (unsigned k = 0; k < snapshots->count; k++)
        memcpy(snapshot->rows[k], read_row(snapshots, warp, k, scratch), sizeof(row));
    for (unsigned k = 0; k < snapshots->register_count; k++)
        snapshot->unknown[k] = *unknown_lanes(snapshots, warp, k);
    take_predicates(snapshot, warp);
}

static bool is_live(const struct snapshots *snapshots, unsigned bit)
{
    return snapshots->live->bits[bit / 64] >> bit % 64 & 1;
}

static bool same_predicates(const struct snapshots *snapshots, const struct snapshot *a,
                            const struct snapshot *b)
{
    for (unsigned k = 0; k < 7; k++) {
        if (is_live(snapshots, SLICE_PREDICATES + k) &&
            ((a->p[k] ^ b->p[k]) | (a->p_unknown[k] ^ b->p_unknown[k])) & snapshots->mask)
            return false;
        if (is_live(snapshots, SLICE_UNIFORM_PREDICATES + k) &&
            (a->up[k] != b->up[k] || a->up_unknown[k] != b->up_unknown[k]))
            return false;
    }
    return true;
}

/* Whether a row is unknown for the same lanes of the loop. */
static bool same_unknown(const struct snapshots *snapshots, uint32_t a, uint32_t b)
{
    return !((a ^ b) & snapshots->mask);
}

/* Of the lanes of the mask. Without branches, which takes less than to stop early. */
static bool advances_evenly(const row a, const row b, const row c, uint32_t mask)
{
    uint32_t off = 0;

    for (unsigned l = 0; l < LANES; l++)
        off |= ((c[l] - b[l]) ^ (b[l] - a[l])) & (mask & lane_bits[l] ? ALL_LANES : 0);
    return !off;
}

bool snapshots_on_line(struct snapshots *snapshots, unsigned period)
{
    const struct snapshot *c = snapshot_back(snapshots, 0), *b = snapshot_back(snapshots, period),
                          *a = snapshot_back(snapshots, 2 * period);

    if (!same_predicates(snapshots, a, b) || !same_predicates(snapshots, b, c))
        return false;
    for (unsigned k = 0; k < snapshots->count; k++) {
        const uint32_t known = snapshots->mask & ~c->unknown[k];

        if (!same_unknown(snapshots, a->unknown[k], b->unknown[k]) ||
            !same_unknown(snapshots, b->unknown[k], c->unknown[k]))
            return false;
        if (!advances_evenly(a->rows[k], b->rows[k], c->rows[k], known))
            return false;
    }
    return true;
}

/* Row k `periods` periods after the newest snapshot. */
static void foretell(row out, struct snapshots *snapshots, unsigned k, unsigned period, uint64_t periods)
{
    const uint32_t *now = snapshot_back(snapshots, 0)->rows[k],
                   *before = snapshot_back(snapshots, period)->rows[k];

    for (unsigned l = 0; l < LANES; l++)
        out[l] = now[l] + (uint32_t)periods * (now[l] - before[l]);
}

void snapshots_set(struct snapshots *snapshots, struct warp *warp, unsigned period, uint64_t periods)
{
    const struct snapshot *now = snapshot_back(snapshots, 0);
    row values;

    for (unsigned k = 0; k < snapshots->count; k++) {
        foretell(values, snapshots, k, period, periods);
        write_row(snapshots, warp, k, values);
    }
    for (unsigned k = 0; k < snapshots->register_count && warp->regs->tainted; k++)
        *unknown_lanes(snapshots, warp, k) = now->unknown[k];
    memcpy(warp->regs->p, now->p, sizeof warp->regs->p);
    memcpy(warp->regs->up, now->up, sizeof warp->regs->up);
    memcpy(warp->regs->p_unknown, now->p_unknown, sizeof warp->regs->p_unknown);
    memcpy(warp->regs->up_unknown, now->up_unknown, sizeof warp->regs->up_unknown);
}

bool snapshots_agrees(struct snapshots *snapshots, const struct warp *warp, unsigned period, uint64_t periods)
{
    const struct snapshot *newest = snapshot_back(snapshots, 0);
    struct snapshot found = {0};
    row values, scratch;

    take_predicates(&found, warp);
    if (!same_predicates(snapshots, newest, &found))
        return false;
    for (unsigned k = 0; k < snapshots->count; k++) {
        const uint32_t *is = read_row(snapshots, warp, k, scratch);
        const uint32_t now = k < snapshots->register_count ? *unknown_lanes(snapshots, warp, k) : 0;

        if (!same_unknown(snapshots, newest->unknown[k], now))
            return false;
        foretell(values, snapshots, k, period, periods);
        for (unsigned l = 0; l < LANES; l++)
            if (snapshots->mask >> l & 1 && !(now >> l & 1) && is[l] != values[l])
                return false;
    }
    return true;
}
