#include "model/warp/latency.h"

#include <math.h>

void replay_init(struct replay *warp, unsigned loads_in_flight)
{
    *warp = (struct replay){.places = loads_in_flight < REPLAY_FLIGHT ? loads_in_flight : REPLAY_FLIGHT};
}

static int check(const struct replay_op *op, struct err *err)
{
    if ((op->sets >= REPLAY_SLOTS && op->sets != REPLAY_NO_SLOT) ||
        (op->sets_read >= REPLAY_SLOTS && op->sets_read != REPLAY_NO_SLOT))
        return err_set(err, ERR_USAGE, "instruction %#x sets slot %u or %u: slots are 0 to %d", op->tag,
                       op->sets, op->sets_read, REPLAY_SLOTS - 1);
    if (op->counted != REPLAY_NO_SLOT && (op->counted >= REPLAY_COUNTED || op->counted_left >= REPLAY_DEPTH))
        return err_set(err, ERR_USAGE,
                       "instruction %#x waits for %u left in slot %u: at most %d in slots 0 to %d", op->tag,
                       op->counted_left, op->counted, REPLAY_DEPTH - 1, REPLAY_COUNTED - 1);
    if (op->pipe >= REPLAY_PIPES || op->level >= REPLAY_LEVELS)
        return err_set(err, ERR_USAGE,
                       "instruction %#x has pipe %u and level %u: below %d and %d they must be", op->tag,
                       op->pipe, op->level, REPLAY_PIPES, REPLAY_LEVELS);
    return 0;
}

/* A wait until `until`, remembered if it is the longest so far; slot as in REPLAY_SLOT's blame. */
static void wait_until(struct replay_issue *out, double until, enum replay_cause cause, unsigned slot,
                       unsigned *blamed)
{
    if (until <= out->cycle)
        return;
    out->cycle = until;
    out->cause = (uint8_t)cause;
    *blamed = slot;
}

/* When at most `left` of what set the slot is still in flight, earlier ones counted as ending first. */
static double counted_ready(const struct replay *warp, unsigned slot, unsigned left)
{
    const uint64_t sets = warp->sets[slot];

    return sets > left ? warp->history[slot][(sets - left) % REPLAY_DEPTH] : 0;
}

static unsigned find_issue(struct replay_issue *out, const struct replay *warp, const struct replay_op *op)
{
    uint64_t waits = op->waits;
    unsigned blamed = 0;

    while (waits) {
        const unsigned slot = (unsigned)__builtin_ctzll(waits);

        wait_until(out, warp->ready[slot], REPLAY_SLOT, slot, &blamed);
        waits &= waits - 1;
    }
    if (op->counted != REPLAY_NO_SLOT)
        wait_until(out, counted_ready(warp, op->counted, op->counted_left), REPLAY_SLOT, op->counted,
                   &blamed);
    wait_until(out, warp->pipe_free[op->pipe], REPLAY_PIPE, 0, &blamed);
    if (warp->places && (op->kind == REPLAY_LOAD || op->kind == REPLAY_COPY))
        wait_until(out, warp->place_free[0], REPLAY_PLACES, 0, &blamed);
    return blamed;
}

static void set_slot(struct replay *warp, unsigned slot, double ready, const struct replay_op *op)
{
    if (slot == REPLAY_NO_SLOT)
        return;
    if (ready >= warp->ready[slot]) {
        warp->ready[slot] = ready;
        warp->setter[slot] = op->tag;
        warp->level[slot] = op->level;
    }
    if (slot < REPLAY_COUNTED)
        warp->history[slot][++warp->sets[slot] % REPLAY_DEPTH] = warp->ready[slot];
}

/* The earliest place becomes taken until `until`; places stay in ascending order. */
static void take_place(struct replay *warp, double until)
{
    unsigned i;

    for (i = 0; i + 1 < warp->places && warp->place_free[i + 1] < until; i++)
        warp->place_free[i] = warp->place_free[i + 1];
    if (warp->places)
        warp->place_free[i] = until;
}

/* A product that waits in the queue ends so much later. */
static double queue_product(struct replay *warp, const struct replay_op *op, double issue)
{
    double *const free = &warp->pipe_free[op->pipe];
    const double wait = products_issue(&warp->products, issue, op->queued);

    *free = fmax(*free, products_open(&warp->products));
    return wait;
}

