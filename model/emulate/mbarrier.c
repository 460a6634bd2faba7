/* The word of an mbarrier, as the code that ptxas makes of mbarrier.init and mbarrier.pending_count has it:
 *
 *     bits  1 to 20   arrivals expected of a phase, counted up to 2^20
 *     bits 21 to 42   bytes announced and not come, signed
 *     bits 43 to 62   arrivals still missing, counted up to 2^20; 0 when none is
 *     bit  63         parity of the phase in progress */
#include "model/emulate/mbarrier.h"

#include "model/emulate/access.h"
#include "model/emulate/cluster.h"
#include "model/emulate/control.h"
#include "model/emulate/events.h"
#include "model/emulate/operand.h"

#include <string.h>

enum { COUNT_BITS = 20, EXPECTED_AT = 1, BYTES_AT = 21, BYTES_BITS = 22, MISSING_AT = 43, PHASE_AT = 63 };

#define COUNT_MASK UINT32_C(0xfffff)
#define BYTES_MASK UINT64_C(0x3fffff)

bool is_mbarrier(const struct sass *i)
{
    return i->op == SASS_SYNCS || i->op == SASS_ARRIVES;
}

static uint32_t count_of(uint64_t word, unsigned at)
{
    return (uint32_t)(word >> at) & COUNT_MASK;
}

static uint32_t missing_of(uint64_t word)
{
    return (0 - count_of(word, MISSING_AT)) & COUNT_MASK;
}

static int64_t bytes_of(uint64_t word)
{
    return (int64_t)(word << (64 - BYTES_AT - BYTES_BITS)) >> (64 - BYTES_BITS);
}

static unsigned phase_of(uint64_t word)
{
    return (unsigned)(word >> PHASE_AT);
}

static uint64_t with_count(uint64_t word, unsigned at, uint32_t count)
{
    return (word & ~((uint64_t)COUNT_MASK << at)) | (uint64_t)(count & COUNT_MASK) << at;
}

static uint64_t with_bytes(uint64_t word, int64_t bytes)
{
    return (word & ~(BYTES_MASK << BYTES_AT)) | ((uint64_t)bytes & BYTES_MASK) << BYTES_AT;
}

/* The next phase begins where nothing is missing any more. */
static uint64_t advance(uint64_t word)
{
    if (missing_of(word) || bytes_of(word))
        return word;
    word ^= UINT64_C(1) << PHASE_AT;
    return with_count(word, MISSING_AT, count_of(word, EXPECTED_AT));
}

static bool waits_at(const struct group *group, uint32_t offset)
{
    return group->state == GROUP_AT_MBARRIER && group->mbarrier == cluster_offset(offset);
}

static void succeed(struct emulation *emulation, struct warp *warp, struct group *group)
{
    predicate_store(warp, &emulation->instructions[group->pc].destinations[0], ALL_LANES, group->mask, 0);
    group->state = GROUP_READY;
    group->idle = false;
    group->pc++;
}

/* Lets those go on who wait for the end of a phase that is over. */
static void let_go(struct emulation *emulation, uint32_t offset, uint64_t word)
{
    for (unsigned w = 0; w < emulation->warp_count; w++) {
        struct warp *warp = &emulation->own.warps[w];

        for (unsigned k = 0; k < warp->group_count; k++)
            if (waits_at(&warp->groups[k], offset) && warp->groups[k].parity != phase_of(word))
                succeed(emulation, warp, &warp->groups[k]);
    }
}

static void store_word(struct emulation *emulation, const struct cell *cell, uint32_t offset, uint64_t word)
{
    uint64_t old;

    memcpy(&old, cell->bytes, sizeof old);
    cell_store(emulation, cell, &word, sizeof word, false);
    note_change(emulation);
    if (cell->remote || phase_of(old) == phase_of(word))
        return;
    events_phase_ends(emulation, offset);
    let_go(emulation, offset, word);
}

/* So many arrivals, of which `fewer` are not expected again, and so many bytes more to come. */
static void arrive(struct emulation *emulation, const struct cell *cell, uint32_t offset, uint32_t arrivals,
                   uint32_t fewer, int64_t bytes)
{
    uint64_t word;

    events_arrive(emulation, offset);
    memcpy(&word, cell->bytes, sizeof word);
    word = with_bytes(word, bytes_of(word) + bytes);
    word = with_count(word, EXPECTED_AT, count_of(word, EXPECTED_AT) + fewer);
    word = with_count(word, MISSING_AT, count_of(word, MISSING_AT) + arrivals);
    store_word(emulation, cell, offset, advance(word));
}

