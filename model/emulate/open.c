#include "base/clock.h"
#include "model/emulate/block.h"
#include "model/emulate/cluster.h"
#include "model/emulate/control.h"
#include "model/emulate/events.h"
#include "model/emulate/signature.h"
#include "model/emulate/mbarrier.h"
#include "model/emulate/plan.h"
#include "model/emulate/step.h"
#include "model/emulate/special.h"
#include "model/emulate/steady.h"
#include "model/emulate/walk.h"
#include "model/sass/arch/arch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    STACK_BYTES = 1024,           /* beyond what the kernel's own frames take */
    LOCAL_MOST = 512 << 10,       /* of a thread, on every GPU */
    BLOCK_LOCAL_MOST = 256 << 20, /* the emulator takes twice as much of the host for one block */
    SHARED_MOST = 1 << 20         /* of a block; no SM has so much */
};

/* From here on the instructions are a copy that may be changed. */
static int own_code(struct emulation *emulation, struct err *err)
{
    const size_t bytes = emulation->count * sizeof *emulation->patched;

    if (emulation->patched)
        return 0;
    emulation->patched = malloc(bytes);
    if (!emulation->patched)
        return err_memory(err);
    emulation->instructions = memcpy(emulation->patched, emulation->instructions, bytes);
    return 0;
}

/* Addresses of variables and functions that the loader writes into instructions. */
static int patch_code(struct emulation *emulation, const struct cubin *cubin, struct err *err)
{
    for (size_t k = 0; k < cubin->relocation_count; k++) {
        const struct cubin_relocation *relocation = &cubin->relocations[k];
        const size_t index = (size_t)(relocation->offset / SASS_BYTES);
        struct sass *patched;
        uint64_t value;

        if (relocation->section != emulation->kernel->section || index >= emulation->count ||
            !relocation->symbol || relocation->kind == CUBIN_RELOC_64)
            continue;
        if (own_code(emulation, err))
            return err->code;
        patched = &emulation->patched[index];
        value = symbol_address(&emulation->memory, cubin, emulation->kernel, relocation->symbol) +
                relocation->addend;
        if (patched->op == SASS_CALL && patched->has_target)
            patched->target = (int64_t)value;
        for (unsigned s = 0; s < patched->source_count && relocation->kind != CUBIN_RELOC_OTHER; s++)
            if (patched->sources[s].kind == SASS_IMMEDIATE) {
                patched->sources[s].value =
                    (uint32_t)(relocation->kind == CUBIN_RELOC_32_HIGH ? value >> 32 : value);
                break;
            }
    }
    return 0;
}

/* How many registers of either kind the code names: only these are cleared for a block. */
static void count_rows(struct emulation *emulation)
{
    for (size_t k = 0; k < emulation->count; k++) {
        const struct sass *i = &emulation->instructions[k];

        for (unsigned n = 0; n < i->destination_count; n++) {
            const struct sass_operand *to = &i->destinations[n];
            unsigned *rows = to->kind == SASS_REGISTER           ? &emulation->row_count
                             : to->kind == SASS_UNIFORM_REGISTER ? &emulation->uniform_count
                                                                 : NULL;

            if (rows && to->index < SASS_RZ && to->index + to->count > *rows)
                *rows = to->index + to->count;
        }
    }
    if (emulation->row_count > SASS_RZ)
        emulation->row_count = SASS_RZ;
    if (emulation->uniform_count > SASS_URZ)
        emulation->uniform_count = SASS_URZ;
}

static int allocate_patterns(struct emulation *emulation, struct err *err)
{
    uint32_t accesses = 0;

    emulation->first_pattern = malloc(emulation->count * sizeof *emulation->first_pattern);
    if (!emulation->first_pattern)
        return err_memory(err);
    for (size_t k = 0; k < emulation->count; k++) {
        emulation->first_pattern[k] = accesses;
        accesses += emulation->instructions[k].access_count;
    }
    emulation->patterns = calloc(accesses + 1, sizeof *emulation->patterns);
    return emulation->patterns ? 0 : err_memory(err);
}

