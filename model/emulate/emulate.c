#include "model/emulate/emulate.h"

#include "model/emulate/block.h"
#include "model/emulate/cluster.h"

#include <stdlib.h>
#include <string.h>

const char *emulate_end_text(enum emulate_end end)
{
    static const char *const texts[] = {"done",     "incomplete",  "out of budget", "out of time",
                                        "deadlock", "bad address", "bad branch",    "trap"};

    return (unsigned)end < EMULATE_END_COUNT ? texts[end] : "unknown";
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
    int rc = block_add(&block, emulation, result, position, err);

    emulation->result = result;
    emulation->err = err;
    if (!rc && !result->regions)
        rc = list_regions(result, &emulation->memory, err);
    if (!rc)
        rc = block_execute(emulation, block, err);
    if (!rc && result->end != EMULATE_DONE)
        block_release(&result->blocks[--result->block_count]);
    return rc;
}

int emulation_peek(uint64_t *first, struct emulation *emulation, const unsigned position[3],
                   uint64_t instructions, const bool *until, struct err *err)
{
    const uint64_t budget = emulation->budget, counted = emulation->counted;
    struct memo *const memo = emulation->memo;
    struct emulate_result *const own = emulation->result, result;
    struct emulate_block block = {.warps = emulation->warp_count};
    int rc;

    memcpy(block.position, position, sizeof block.position);
    memset(first, 0, emulation->memory.region_count * sizeof *first);
    emulation_begin(&result, emulation);
    emulation->result = &result;
    emulation->err = err;
    emulation->budget = instructions;
    emulation->memo = NULL;
    emulation->lowest = first;
    emulation->until = until;
    emulation->missing = 0;
    for (size_t r = 0; until && r < emulation->memory.region_count; r++)
        emulation->missing += until[r];
    rc = block_execute(emulation, &block, err);
    emulation->lowest = NULL;
    emulation->until = NULL;
    emulation->peeked = result.executed + emulation->counted;
    emulate_result_release(&result);
    emulation->result = own;
    emulation->budget = budget;
    emulation->counted = counted;
    emulation->memo = memo;
    return rc;
}

void emulation_begin(struct emulate_result *result, struct emulation *emulation)
{
    *result = (struct emulate_result){.instruction_count = emulation->count};
    if (emulation->launch->grid[1] > 1 || emulation->launch->grid[2] > 1)
        cluster_extent(result->cluster, emulation->launch, emulation->kernel);
    emulation->counted = 0;
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
        block_release(&result->blocks[k]);
    for (size_t k = 0; k < result->path_count; k++)
        free(result->paths[k].steps);
    free(result->blocks);
    free(result->paths);
    free(result->regions);
    free(result->order.moves);
    free(result->spans);
    free(result->places);
    free(result->alike.linear);
    free(result->certain);
    free(result->expected);
    free(result->again);
    free(result->returns);
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
        return err_set(err, ERR_USAGE, "arguments[%zu] has no elements %llu to %llu", argument,
                       (unsigned long long)first, (unsigned long long)(first + count));
    while (left) {
        const size_t at = (size_t)(offset % PAGE_BYTES);
        const size_t most = PART_BYTES - at % PART_BYTES, part = left < most ? (size_t)left : most;
        struct page *page;
        int rc = region_page(&page, region, offset, err);

        if (rc)
            return rc;
        memcpy(to, page->bytes + at, part);
        to += part;
        offset += part;
        left -= part;
    }
    return 0;
}