/* What a lane of SYNCS.ARRIVE does, with `value` in its register. */
static void arrive_as_told(struct emulation *emulation, const struct cell *cell, uint32_t offset,
                           const struct sass *i, uint32_t value)
{
    const bool fewer = i->mod[SASS_MOD_ARRIVALS] & 1;
    uint32_t arrivals = 1;
    int64_t bytes = 0;

    switch ((enum sass_arrivals)(i->mod[SASS_MOD_ARRIVALS] / 2)) {
    case SASS_ARRIVE_1_BYTES_R:
        bytes = value;
        break;
    case SASS_ARRIVE_BYTES_R:
        bytes = value;
        arrivals = 0;
        break;
    case SASS_ARRIVE_BYTES_COME:
        bytes = -(int64_t)value;
        arrivals = 0;
        break;
    case SASS_ARRIVE_BYTES_1: /* cp.async.mbarrier.arrive: a byte that its ARRIVES takes back */
        bytes = 1;
        arrivals = 0;
        break;
    case SASS_ARRIVE_R:
        arrivals = value;
        break;
    default:
        break;
    }
    arrive(emulation, cell, offset, arrivals, fewer ? arrivals : 0, bytes);
}

static int bad_operand(struct emulation *emulation, const struct sass *i)
{
    return stop_at(emulation, i, EMULATE_INCOMPLETE, "an operand of %s is unknown",
                   sass_info((enum sass_op)i->op)->name);
}

/* A lane of an instruction that changes an mbarrier, of whichever block of the cluster; what that held. */
static int change(uint64_t *held, struct emulation *emulation, struct warp *warp,
                  const struct request *request, unsigned lane, uint64_t value)
{
    const struct sass *i = request->i;
    const uint32_t address = (uint32_t)request->address[lane];
    struct cell cell;
    int rc = cell_find(&cell, emulation, warp, request, lane);

    if (rc)
        return rc;
    memcpy(held, cell.bytes, sizeof *held);
    if (i->op == SASS_ARRIVES)
        arrive(emulation, &cell, address, i->mod[SASS_MOD_VARIANT] == SASS_COPIES_ARRIVE, 0,
               i->mod[SASS_MOD_VARIANT] == SASS_COPIES_PENDING ? -1 : 0);
    else if (i->mod[SASS_MOD_VARIANT] == SASS_SYNCS_EXCHANGE)
        store_word(emulation, &cell, address, value);
    else
        arrive_as_told(emulation, &cell, address, i, (uint32_t)value);
    return STEP_NEXT;
}

/* The lanes one after another, each with what the mbarrier held before it. */
static int execute_lanes(struct emulation *emulation, struct warp *warp, const struct request *request,
                         const uint32_t *low, const uint32_t *high)
{
    const struct sass *i = request->i;
    row words[2];

    for (uint32_t left = request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const unsigned before = cluster_enter_at(emulation, (uint32_t)request->address[lane]);
        uint64_t held;
        const int rc = change(&held, emulation, warp, request, lane, low[lane] | (uint64_t)high[lane] << 32);

        cluster_enter(emulation, before);
        if (rc)
            return rc;
        words[0][lane] = (uint32_t)held;
        words[1][lane] = (uint32_t)(held >> 32);
    }
    for (unsigned k = 0; k < i->destination_count; k++)
        operand_store(warp, &i->destinations[k], words, 2, request->mask, 0);
    return STEP_NEXT;
}

/* Lanes whose phase is over; the given value has its parity on top. */
static int test(uint32_t *over, struct emulation *emulation, struct warp *warp, const struct request *request,
                const uint32_t *given)
{
    const unsigned first = (unsigned)__builtin_ctz(request->mask);
    unsigned before = first; /* the lane whose word is at hand: mostly all test one mbarrier */
    uint64_t word = 0;

    *over = 0;
    for (uint32_t left = request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        struct cell cell;
        int rc;

        if (lane == first || request->address[lane] != request->address[before]) {
            rc = cell_find(&cell, emulation, warp, request, lane);
            if (rc)
                return rc;
            memcpy(&word, cell.bytes, sizeof word);
            before = lane;
        }
        *over |= phase_of(word) != given[lane] >> 31 ? lane_bit(lane) : 0;
        if (lane == first)
            events_wait(emulation, (uint32_t)request->address[lane], *over);
    }
    return STEP_NEXT;
}

static bool is_one_wait(const struct request *request, const uint32_t *given)
{
    const unsigned first = (unsigned)__builtin_ctz(request->mask);

    for (uint32_t left = request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);

        if (request->address[lane] != request->address[first] || (given[lane] ^ given[first]) >> 31)
            return false;
    }
    return true;
}

