#include "model/emulate/foresee.h"

#include "model/emulate/operand.h"

#include <stdlib.h>

enum {
    BUDGET = 1 << 14, /* instructions for one block */
    TRIPS = 1 << 24   /* iterations of a loop at most */
};

/* Loops come in the order of their ends: the next one that holds others holds the last of the list. */
static void add_loop(struct foresight *out, const struct sass_counted *loop, enum foresight_loops which)
{
    const bool holds = out->count && out->loops[out->count - 1].first >= loop->first;

    if (holds && which == FORESIGHT_INNER)
        return;
    while (out->count && out->loops[out->count - 1].first >= loop->first)
        out->count--;
    out->loops[out->count++] = *loop;
}

int foresight_open(struct foresight *out, const struct emulation *emulation, enum foresight_loops which,
                   struct err *err)
{
    struct sass_counted loop;
    uint32_t next;

    *out = (struct foresight){.loops = calloc(emulation->count + 1, sizeof *out->loops),
                              .next = calloc(emulation->count + 1, sizeof *out->next),
                              .moves = calloc(emulation->count + 1, sizeof *out->moves),
                              .by = calloc(emulation->count + 1, sizeof *out->by)};
    if (!out->loops || !out->next || !out->moves || !out->by)
        return err_memory(err);
    for (size_t k = 0; k < emulation->count; k++)
        if (sass_counted(&loop, emulation->instructions, k))
            add_loop(out, &loop, which);
    next = (uint32_t)out->count;
    for (size_t k = emulation->count; k-- > 0;) {
        if (next && out->loops[next - 1].first == k)
            next--;
        out->next[k] = next;
    }
    for (size_t l = 0; l < out->count; l++)
        for (uint32_t k = out->loops[l].first; k <= out->loops[l].back; k++)
            out->moves[k] = sass_counted_moves(&out->by[k], emulation->instructions, &out->loops[l], k);
    return 0;
}

void foresight_close(struct foresight *foresight)
{
    free(foresight->loops);
    free(foresight->next);
    free(foresight->moves);
    free(foresight->by);
    *foresight = (struct foresight){0};
}

static uint32_t signed_word(const struct sass_operand *operand, const uint32_t *words, unsigned lane)
{
    return operand->negate ? 0 - words[lane] : words[lane];
}

/* The operands of a loop for all lanes. */
struct operands {
    row counter, ahead, step, bound;
    const uint32_t *words[4];
};

static bool read_operands(struct operands *out, const struct emulation *emulation, const struct warp *warp,
                          const struct sass_counted *loop, uint32_t mask)
{
    uint32_t unknown = operand_unknown(emulation, warp, &loop->counter);

    unknown |= operand_unknown(emulation, warp, &loop->ahead) |
               operand_unknown(emulation, warp, &loop->step) | operand_unknown(emulation, warp, &loop->bound);
    out->words[0] = operand_row(emulation, warp, &loop->counter, 0, out->counter);
    out->words[1] = operand_row(emulation, warp, &loop->ahead, 0, out->ahead);
    out->words[2] = operand_row(emulation, warp, &loop->step, 0, out->step);
    out->words[3] = operand_row(emulation, warp, &loop->bound, 0, out->bound);
    return !(unknown & mask);
}

/* The iterations of each lane; the most of any. */
static uint64_t find_trips(row trips, const struct sass_counted *loop, const struct operands *operands,
                           uint32_t mask)
{
    uint64_t most = 0;

    for (uint32_t left = mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint32_t step = signed_word(&loop->step, operands->words[2], lane);
        const uint64_t own = sass_counted_trips(loop, operands->words[0][lane],
                                                signed_word(&loop->ahead, operands->words[1], lane), step,
                                                signed_word(&loop->bound, operands->words[3], lane));

        trips[lane] = (uint32_t)own;
        most = own > most ? own : most;
    }
    return most;
}

/* Stores where a register is that each iteration moves by the same; false where nobody knows. */
static bool move(struct emulation *emulation, struct warp *warp, const struct sass_operand *to,
                 const struct sass_operand *by, const row trips, uint32_t mask)
{
    row words[1], steps;
    const uint32_t *from, *step;

    if ((operand_unknown(emulation, warp, to) | operand_unknown(emulation, warp, by)) & mask)
        return false;
    from = operand_row(emulation, warp, to, 0, words[0]);
    step = operand_row(emulation, warp, by, 0, steps);
    for (unsigned lane = 0; lane < LANES; lane++)
        words[0][lane] = from[lane] + trips[lane] * signed_word(by, step, lane);
    operand_store(warp, to, words, 1, mask, 0);
    return true;
}

/* Nobody knows what the loop leaves behind, but for what it moves by the same in each iteration, as its counter. */
static void leave(struct emulation *emulation, struct warp *warp, const struct sass_counted *loop,
                  const row trips, uint32_t mask)
{
    const struct foresight *foresight = emulation->foresight;

    for (uint32_t k = loop->first; k <= loop->back; k++) {
        const struct sass *i = &emulation->instructions[k];

        if (emulation->slice.needed[k] && !(foresight->moves[k] && move(emulation, warp, &i->destinations[0],
                                                                        &foresight->by[k], trips, mask)))
            make_unknown(warp, i, mask);
    }
}

static bool pass(struct emulation *emulation, struct warp *warp, struct group *group,
                 const struct sass_counted *loop)
{
    struct operands operands;
    row trips;
    uint64_t most;

    if (!read_operands(&operands, emulation, warp, loop, group->mask))
        return false;
    most = find_trips(trips, loop, &operands, group->mask);
    if (most > TRIPS)
        return false;
    if (!emulation->rehearsing) { /* else of another block of the cluster; once it counts as passed through */
        emulation->issue_steps[loop->first] += (int64_t)most - 1;
        emulation->issue_steps[loop->back + 1] -= (int64_t)most - 1;
    }
    leave(emulation, warp, loop, trips, group->mask);
    group->pc = loop->back + 1;
    return true;
}

void foresee_loops(struct emulation *emulation, struct warp *warp, struct group *group)
{
    const struct foresight *foresight = emulation->foresight;

    while (group->pc < emulation->count) {
        const uint32_t next = foresight->next[group->pc];

        if (next == foresight->count || foresight->loops[next].first > emulation->slice.next[group->pc] ||
            !pass(emulation, warp, group, &foresight->loops[next]))
            return;
    }
}

int foresee(double *issued, uint64_t *cost, bool *known, struct signer *signer,
            const struct foresight *foresight, const unsigned position[3], struct err *err)
{
    struct emulation *emulation = signer->emulation;
    const bool spent = signer->spent; /* of blocks that are followed to their end */
    struct signature signature;
    int rc;

    emulation->foresight = foresight;
    rc = signer_sign(&signature, known, signer, position, BUDGET, err);
    emulation->foresight = NULL;
    signer->spent = spent;
    *issued = (double)signature.issued;
    *cost = signature.cost;
    return rc;
}
