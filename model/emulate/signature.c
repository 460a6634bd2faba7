#include "model/emulate/signature.h"

#include "base/hash.h"
#include "model/emulate/block.h"
#include "model/emulate/steady.h"

#include <stdlib.h>
#include <string.h>

enum {
    WARP_COST = 64, /* instructions that starting a warp takes as long as */
    PART_COST = 32, /* and filling a part of a page */
    DEAR = 1 << 11  /* instructions for a block that others had better be likened to */
};

/* Where loaded values decide which lanes access memory, hardly two blocks are alike: the way it goes alone
 * counts. */
static int find_slice(struct slice *out, bool *loaded, const struct emulation *emulation, struct err *err)
{
    const struct slice_code code = emulation_code(emulation);
    int rc = slice_init(out, &code, SLICE_LANES, false, true, err);

    *loaded = out->reads_global || out->reads_shared || out->reads_local;
    if (rc || !*loaded)
        return rc;
    slice_release(out);
    return slice_init(out, &code, SLICE_CONTROL, false, true, err);
}

int signer_open(struct signer *out, struct emulation *emulation, struct err *err)
{
    int rc;

    *out = (struct signer){.emulation = emulation, .budget = emulation->budget, .dear = DEAR};
    out->scratch = calloc(emulation->memory.region_count + 1, sizeof *out->scratch);
    out->counts = calloc(emulation->count + 1, sizeof *out->counts);
    if (!out->scratch || !out->counts)
        return err_memory(err);
    rc = find_slice(&out->slice, &out->loaded, emulation, err);
    return rc ? rc : steady_open(&out->steady, err);
}

void signer_close(struct signer *signer)
{
    slice_release(&signer->slice);
    steady_close(signer->steady);
    free(signer->scratch);
    free(signer->counts);
    for (unsigned k = 0; k < SIGNING_KEPT; k++)
        free(signer->whole[k].counts);
    *signer = (struct signer){0};
}

void signature_note(struct emulation *emulation, const struct sass *i, uint32_t group, uint32_t mask)
{
    if (!emulation->rehearsing && emulation->slice.aim == SLICE_LANES)
        sequence_add(emulation->signing->now, hash_mix(i->pc) ^ ((uint64_t)group << 32 | mask) * HASH_STEP);
}

bool signature_joins(const struct sass *i)
{
    const struct sass_operand *with = &i->sources[2];
    const bool compares = i->op == SASS_ISETP || i->op == SASS_UISETP;

    return i->op == SASS_PLOP3 || i->op == SASS_UPLOP3 ||
           (compares && i->source_count > 2 &&
            (with->kind == SASS_PREDICATE || with->kind == SASS_UNIFORM_PREDICATE) && with->index != SASS_PT);
}

static void note_predicate(struct emulation *emulation, const struct warp *warp,
                           const struct sass_operand *operand)
{
    const uint32_t *from = operand->kind == SASS_PREDICATE           ? warp->regs->p
                           : operand->kind == SASS_UNIFORM_PREDICATE ? warp->regs->up
                                                                     : NULL;

    if (from)
        sequence_add(emulation->signing->now, from[operand->index & 7]);
}

void signature_note_joined(struct emulation *emulation, const struct warp *warp, const struct sass *i)
{
    const bool compares = i->op == SASS_ISETP || i->op == SASS_UISETP;

    if (emulation->rehearsing)
        return;
    for (unsigned k = 0; k < i->source_count && !(compares && k > 2); k++) /* no carry of 64 bits */
        note_predicate(emulation, warp, &i->sources[k]);
    for (unsigned k = 0; k < i->destination_count; k++)
        note_predicate(emulation, warp, &i->destinations[k]);
}

static void sum_issued(struct signature *out, struct signer *signer)
{
    const struct emulation *emulation = signer->emulation;
    int64_t own = 0;

    for (size_t k = 0; k < emulation->count; k++) {
        if (emulation->issue_steps[k])
            out->hash = hash_mix(out->hash + (uint64_t)emulation->issue_steps[k] + k);
        own += emulation->issue_steps[k];
        signer->counts[k] = (uint64_t)own;
        out->issued += (uint64_t)own;
        out->bent |= own && signer->bends && signer->bends[k];
    }
}

