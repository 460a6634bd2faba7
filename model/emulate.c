#include "model/emulate.h"

#include "base/hash.h"
#include "model/emulate_alike.h"
#include "model/emulate_run.h"
#include "model/emulate_slice.h"
#include "model/emulate_state.h"
#include "model/emulate_steady.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 1024 }; /* beyond what the kernel's own frames take */

const char *emulate_end_text(enum emulate_end end)
{
    static const char *const texts[] = {"done",        "incomplete", "out of budget", "deadlock",
                                        "bad address", "bad branch", "trap"};

    return (unsigned)end < EMULATE_END_COUNT ? texts[end] : "unknown";
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
        if (!emulation->patched) {
            emulation->patched = malloc(emulation->count * sizeof *emulation->patched);
            if (!emulation->patched)
                return err_memory(err);
            memcpy(emulation->patched, emulation->instructions,
                   emulation->count * sizeof *emulation->patched);
        }
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
    if (emulation->patched)
        emulation->instructions = emulation->patched;
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

static int slice_code(struct emulation *emulation, bool stores, struct err *err)
{
    slice_release(&emulation->slice);
    return slice_init(&emulation->slice, emulation->instructions, emulation->count,
                      emulation->mode == EMULATE_FULL, stores, err);
}

static int allocate(struct emulation *emulation, struct err *err)
{
    const size_t local = emulation->local_bytes * LANES;

    emulation->kinds = malloc(emulation->count + 1);
    emulation->issue_steps = calloc(emulation->count + 1, sizeof *emulation->issue_steps);
    emulation->patterns = calloc(2 * emulation->count, sizeof *emulation->patterns);
    emulation->shared = malloc(emulation->shared_bytes + 1);
    emulation->shared_unknown = malloc(emulation->shared_bytes + 1);
    emulation->warps = calloc(emulation->warp_count, sizeof *emulation->warps);
    if (!emulation->kinds || !emulation->issue_steps || !emulation->patterns || !emulation->shared ||
        !emulation->shared_unknown || !emulation->warps)
        return err_memory(err);
    for (size_t k = 0; k < emulation->count; k++)
        emulation->kinds[k] = (uint8_t)kind_of(&emulation->instructions[k]);
    for (unsigned w = 0; w < emulation->warp_count; w++) {
        struct warp *warp = &emulation->warps[w];

        warp->index = w;
        warp->local = calloc(1, local);
        warp->local_unknown = calloc(1, local);
        if (!warp->local || !warp->local_unknown)
            return err_memory(err);
    }
    return 0;
}

static int check_launch(const struct emulation *emulation, const struct cubin *cubin, struct err *err)
{
    if (!sass_knows(cubin->sm))
        return err_set(err, ERR_USAGE, "architecture sm_%u is not known to the decoder", cubin->sm);
    if (!emulation->threads || emulation->threads > 1024)
        return err_set(err, ERR_USAGE, "a block of %u threads: 1 to 1024 are possible", emulation->threads);
    if (!emulation->count)
        return err_set(err, ERR_USAGE, "kernel '%s' has no code", emulation->kernel->name);
    return 0;
}

int emulation_open(struct emulation **out, const struct cubin *cubin, const struct cubin_kernel *kernel,
                   const struct sass_code *code, const struct launch *launch,
                   const struct emulate_options *options, struct err *err)
{
    const struct emulate_target target = {cubin, kernel, launch};
    const uint64_t threads = launch_threads(launch);
    struct emulation *emulation = calloc(1, sizeof *emulation);
    int rc;

    *out = NULL;
    if (!emulation)
        return err_memory(err);
    emulation->cubin = cubin;
    emulation->kernel = kernel;
    emulation->launch = launch;
    emulation->instructions = code->instructions;
    emulation->count = code->count;
    emulation->sm = cubin->sm;
    emulation->mode = options->mode;
    emulation->budget = options->budget ? options->budget : UINT64_C(1) << 28;
    emulation->stop = options->stop;
    emulation->threads = threads > UINT32_MAX ? UINT32_MAX : (unsigned)threads;
    emulation->warp_count = (emulation->threads + LANES - 1) / LANES;
    emulation->local_bytes = (kernel->resources.local_bytes + STACK_BYTES + 15u) & ~15u;
    emulation->shared_bytes = (size_t)kernel->resources.shared_bytes + launch->shared_bytes +
                              (cubin->sm >= 90 ? kernel->resources.shared_reserved_bytes : 0);
    rc = check_launch(emulation, cubin, err);
    if (!rc)
        rc = memory_init(&emulation->memory, &target, (unsigned)emulation->local_bytes, err);
    if (!rc)
        rc = patch_code(emulation, cubin, err);
    if (!rc)
        rc = allocate(emulation, err);
    if (!rc && emulation->mode == EMULATE_SLICED)
        rc = steady_open(&emulation->steady, err);
    if (!rc) {
        count_rows(emulation);
        rc = slice_code(emulation, false, err);
    }
    if (rc) {
        emulation_close(emulation);
        return rc;
    }
    *out = emulation;
    return 0;
}

void emulation_close(struct emulation *emulation)
{
    if (!emulation)
        return;
    for (unsigned w = 0; emulation->warps && w < emulation->warp_count; w++) {
        free(emulation->warps[w].local);
        free(emulation->warps[w].local_unknown);
        trace_release(&emulation->warps[w].trace);
    }
    steady_close(emulation->steady);
    slice_release(&emulation->slice);
    memory_release(&emulation->memory);
    free(emulation->patched);
    free(emulation->kinds);
    free(emulation->issue_steps);
    free(emulation->patterns);
    free(emulation->shared);
    free(emulation->shared_unknown);
    free(emulation->warps);
    free(emulation);
}

static void clear_registers(struct registers *regs, const struct emulation *emulation)
{
    memset(regs->r, 0, emulation->row_count * sizeof(row));
    memset(regs->u, 0, emulation->uniform_count * sizeof(row));
    memset(regs->r_unknown, 0, sizeof regs->r_unknown);
    memset(regs->u_unknown, 0, sizeof regs->u_unknown);
    memset(regs->b, 0, sizeof regs->b);
    memset(regs->stale, 0, sizeof regs->stale);
    regs->doubtful = false;
    for (unsigned k = 0; k < 8; k++) {
        regs->p[k] = regs->up[k] = k == SASS_PT ? ALL_LANES : 0;
        regs->p_unknown[k] = regs->up_unknown[k] = 0;
    }
    regs->tainted = false;
}

static void start_warp(struct emulation *emulation, struct warp *warp)
{
    const unsigned *block = emulation->launch->block;
    const unsigned first = warp->index * LANES, left = emulation->threads - first;

    clear_registers(&warp->regs, emulation);
    warp->exited = left >= LANES ? 0 : ALL_LANES << left;
    for (unsigned l = 0; l < LANES; l++) {
        const unsigned thread = first + l;

        warp->tid[0][l] = thread % block[0];
        warp->tid[1][l] = thread / block[0] % block[1];
        warp->tid[2][l] = thread / block[0] / block[1];
    }
    warp->groups[0] = (struct group){.mask = ~warp->exited};
    warp->group_count = 1;
    warp->turn = 0;
    warp->passed = 0;
    memset(warp->local_unknown, 0, emulation->local_bytes * LANES);
    trace_clear(&warp->trace);
}

static void start_block(struct emulation *emulation, struct emulate_block *block)
{
    const bool sliced = emulation->mode == EMULATE_SLICED;

    emulation->block = block;
    memcpy(emulation->position, block->position, sizeof emulation->position);
    memset(emulation->shared, 0, emulation->shared_bytes);
    memset(emulation->shared_unknown, 0, emulation->shared_bytes);
    memset(emulation->issue_steps, 0, (emulation->count + 1) * sizeof *emulation->issue_steps);
    memset(block->counts, 0, emulation->count * sizeof *block->counts);
    memset(block->touches, 0, emulation->count * sizeof *block->touches);
    footprint_release(&block->read);
    footprint_release(&block->written);
    emulation->shared_tainted = false;
    emulation->restart = emulation->copied = false;
    emulation->mistrust = NOBODY;
    emulation->alive = emulation->threads;
    emulation->alone =
        sliced && !emulation->together && !emulation->slice.reads_shared && !emulation->slice.stores;
    for (unsigned b = 0; b < BARRIERS; b++)
        emulation->barriers[b] = (struct block_barrier){.all = true};
    for (unsigned w = 0; w < emulation->warp_count; w++)
        start_warp(emulation, &emulation->warps[w]);
    note_change(emulation);
}

static bool paths_equal(const struct emulate_path *path, const struct trace *trace, uint64_t hash)
{
    return path->hash == hash && path->count == (trace->cut ? 0 : trace->count);
}

/* The index of the warp's path among the result's, added if it is new. */
static int add_path(uint32_t *out, struct emulate_result *result, struct trace *trace, struct err *err)
{
    struct emulate_path *paths, *path;
    uint64_t hash;
    const int rc = trace_finish(&hash, trace, err);

    if (rc)
        return rc;
    for (size_t k = 0; k < result->path_count; k++)
        if (paths_equal(&result->paths[k], trace, hash)) {
            *out = (uint32_t)k;
            return 0;
        }
    paths = realloc(result->paths, (result->path_count + 1) * sizeof *paths);
    if (!paths)
        return err_memory(err);
    result->paths = paths;
    path = &paths[result->path_count];
    *path = (struct emulate_path){.hash = hash, .cut = trace->cut, .count = trace->cut ? 0 : trace->count};
    path->steps = malloc((path->count + 1) * sizeof *path->steps);
    if (!path->steps)
        return err_memory(err);
    memcpy(path->steps, trace->steps, path->count * sizeof *path->steps);
    *out = (uint32_t)result->path_count++;
    return 0;
}

static int finish_block(struct emulation *emulation, struct emulate_block *block, struct err *err)
{
    int64_t issued = 0;

    for (size_t k = 0; k < emulation->count; k++) {
        issued += emulation->issue_steps[k];
        block->counts[k].issued = (uint64_t)issued;
    }
    for (unsigned w = 0; w < emulation->warp_count; w++) {
        const int rc = add_path(&block->paths[w], emulation->result, &emulation->warps[w].trace, err);

        if (rc)
            return rc;
    }
    return 0;
}

/* More is needed than was thought: warps that wait for each other, what stores leave in memory, or a value
 * that was hoped not to be read. What was learned of loops goes with the slice it was learned under. */
static int slice_again(struct emulation *emulation, struct err *err)
{
    int rc;

    alike_forget(emulation->alike);
    steady_close(emulation->steady);
    rc = steady_open(&emulation->steady, err);
    if (rc || emulation->together)
        return rc;
    if (emulation->mistrust == NOBODY)
        return slice_code(emulation, true, err);
    return slice_pin(&emulation->slice, emulation->instructions, emulation->count, emulation->mistrust, err);
}

static int execute_block(struct emulation *emulation, struct emulate_block *block, struct err *err)
{
    int rc;

    do {
        if (emulation->mode == EMULATE_SLICED)
            memory_forget(&emulation->memory);
        start_block(emulation, block);
        rc = run_block(emulation);
        if (!rc && emulation->restart)
            rc = slice_again(emulation, err);
    } while (!rc && emulation->restart);
    return rc || emulation->copied || emulation->result->end != EMULATE_DONE
               ? rc
               : finish_block(emulation, block, err);
}

/* Room for one more block in the result. */
static int add_block(struct emulate_block **out, struct emulation *emulation, struct emulate_result *result,
                     const unsigned position[3], struct err *err)
{
    struct emulate_block *blocks = realloc(result->blocks, (result->block_count + 1) * sizeof *blocks),
                         *block;

    if (!blocks)
        return err_memory(err);
    result->blocks = blocks;
    block = &blocks[result->block_count++];
    *block = (struct emulate_block){.weight = 1, .warps = emulation->warp_count};
    memcpy(block->position, position, sizeof block->position);
    block->counts = calloc(emulation->count, sizeof *block->counts);
    block->touches = calloc(emulation->count, sizeof *block->touches);
    block->paths = calloc(emulation->warp_count, sizeof *block->paths);
    if (!block->counts || !block->touches || !block->paths)
        return err_memory(err);
    *out = block;
    return 0;
}

static void release_block(struct emulate_block *block)
{
    free(block->counts);
    free(block->touches);
    free(block->paths);
    footprint_release(&block->read);
    footprint_release(&block->written);
}

static int list_regions(struct emulate_result *out, const struct emulate_memory *memory, struct err *err)
{
    out->regions = calloc(memory->region_count + 1, sizeof *out->regions);
    if (!out->regions)
        return err_memory(err);
    out->region_count = memory->region_count;
    for (size_t r = 0; r < out->region_count; r++)
        out->regions[r] = (struct emulate_region){memory->regions[r].address, memory->regions[r].bytes};
    return 0;
}

int emulation_block(struct emulate_result *result, struct emulation *emulation, const unsigned position[3],
                    struct err *err)
{
    struct emulate_block *block = NULL;
    int rc = add_block(&block, emulation, result, position, err);

    emulation->result = result;
    emulation->err = err;
    if (!rc && !result->regions)
        rc = list_regions(result, &emulation->memory, err);
    if (!rc)
        rc = execute_block(emulation, block, err);
    if (!rc && result->end != EMULATE_DONE)
        release_block(&result->blocks[--result->block_count]);
    return rc;
}

int emulation_peek(uint64_t *first, struct emulation *emulation, const unsigned position[3],
                   uint64_t instructions, struct err *err)
{
    const uint64_t budget = emulation->budget;
    struct alike *const alike = emulation->alike;
    struct emulate_result *const own = emulation->result, result;
    struct emulate_block *block = NULL;
    int rc;

    emulation_begin(&result, emulation);
    emulation->result = &result;
    emulation->err = err;
    emulation->budget = instructions;
    emulation->alike = NULL;
    rc = add_block(&block, emulation, &result, position, err);
    if (!rc)
        rc = execute_block(emulation, block, err);
    for (size_t r = 0; r < emulation->memory.region_count && !rc; r++) {
        const struct region *region = &emulation->memory.regions[r];

        if (!footprint_first(&first[r], &block->read, region->address, region->address + region->bytes))
            first[r] = 0;
    }
    emulate_result_release(&result);
    emulation->result = own;
    emulation->budget = budget;
    emulation->alike = alike;
    return rc;
}

void emulation_begin(struct emulate_result *result, const struct emulation *emulation)
{
    *result = (struct emulate_result){.instruction_count = emulation->count};
}

int emulate_blocks(struct emulate_result *out, struct emulation *emulation, const unsigned (*positions)[3],
                   size_t count, struct err *err)
{
    emulation_begin(out, emulation);
    for (size_t k = 0; k < count && out->end == EMULATE_DONE; k++) {
        const int rc = emulation_block(out, emulation, positions[k], err);

        if (rc) {
            emulate_result_release(out);
            return rc;
        }
    }
    return 0;
}

int emulate_grid(struct emulate_result *out, struct emulation *emulation, struct err *err)
{
    const unsigned *grid = emulation->launch->grid;

    emulation_begin(out, emulation);
    for (uint64_t k = 0; k < launch_blocks(emulation->launch) && out->end == EMULATE_DONE; k++) {
        const unsigned position[3] = {(unsigned)(k % grid[0]), (unsigned)(k / grid[0] % grid[1]),
                                      (unsigned)(k / grid[0] / grid[1])};
        const int rc = emulation_block(out, emulation, position, err);

        if (rc) {
            emulate_result_release(out);
            return rc;
        }
    }
    return 0;
}

void emulate_result_release(struct emulate_result *result)
{
    for (size_t k = 0; k < result->block_count; k++)
        release_block(&result->blocks[k]);
    for (size_t k = 0; k < result->path_count; k++)
        free(result->paths[k].steps);
    free(result->blocks);
    free(result->paths);
    free(result->regions);
    free(result->order.moves);
    *result = (struct emulate_result){0};
}

int emulation_read(void *out, struct emulation *emulation, size_t argument, uint64_t first, uint64_t count,
                   struct err *err)
{
    const size_t size = element_size(emulation->launch->arguments[argument].type);
    const uint64_t address = emulation->memory.arguments[argument];
    uint64_t offset = first * size, left = count * size;
    unsigned char *to = out;
    struct region *region = memory_region(&emulation->memory, address, 1);

    if (!region || offset > region->bytes || left > region->bytes - offset)
        return err_set(err, ERR_USAGE, "argument %zu has no elements %llu to %llu", argument + 1,
                       (unsigned long long)first, (unsigned long long)(first + count));
    while (left) {
        const size_t at = (size_t)(offset % PAGE_BYTES);
        const size_t part = left < PAGE_BYTES - at ? (size_t)left : PAGE_BYTES - at;
        struct page *page = region_page(region, offset, err);

        if (!page)
            return ERR_MEMORY;
        memcpy(to, page->bytes + at, part);
        to += part;
        offset += part;
        left -= part;
    }
    return 0;
}
