#include "model/emulate/memory.h"

#include <stdlib.h>
#include <string.h>

struct region *memory_region(struct emulate_memory *memory, uint64_t address, unsigned bytes)
{
    for (size_t k = 0, i = memory->last; k < memory->region_count; k++, i++) {
        struct region *region;

        if (i >= memory->region_count)
            i = 0;
        region = &memory->regions[i];
        if (address >= region->address && bytes <= region->bytes &&
            address - region->address <= region->bytes - bytes) {
            memory->last = i;
            return region;
        }
    }
    return NULL;
}

static uint64_t distance(const struct region *region, uint64_t address)
{
    const uint64_t end = region->address + region->bytes;

    return address < region->address ? region->address - address : address < end ? 0 : address - end;
}

const struct region *memory_nearest(const struct emulate_memory *memory, uint64_t address)
{
    const struct region *nearest = NULL;

    for (size_t i = 0; i < memory->region_count; i++)
        if (memory->regions[i].passed && distance(&memory->regions[i], address) <= NEAR_MOST &&
            (!nearest || distance(&memory->regions[i], address) < distance(nearest, address)))
            nearest = &memory->regions[i];
    return nearest;
}

static int fill_part(struct page *page, const struct region *region, size_t part, struct err *err)
{
    const uint64_t first = (uint64_t)page->number * PAGE_BYTES + part * PART_BYTES;
    const size_t bytes = region->bytes - first < PART_BYTES ? (size_t)(region->bytes - first) : PART_BYTES;
    const size_t size = element_size(region->type);
    unsigned char *to = page->bytes + part * PART_BYTES;
    int rc = 0;

    if (region->initial)
        memcpy(to, region->initial + first, bytes);
    else if (region->fill)
        rc = fill_read(region->fill, region->type, first / size, bytes / size, to, err);
    if (rc)
        err_prefix(err, "%s", region->name);
    return rc;
}

static struct page *add_page(struct region *region, size_t number)
{
    struct page *page = calloc(1, sizeof *page);

    if (!page)
        return NULL;
    page->number = number;
    page->next = region->taken;
    return region->pages[number] = region->taken = page;
}

int region_page(struct page **out, struct region *region, uint64_t offset, struct err *err)
{
    const size_t number = (size_t)(offset / PAGE_BYTES), part = (size_t)(offset % PAGE_BYTES / PART_BYTES);
    struct page *page = region->pages[number];
    int rc = 0;

    if (!page)
        page = add_page(region, number);
    if (!page)
        return err_memory(err);
    if (!(page->filled >> part & 1)) {
        rc = fill_part(page, region, part, err);
        page->filled |= rc ? 0 : 1u << part;
        region->fills++;
    }
    *out = page;
    return rc;
}

void page_taint(struct page *page, size_t first, size_t bytes, bool unknown)
{
    if (!unknown && !page->tainted)
        return;
    page->tainted = true;
    for (size_t i = first; i < first + bytes; i++) {
        if (unknown)
            page->unknown[i / 8] |= (unsigned char)(1 << i % 8);
        else
            page->unknown[i / 8] &= (unsigned char)~(1 << i % 8);
    }
}

bool page_unknown(const struct page *page, size_t first, size_t bytes)
{
    if (page->tainted)
        for (size_t i = first; i < first + bytes; i++)
            if (page->unknown[i / 8] >> i % 8 & 1)
                return true;
    return false;
}

bool constant_word(const struct emulate_memory *memory, unsigned bank, uint64_t offset, uint32_t *out)
{
    const struct constant_bank *constants = &memory->banks[bank < CUBIN_BANKS ? bank : 0];

    *out = 0;
    if (bank >= CUBIN_BANKS || constants->size < 4 || offset > constants->size - 4)
        return false;
    memcpy(out, constants->bytes + offset, 4);
    return !constants->known || (constants->known[offset / 4] && constants->known[(offset + 3) / 4]);
}

/* Drops the pages of a region that were written, or all. */
static void drop_pages(struct region *region, bool all)
{
    struct page **at = &region->taken;

    while (*at) {
        struct page *page = *at;

        if (!all && !page->written) {
            at = &page->next;
            continue;
        }
        *at = page->next;
        region->pages[page->number] = NULL;
        free(page);
    }
}

void memory_forget(struct emulate_memory *memory)
{
    if (!memory->written)
        return;
    memory->written = false;
    for (size_t i = 0; i < memory->region_count; i++)
        drop_pages(&memory->regions[i], false);
}

uint64_t memory_fills(const struct emulate_memory *memory)
{
    uint64_t fills = 0;

    for (size_t i = 0; i < memory->region_count; i++)
        fills += memory->regions[i].fills;
    return fills;
}

void memory_release(struct emulate_memory *memory)
{
    for (size_t i = 0; i < memory->region_count; i++) {
        drop_pages(&memory->regions[i], true);
        free(memory->regions[i].pages);
    }
    for (size_t i = 0; i < CUBIN_BANKS; i++) {
        free(memory->banks[i].bytes);
        free(memory->banks[i].known);
    }
    free(memory->regions);
    free(memory->arguments);
    free(memory->symbols);
    *memory = (struct emulate_memory){0};
}