/* A group that tries to wait does so until the phase is over; where its lanes wait for different ones, those
 * that would wait fail, and try again. */
static int wait_for_phase(struct emulation *emulation, struct warp *warp, struct group *group,
                          const struct request *request, const uint32_t *given)
{
    const struct sass *i = request->i;
    const unsigned first = (unsigned)__builtin_ctz(request->mask);
    uint32_t over;
    const int rc = test(&over, emulation, warp, request, given);

    if (rc)
        return rc;
    if (over || i->mod[SASS_MOD_VARIANT] != SASS_SYNCS_TRY_WAIT || !is_one_wait(request, given)) {
        predicate_store(warp, &i->destinations[0], over, request->mask, 0);
        return STEP_NEXT;
    }
    if (request->mask != group->mask) { /* the others go on */
        group_add(warp, group->mask & ~request->mask, group->pc + 1);
        group->mask = request->mask;
    }
    group->state = GROUP_AT_MBARRIER;
    group->mbarrier = cluster_offset((uint32_t)request->address[first]);
    group->parity = (uint8_t)(given[first] >> 31);
    return STEP_BLOCKED;
}

bool mbarrier_waits(const struct sass *i)
{
    return i->op == SASS_SYNCS &&
           (i->mod[SASS_MOD_VARIANT] == SASS_SYNCS_TEST || i->mod[SASS_MOD_VARIANT] == SASS_SYNCS_TRY_WAIT);
}

int mbarrier_execute(struct emulation *emulation, struct warp *warp, struct group *group,
                     const struct sass *i, uint32_t mask)
{
    const struct sass_operand *operand = i->source_count ? &i->sources[0] : NULL;
    row scratch[2];
    const uint32_t *low = warp->regs->zero[0], *high = low;
    struct request request;
    int rc;

    if (!mask || (i->op == SASS_SYNCS && i->mod[SASS_MOD_VARIANT] == SASS_SYNCS_CONTROL))
        return STEP_NEXT;
    rc = request_init(&request, emulation, warp, i, 0, mask);
    if (rc)
        return rc;
    if (operand) {
        if (operand_unknown(emulation, warp, operand) & mask)
            return bad_operand(emulation, i);
        low = operand_row(emulation, warp, operand, 0, scratch[0]);
        high = operand_row(emulation, warp, operand, 1, scratch[1]);
    }
    return mbarrier_waits(i) ? wait_for_phase(emulation, warp, group, &request, low)
                             : execute_lanes(emulation, warp, &request, low, high);
}

int mbarrier_complete(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t address,
                      uint64_t bytes)
{
    struct request request = {.i = i,
                              .index = i->pc / SASS_BYTES,
                              .mask = 1,
                              .width = sizeof(uint64_t),
                              .space = SASS_SPACE_SHARED,
                              .access = SASS_READS | SASS_WRITES};
    struct cell cell;
    unsigned before;
    int rc;

    if (emulation->alone || emulation->signing) /* every wait succeeds */
        return STEP_NEXT;
    before = cluster_enter_at(emulation, address);
    request.address[0] = address;
    rc = cell_find(&cell, emulation, warp, &request, 0);
    if (!rc)
        arrive(emulation, &cell, address, 0, 0, -(int64_t)bytes);
    cluster_enter(emulation, before);
    return rc;
}

static uint64_t word_at(const struct emulation *emulation, const struct group *group)
{
    uint64_t word;

    memcpy(&word, emulation->own.shared + group->mbarrier, sizeof word);
    return word;
}

/* Of several the one whose bytes do not come: others wait for those whom it keeps waiting. */
int mbarrier_hangs(struct emulation *emulation)
{
    const struct group *worst = NULL;

    for (unsigned w = 0; w < emulation->warp_count; w++)
        for (unsigned k = 0; k < emulation->own.warps[w].group_count; k++) {
            const struct group *group = &emulation->own.warps[w].groups[k];

            if (group->state == GROUP_AT_MBARRIER && (!worst || bytes_of(word_at(emulation, group))))
                worst = group;
        }
    return stop_at(emulation, &emulation->instructions[worst->pc], EMULATE_DEADLOCK,
                   "the mbarrier at %#x of shared memory can never end its phase: %u arrivals and %lld bytes "
                   "are missing",
                   worst->mbarrier, missing_of(word_at(emulation, worst)),
                   (long long)bytes_of(word_at(emulation, worst)));
}
