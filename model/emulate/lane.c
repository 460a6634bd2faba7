/* Operations that look at other lanes, at predicates as bits, or at where the warp is. */
#include "model/emulate/lane.h"

#include "model/emulate/cluster.h"
#include "model/emulate/integer.h"
#include "model/emulate/operand.h"

#include <string.h>

static uint32_t lanes_below(unsigned lane)
{
    return lane_bit(lane) - 1;
}

static uint32_t special_register(struct alu *x, uint32_t which, unsigned l)
{
    const struct warp *warp = x->warp;

    switch (which) {
    case SASS_SR_LANEID:
        return l;
    case SASS_SR_CLOCKLO:
    case SASS_SR_GLOBALTIMERLO:
        return (uint32_t)x->emulation->clock;
    case SASS_SR_CLOCKHI:
    case SASS_SR_GLOBALTIMERHI:
        return (uint32_t)(x->emulation->clock >> 32);
    case SASS_SR_TID_X:
    case SASS_SR_TID_Y:
    case SASS_SR_TID_Z:
        return warp->tid[which - SASS_SR_TID_X][l];
    case SASS_SR_CTAID_X:
    case SASS_SR_CTAID_Y:
    case SASS_SR_CTAID_Z:
        return x->emulation->own.position[which - SASS_SR_CTAID_X];
    case SASS_SR_NTID:
        return x->emulation->threads;
    case SASS_SR_EQMASK:
        return lane_bit(l);
    case SASS_SR_LTMASK:
        return lanes_below(l);
    case SASS_SR_LEMASK:
        return lanes_below(l) | lane_bit(l);
    case SASS_SR_GTMASK:
        return ~(lanes_below(l) | lane_bit(l));
    case SASS_SR_GEMASK:
        return ~lanes_below(l);
    case SASS_SR_TID:
        return warp->tid[0][l] | warp->tid[1][l] << 16 | warp->tid[2][l] << 26;
    case SASS_SR_VIRTID: /* the warp stands in bits 8 to 14 */
        return warp->index << 8;
    case SASS_SR_CGACTAID:
        return cluster_rank(x->emulation, x->emulation->own.position);
    case SASS_SR_VIRTUALSMID: /* blocks are emulated on one SM */
    case SASS_SR_ZERO:
        return 0;
    case SASS_SR_SWINHI:
        return (uint32_t)(SHARED_WINDOW >> 32);
    case SASS_SR_LWINHI:
        return (uint32_t)(LOCAL_WINDOW >> 32);
    default:
        x->result_unknown = true;
        return 0;
    }
}

/* A 64-bit reading (CS2R.64) is a pair of neighbours: low and high of a clock. */
void op_s2r(struct alu *x)
{
    const uint32_t which = (uint32_t)x->i->sources[0].value;
    const bool zero = which == SASS_SR_ZERO;

    for (unsigned l = 0; l < LANES; l++) {
        x->d[0][l] = special_register(x, which, l);
        x->d[1][l] = x->i->destinations[0].count > 1 && !zero ? special_register(x, which + 1, l) : 0;
    }
}

/* Reads the whole register of the first active lane: what is stored is one value for the warp. The predicate says
 * which lanes hold another one. */
void op_r2ur(struct alu *x)
{
    row moved;

    memcpy(x->d[0], x->s[0][0], sizeof(row));
    if (!x->plan->sets_predicate)
        return;
    set_row(moved, x->s[0][0][__builtin_ctz(x->active)]);
    x->dq[0] = compare_words(SASS_CMP_NE, x->s[0][0], moved, false);
}

/* The lane that lane `l` reads, or -1 for its own because there is none (PTX ISA, shfl). */
static int shuffle_source(enum sass_shuffle mode, unsigned l, uint32_t b, uint32_t c)
{
    const int segment = (int)(c >> 8 & 31), clamp = (int)(c & 31), lane = (int)l, offset = (int)(b & 31);
    const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from;

    switch (mode) {
    case SASS_SHFL_UP:
        from = lane - offset;
        return from >= most ? from : -1;
    case SASS_SHFL_DOWN:
        from = lane + offset;
        return from <= most ? from : -1;
    case SASS_SHFL_BFLY:
        from = lane ^ offset;
        return from <= most ? from : -1;
    default:
        from = least | (offset & ~segment);
        return from <= most ? from : -1;
    }
}

void op_shfl(struct alu *x)
{
    const enum sass_shuffle mode = (enum sass_shuffle)x->i->mod[SASS_MOD_SHUFFLE];

    for (unsigned l = 0; l < LANES; l++) {
        const int from = shuffle_source(mode, l, x->s[1][0][l], x->s[2][0][l]);

        x->d[0][l] = x->s[0][0][from < 0 ? (int)l : from];
        x->dq[0] |= (uint32_t)(from >= 0) << l;
    }
}