static void apply(struct replay *warp, const struct replay_op *op, double issue)
{
    double end = issue + op->latency;

    warp->pipe_free[op->pipe] = issue + op->interval;
    if (op->queued > 0)
        end += queue_product(warp, op, issue);
    if (op->kind == REPLAY_LOAD || op->kind == REPLAY_COPY)
        take_place(warp, end);
    if (op->kind == REPLAY_COPY)
        warp->copied = fmax(warp->copied, end);
    if (op->kind == REPLAY_COMMIT)
        end = fmax(end, warp->copied);
    set_slot(warp, op->sets, end, op);
    set_slot(warp, op->sets_read, issue + op->read_latency, op);
    warp->last = issue;
    warp->earliest = issue + op->stall;
    warp->issued++;
}

int replay_step(struct replay_issue *out, struct replay *warp, const struct replay_op *op, struct err *err)
{
    unsigned slot;

    *out = (struct replay_issue){.cycle = warp->earliest};
    if (check(op, err))
        return ERR_USAGE;
    slot = find_issue(out, warp, op);
    out->waited = out->cycle - warp->earliest;
    warp->waited[out->cause] += out->waited;
    if (out->cause == REPLAY_SLOT) {
        out->blamed = warp->setter[slot];
        warp->waited_level[warp->level[slot]] += out->waited;
    }
    apply(warp, op, out->cycle);
    return 0;
}

/* Equal as far as the future goes: what is ready already is as good as ready now. */
static bool same_times(const double *a, double a_now, const double *b, double b_now, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fabs(fmax(a[i] - a_now, 0) - fmax(b[i] - b_now, 0)) > 1e-9)
            return false;
    return true;
}

/* The products still to come meet the same queue. */
static bool same_queue(const struct replay *a, const struct replay *b)
{
    for (unsigned ago = 1; ago <= a->products.depth; ago++) {
        const double x = a->products.ends[(a->products.issued - ago) % PRODUCTS_MOST];
        const double y = b->products.ends[(b->products.issued - ago) % PRODUCTS_MOST];

        if (!same_times(&x, a->earliest, &y, b->earliest, 1))
            return false;
    }
    return true;
}

bool replay_is_steady(const struct replay *a, const struct replay *b)
{
    for (unsigned slot = 0; slot < REPLAY_COUNTED; slot++)
        for (unsigned left = 0; left < REPLAY_DEPTH; left++) {
            const double x = counted_ready(a, slot, left), y = counted_ready(b, slot, left);

            if (!same_times(&x, a->earliest, &y, b->earliest, 1))
                return false;
        }
    return same_times(a->ready, a->earliest, b->ready, b->earliest, REPLAY_SLOTS) &&
           same_times(a->pipe_free, a->earliest, b->pipe_free, b->earliest, REPLAY_PIPES) &&
           same_queue(a, b) &&
           same_times(a->place_free, a->earliest, b->place_free, b->earliest, a->places) &&
           same_times(&a->copied, a->earliest, &b->copied, b->earliest, 1);
}

static void shift_times(double *times, size_t n, double by)
{
    for (size_t i = 0; i < n; i++)
        times[i] += by;
}

void replay_repeat(struct replay *warp, const struct replay *before, uint64_t times)
{
    const double by = (double)times * (warp->earliest - before->earliest);

    for (int i = 0; i < REPLAY_CAUSES; i++)
        warp->waited[i] += (double)times * (warp->waited[i] - before->waited[i]);
    for (int i = 0; i < REPLAY_LEVELS; i++)
        warp->waited_level[i] += (double)times * (warp->waited_level[i] - before->waited_level[i]);
    warp->issued += times * (warp->issued - before->issued);
    warp->last += by;
    warp->earliest += by;
    warp->copied += by;
    shift_times(warp->ready, REPLAY_SLOTS, by);
    shift_times(&warp->history[0][0], (size_t)REPLAY_COUNTED * REPLAY_DEPTH, by);
    shift_times(warp->pipe_free, REPLAY_PIPES, by);
    shift_times(&warp->products.free, 1, by);
    shift_times(warp->products.ends, PRODUCTS_MOST, by);
    shift_times(warp->place_free, warp->places, by);
}

void replay_barrier(struct replay *const *warps, size_t n, double latency)
{
    double latest = 0;

    for (size_t i = 0; i < n; i++)
        latest = fmax(latest, warps[i]->last);
    for (size_t i = 0; i < n; i++) {
        const double wait = latest + latency - warps[i]->earliest;

        if (wait > 0) {
            warps[i]->waited[REPLAY_AT_BARRIER] += wait;
            warps[i]->earliest += wait;
        }
    }
}

double replay_unevenness(double warps, unsigned partitions)
{
    return ceil(warps / partitions) * partitions / warps;
}