static uint8_t traits_of(const struct sass *i)
{
    return (uint8_t)((emulate_notes(i) ? TRAIT_NOTED : 0) | (signature_joins(i) ? TRAIT_JOINS : 0) |
                     (i->guard != SASS_PT || i->guard_negated ? TRAIT_GUARDED : 0) |
                     (is_plain_branch(i) ? TRAIT_PLAIN : 0) | (arrival_compares(i) ? TRAIT_EQUATES : 0));
}

static int allocate(struct emulation *emulation, struct err *err)
{
    const size_t local = emulation->local_bytes * LANES;

    emulation->kinds = malloc(emulation->count + 1);
    emulation->traits = malloc(emulation->count + 1);
    emulation->leaders = malloc(emulation->count + 1);
    emulation->issue_steps = calloc(emulation->count + 1, sizeof *emulation->issue_steps);
    emulation->own.shared = malloc(emulation->shared_bytes + 1);
    emulation->own.shared_unknown = malloc(emulation->shared_bytes + 1);
    emulation->own.warps = calloc(emulation->warp_count, sizeof *emulation->own.warps);
    if (!emulation->kinds || !emulation->traits || !emulation->leaders || !emulation->issue_steps ||
        !emulation->own.shared || !emulation->own.shared_unknown || !emulation->own.warps)
        return err_memory(err);
    for (size_t k = 0; k < emulation->count; k++) {
        const struct sass *i = &emulation->instructions[k];

        emulation->kinds[k] = (uint8_t)kind_of(i);
        emulation->traits[k] = traits_of(i);
        emulation->waits |= mbarrier_waits(i) || sass_is_tensor_copy(i);
    }
    for (unsigned w = 0; w < emulation->warp_count; w++) {
        struct warp *warp = &emulation->own.warps[w];

        warp->index = w;
        warp->local = calloc(1, local);
        warp->local_unknown = calloc(1, local);
        if (!warp->local || !warp->local_unknown)
            return err_memory(err);
    }
    return 0;
}

/* What no GPU could launch is no reason to ask for its memory. */
static int check_memory(const struct emulation *emulation, struct err *err)
{
    const char *name = emulation->kernel->name;
    const unsigned local = emulation->kernel->resources.local_bytes;
    const uint64_t of_block = (uint64_t)emulation->local_bytes * emulation->warp_count * LANES;

    if (local > LOCAL_MOST)
        return err_set(err, ERR_USAGE,
                       "kernel '%s' takes %u bytes of local memory a thread: at most %d are possible", name,
                       local, LOCAL_MOST);
    if (of_block > BLOCK_LOCAL_MOST)
        return err_set(err, ERR_USAGE,
                       "a block of kernel '%s' takes %" PRIu64 " bytes of local memory: %d can be followed",
                       name, of_block, BLOCK_LOCAL_MOST);
    if (emulation->shared_bytes > SHARED_MOST)
        return err_set(err, ERR_USAGE,
                       "a block of kernel '%s' takes %zu bytes of shared memory: at most %d are possible",
                       name, emulation->shared_bytes, SHARED_MOST);
    return 0;
}

static int check_launch(const struct emulation *emulation, struct err *err)
{
    if (!emulation->threads || emulation->threads > 1024)
        return err_set(err, ERR_USAGE, "a block of %u threads: 1 to 1024 are possible", emulation->threads);
    if (!emulation->count)
        return err_set(err, ERR_USAGE, "kernel '%s' has no code", emulation->kernel->name);
    return check_memory(emulation, err);
}