static bool vote(enum sass_vote how, uint32_t values, uint32_t active)
{
    const uint32_t set = values & active;

    return how == SASS_VOTE_ALL ? set == active : how == SASS_VOTE_ANY ? set != 0 : !set || set == active;
}

/* The ballot into the register, the vote into the predicate. */
void op_vote(struct alu *x)
{
    const bool yes = vote((enum sass_vote)x->i->mod[SASS_MOD_VOTE], x->q[0], x->active);

    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = x->q[0] & x->active;
    x->dq[0] = yes ? ALL_LANES : 0;
}

static uint64_t pair(const struct alu *x, unsigned lane)
{
    const bool wide = source_operand(x, 0)->count > 1;

    return x->s[0][0][lane] | (wide ? (uint64_t)x->s[0][1][lane] << 32 : 0);
}

/* One value after another is looked for: what a match costs. */
static void count_values(struct alu *x)
{
    struct emulation *emulation = x->emulation;
    struct emulate_count *count;

    if (emulation->lowest || emulation->rehearsing || x->i->mod[SASS_MOD_VARIANT])
        return;
    count = &emulation->block->counts[x->i - emulation->instructions];
    count->requests++;
    for (uint32_t left = x->active; left; left &= ~x->d[0][__builtin_ctz(left)])
        count->wavefronts++;
}

/* ANY: the lanes with the same value. ALL: all active lanes, if they have one value. */
void op_match(struct alu *x)
{
    const bool all = x->i->mod[SASS_MOD_VARIANT];

    for (unsigned l = 0; l < LANES; l++) {
        uint32_t same = 0;

        for (unsigned k = 0; k < LANES; k++)
            same |= (uint32_t)(x->active >> k & 1 && pair(x, k) == pair(x, l)) << k;
        x->d[0][l] = !all || same == x->active ? same : 0;
        x->dq[0] |= (uint32_t)(same == x->active) << l;
    }
    count_values(x);
}

static uint32_t reduce(enum sass_atomic how, uint32_t a, uint32_t b, bool is_signed)
{
    const bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;

    switch (how) {
    case SASS_ATOMIC_MIN:
        return less ? a : b;
    case SASS_ATOMIC_MAX:
        return less ? b : a;
    case SASS_ATOMIC_AND:
        return a & b;
    case SASS_ATOMIC_OR:
        return a | b;
    case SASS_ATOMIC_XOR:
        return a ^ b;
    default:
        return a + b;
    }
}

void op_redux(struct alu *x)
{
    const enum sass_atomic how = (enum sass_atomic)x->i->mod[SASS_MOD_ATOMIC];
    const unsigned first = (unsigned)__builtin_ctz(x->active);
    uint32_t sum = x->s[0][0][first];

    for (unsigned l = first + 1; l < LANES; l++)
        if (x->active >> l & 1)
            sum = reduce(how, sum, x->s[0][0][l], x->i->mod[SASS_MOD_TYPE] == SASS_TYPE_S32);
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = sum;
}

/* Predicates as bits of a register, under a mask: the other bits come from the first source. */
void op_p2r(struct alu *x)
{
    const uint32_t mask = source_operand(x, x->plan->source_count - 1)->value & 0x7f;
    const unsigned shift = 8 * x->i->mod[SASS_MOD_VARIANT];
    const struct registers *regs = x->warp->regs;
    const bool uniform = x->i->op == SASS_UP2UR;
    const uint32_t *file = uniform ? regs->up : regs->p;
    const uint32_t *unknown = uniform ? regs->up_unknown : regs->p_unknown;

    for (unsigned k = 0; k < 7; k++)
        if (mask >> k & 1)
            x->result_unknown |= unknown[k] != 0;
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t bits = 0;

        for (unsigned k = 0; k < 7; k++)
            bits |= (file[k] >> l & 1) << k;
        x->d[0][l] = (x->s[0][0][l] & ~(mask << shift)) | (bits & mask) << shift;
    }
}

/* B2R.RESULT: what the last reducing barrier found. */
void op_b2r(struct alu *x)
{
    x->result_unknown = x->i->mod[SASS_MOD_VARIANT] != 1;
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = x->warp->reduction[0];
    x->dq[0] = x->warp->reduction[1] ? ALL_LANES : 0;
}

/* The code lies at address 0. */
void op_lepc(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++) {
        x->d[0][l] = x->i->has_target ? (uint32_t)x->i->target : x->i->pc + SASS_BYTES;
        x->d[1][l] = 0;
    }
}

/* The lowest active lane is elected. */
void op_elect(struct alu *x)
{
    const unsigned first = (unsigned)__builtin_ctz(x->active);

    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = first;
    x->dq[0] = lane_bit(first);
}

/* Registers that other warps give back are there at once. */
void op_setmaxreg(struct alu *x)
{
    x->dq[0] = ALL_LANES;
}
