#include "model/emulate/watch.h"

#include <stdlib.h>
#include <string.h>

static void list_state(struct watch *watch, const struct slice *slice)
{
    for (unsigned bit = 0; bit < SLICE_PREDICATES; bit++) {
        if (bit == SLICE_UNIFORM)
            watch->vector_count = watch->count;
        if (slice_has(slice, watch->target, bit))
            watch->list[watch->count++] = (uint16_t)bit;
    }
    watch->register_count = watch->count;
    for (unsigned bit = SLICE_STACK; slice->plain_stack && bit < SLICE_FLAGS; bit++)
        if (slice_has(slice, watch->target, bit))
            watch->list[watch->count++] = (uint16_t)bit;
}

struct watch *watch_new(const struct emulation *emulation, uint32_t branch, uint32_t target)
{
    struct watch *watch = calloc(1, sizeof *watch);

    if (!watch)
        return NULL;
    watch->branch = branch;
    watch->target = target;
    watch->live = &emulation->slice.live[target];
    watch->local_bytes = emulation->local_bytes;
    list_state(watch, &emulation->slice);
    watch->rows = malloc((watch->count * WATCH_SNAPSHOTS + 1) * sizeof(row));
    if (!watch->rows) {
        free(watch);
        return NULL;
    }
    for (unsigned k = 0; k < WATCH_SNAPSHOTS; k++)
        watch->snapshots[k].rows = watch->rows + k * watch->count;
    return watch;
}

void watch_free(struct watch *watch)
{
    free(watch->rows);
    free(watch);
}

/* The bytes of the stack word in a lane's local memory, which R1 points to; null outside of it. */
static unsigned char *stack_word(const struct watch *watch, const struct warp *warp, unsigned k,
                                 unsigned lane)
{
    const uint64_t at = (uint64_t)warp->regs->r[1][lane] + 4 * (watch->list[k] - SLICE_STACK);

    return at + 4 <= watch->local_bytes ? warp->local + lane * watch->local_bytes + at : NULL;
}

static const uint32_t *register_row(const struct watch *watch, const struct warp *warp, unsigned k)
{
    return k < watch->vector_count ? warp->regs->r[watch->list[k]]
                                   : warp->regs->u[watch->list[k] - SLICE_UNIFORM];
}

static const uint32_t *read_row(const struct watch *watch, const struct warp *warp, unsigned k, row scratch)
{
    if (k < watch->register_count)
        return register_row(watch, warp, k);
    for (unsigned l = 0; l < LANES; l++) {
        const unsigned char *word = stack_word(watch, warp, k, l);

        scratch[l] = 0;
        if (word)
            memcpy(&scratch[l], word, sizeof scratch[l]);
    }
    return scratch;
}

static void write_row(const struct watch *watch, struct warp *warp, unsigned k, const row values)
{
    for (unsigned l = 0; l < LANES; l++) {
        if (k >= watch->register_count) {
            unsigned char *word = stack_word(watch, warp, k, l);

            if (word && watch->mask >> l & 1)
                memcpy(word, &values[l], sizeof values[l]);
        } else if (k >= watch->vector_count) {
            warp->regs->u[watch->list[k] - SLICE_UNIFORM][l] = values[l];
        } else if (watch->mask >> l & 1) {
            warp->regs->r[watch->list[k]][l] = values[l];
        }
    }
}

static struct snapshot *snapshot_back(struct watch *watch, unsigned back)
{
    return &watch->snapshots[(watch->taken - 1 - back) % WATCH_SNAPSHOTS];
}

void watch_take(struct watch *watch, const struct warp *warp)
{
    struct snapshot *snapshot = &watch->snapshots[watch->taken++ % WATCH_SNAPSHOTS];
    row scratch;

    for (unsigned k = 0; k < watch->count; k++)
        memcpy(snapshot->rows[k], read_row(watch, warp, k, scratch), sizeof(row));
    memcpy(snapshot->p, warp->regs->p, sizeof snapshot->p);
    memcpy(snapshot->up, warp->regs->up, sizeof snapshot->up);
}

static bool is_live(const struct watch *watch, unsigned bit)
{
    return watch->live->bits[bit / 64] >> bit % 64 & 1;
}

static bool same_predicates(const struct watch *watch, const struct snapshot *a, const struct snapshot *b)
{
    for (unsigned k = 0; k < 7; k++) {
        if (is_live(watch, SLICE_PREDICATES + k) && (a->p[k] ^ b->p[k]) & watch->mask)
            return false;
        if (is_live(watch, SLICE_UNIFORM_PREDICATES + k) && a->up[k] != b->up[k])
            return false;
    }
    return true;
}

bool watch_on_line(struct watch *watch, unsigned period)
{
    const struct snapshot *c = snapshot_back(watch, 0), *b = snapshot_back(watch, period),
                          *a = snapshot_back(watch, 2 * period);

    if (!same_predicates(watch, a, b) || !same_predicates(watch, b, c))
        return false;
    for (unsigned k = 0; k < watch->count; k++)
        for (unsigned l = 0; l < LANES; l++)
            if (watch->mask >> l & 1 && c->rows[k][l] - b->rows[k][l] != b->rows[k][l] - a->rows[k][l])
                return false;
    return true;
}

/* Row k `periods` periods after the newest snapshot. */
static void foretell(row out, struct watch *watch, unsigned k, unsigned period, uint64_t periods)
{
    const uint32_t *now = snapshot_back(watch, 0)->rows[k], *before = snapshot_back(watch, period)->rows[k];

    for (unsigned l = 0; l < LANES; l++)
        out[l] = now[l] + (uint32_t)periods * (now[l] - before[l]);
}

void watch_set(struct watch *watch, struct warp *warp, unsigned period, uint64_t periods)
{
    const struct snapshot *now = snapshot_back(watch, 0);
    row values;

    for (unsigned k = 0; k < watch->count; k++) {
        foretell(values, watch, k, period, periods);
        write_row(watch, warp, k, values);
    }
    memcpy(warp->regs->p, now->p, sizeof warp->regs->p);
    memcpy(warp->regs->up, now->up, sizeof warp->regs->up);
}

bool watch_agrees(struct watch *watch, const struct warp *warp, unsigned period, uint64_t periods)
{
    struct snapshot found = {0};
    row values, scratch;

    memcpy(found.p, warp->regs->p, sizeof found.p);
    memcpy(found.up, warp->regs->up, sizeof found.up);
    if (!same_predicates(watch, snapshot_back(watch, 0), &found))
        return false;
    for (unsigned k = 0; k < watch->count; k++) {
        const uint32_t *is = read_row(watch, warp, k, scratch);

        foretell(values, watch, k, period, periods);
        for (unsigned l = 0; l < LANES; l++)
            if (watch->mask >> l & 1 && is[l] != values[l])
                return false;
    }
    return true;
}