/* Exchanges what a signature is found with for what counts are. */
static void exchange(struct signer *signer)
{
    struct emulation *emulation = signer->emulation;
    const struct slice slice = emulation->slice;
    struct steady *const steady = emulation->steady;

    emulation->slice = signer->slice;
    emulation->steady = signer->steady;
    signer->slice = slice;
    signer->steady = steady;
}

static int execute(struct emulate_result *result, struct signer *signer, const unsigned position[3],
                   uint64_t budget, struct err *err)
{
    struct emulation *emulation = signer->emulation;
    struct emulate_block block = {.warps = emulation->warp_count};
    struct emulate_result *const own = emulation->result;
    struct memo *const memo = emulation->memo;
    const uint64_t own_budget = emulation->budget;
    int rc;

    memcpy(block.position, position, sizeof block.position);
    emulation_begin(result, emulation);
    exchange(signer);
    emulation->result = result;
    emulation->err = err;
    emulation->budget = budget;
    emulation->memo = NULL;
    emulation->lowest = signer->scratch;
    emulation->signing = &signer->signing;
    rc = block_execute(emulation, &block, err);
    emulation->signing = NULL;
    emulation->lowest = NULL;
    emulation->memo = memo;
    emulation->budget = own_budget;
    emulation->result = own;
    exchange(signer);
    return rc;
}

/* Whether signing it took so long that others had better be likened to it, and no value that others left decides the way of
 * a warp. */
static bool is_worth_keeping(const struct signer *signer, uint64_t executed)
{
    const struct emulation *emulation = signer->emulation;

    return executed >= signer->dear && emulation->alone && !emulation->foresight &&
           !signer->slice.reads_global && !signer->slice.reads_local && !emulation->tickets.count &&
           !emulation->arrivals.count;
}

/* The signature of a block that was executed whole. */
static int conclude(struct signature *out, struct signer *signer, uint64_t executed, struct err *err)
{
    struct emulation *emulation = signer->emulation;
    const size_t bytes = emulation->count * sizeof *signer->counts;
    uint64_t ways[SIGNING_WARPS];
    unsigned which = 0;
    const int rc = signing_ways(ways, &signer->signing, emulation);

    if (rc)
        return rc;
    sum_issued(out, signer);
    for (unsigned w = 0; w < emulation->warp_count; w++)
        out->hash = hash_mix(out->hash + ways[w]);
    if (is_worth_keeping(signer, executed))
        signing_keep(&which, &signer->signing, ways, emulation->warp_count);
    if (!which)
        return 0;
    signer->whole[which - 1].signature = *out;
    free(signer->whole[which - 1].counts);
    signer->whole[which - 1].counts = malloc(bytes + 1);
    if (!signer->whole[which - 1].counts)
        return err_memory(err);
    memcpy(signer->whole[which - 1].counts, signer->counts, bytes);
    return 0;
}

/* That of one that goes as another did. */
static void take_over(struct signature *out, struct signer *signer, const struct signed_whole *from)
{
    *out = from->signature;
    out->likened = true;
    memcpy(signer->counts, from->counts, signer->emulation->count * sizeof *signer->counts);
}

int signer_sign(struct signature *out, bool *known, struct signer *signer, const unsigned position[3],
                uint64_t budget, struct err *err)
{
    struct emulation *emulation = signer->emulation;
    const uint64_t fills = memory_fills(&emulation->memory);
    unsigned warps = emulation->warp_count;
    struct emulate_result result;
    int rc;

    *out = (struct signature){.hash = HASH_START};
    *known = !(emulation->waits &&
               signer->slice.reads_shared); /* every wait is over at once, before what it is for */
    if (!*known)
        return 0;
    rc = execute(&result, signer, position, budget, err);
    *known = !rc && result.end == EMULATE_DONE;
    signer->spent |= !rc && result.end == EMULATE_BUDGET;
    if (*known && emulation->copied) {
        take_over(out, signer, &signer->whole[signer->signing.like - 1]);
        warps = signer->signing.probes;
    } else if (*known) {
        rc = conclude(out, signer, result.executed, err);
    }
    out->cost = result.executed + WARP_COST * (uint64_t)warps +
                PART_COST * (memory_fills(&emulation->memory) - fills);
    emulate_result_release(&result);
    return rc;
}