/* What code, launch and options say. */
static void describe(struct emulation *emulation, const struct emulate_target *target,
                     const struct sass_code *code, const struct emulate_options *options)
{
    const struct cubin_resources *resources = &target->kernel->resources;
    const uint64_t threads = launch_threads(target->launch);

    emulation->cubin = target->cubin;
    emulation->kernel = target->kernel;
    emulation->launch = target->launch;
    emulation->instructions = code->instructions;
    emulation->count = code->count;
    emulation->mode = options->mode;
    emulation->deviations = options->deviations;
    emulation->skip_constants = options->skip_constants;
    emulation->budget = options->budget ? options->budget : UINT64_C(1) << 28;
    emulation->core_limit_s = options->core_limit_s;
    emulation->wall_limit_s = options->wall_limit_s;
    emulation->begin_core_s = clock_core_s();
    emulation->begin_wall_s = clock_wall_s();
    emulation->stop = options->stop;
    emulation->tickets.resident = options->resident;
    emulation->threads = threads > UINT32_MAX ? UINT32_MAX : (unsigned)threads;
    emulation->warp_count = (emulation->threads + LANES - 1) / LANES;
    emulation->local_bytes = ((size_t)resources->local_bytes + STACK_BYTES + 15) & ~(size_t)15;
    emulation->shared_bytes =
        (size_t)resources->shared_bytes + target->launch->shared_bytes +
        (target->arch->shared == ARCH_SHARED_WITH_RESERVED ? resources->shared_reserved_bytes : 0);
}

static int open_parts(struct emulation *emulation, const struct emulate_target *target,
                      const struct sass_code *code, struct err *err)
{
    const bool sliced = emulation->mode == EMULATE_SLICED;
    int rc = check_launch(emulation, err);

    if (!rc)
        rc = memory_init(&emulation->memory, target, (unsigned)emulation->local_bytes, err);
    if (!rc)
        rc = patch_code(emulation, target->cubin, err);
    if (!rc)
        rc = allocate(emulation, err);
    if (!rc && sliced)
        rc = specials_find(emulation, err);
    if (!rc)
        rc = plans_open(emulation, err);
    if (!rc)
        rc = cluster_open(emulation, err);
    if (!rc)
        rc = allocate_patterns(emulation, err);
    if (!rc)
        rc = walk_open(emulation, err);
    if (!rc && sliced)
        rc = steady_open(&emulation->steady, err);
    if (rc)
        return rc;
    if (sliced)
        waiting_find(emulation, code);
    count_rows(emulation);
    emulation->slice.aim = !sliced                     ? SLICE_EVERYTHING
                           : emulation->skip_constants ? SLICE_DATA
                                                       : SLICE_ACCESSES;
    return emulation_slice(emulation, false, err);
}

int emulation_open(struct emulation **out, const struct cubin *cubin, const struct cubin_kernel *kernel,
                   const struct sass_code *code, const struct launch *launch,
                   const struct emulate_options *options, struct err *err)
{
    const struct arch *arch = arch_of(cubin->sm);
    const struct emulate_target target = {arch, cubin, kernel, launch};
    struct emulation *emulation;
    int rc;

    *out = NULL;
    if (!arch)
        return err_set(err, ERR_USAGE, "architecture sm_%u is not known to the decoder", cubin->sm);
    emulation = calloc(1, sizeof *emulation);
    if (!emulation)
        return err_memory(err);
    describe(emulation, &target, code, options);
    rc = open_parts(emulation, &target, code, err);
    if (rc)
        emulation_close(emulation);
    else
        *out = emulation;
    return rc;
}

void emulation_close(struct emulation *emulation)
{
    if (!emulation)
        return;
    cluster_close(emulation);
    events_close(emulation);
    for (unsigned w = 0; emulation->own.warps && w < emulation->warp_count; w++) {
        free(emulation->own.warps[w].local);
        free(emulation->own.warps[w].local_unknown);
        trace_release(&emulation->own.warps[w].trace);
    }
    steady_close(emulation->steady);
    contention_release(&emulation->contention);
    reuse_distance_release(&emulation->distance);
    free(emulation->stack);
    slice_release(&emulation->slice);
    memory_release(&emulation->memory);
    free(emulation->patched);
    free(emulation->specials);
    free(emulation->kinds);
    free(emulation->traits);
    free(emulation->leaders);
    free(emulation->issue_steps);
    plans_close(emulation);
    walk_close(emulation);
    free(emulation->patterns);
    free(emulation->first_pattern);
    free(emulation->loads);
    free(emulation->own.shared);
    free(emulation->own.shared_unknown);
    free(emulation->own.warps);
    free(emulation->registers);
    free(emulation);
}
