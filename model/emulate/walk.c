#include "model/emulate/walk.h"

#include "model/sass/arch/geometry.h"

#include <stdlib.h>
#include <string.h>

enum { BANK_BYTES = 65536, LINES = BANK_BYTES / CONSTANT_LINE, NO_LINE = LINES };

struct walk {
    uint32_t index; /* of the instruction */
    uint32_t last;  /* line that it read */
    uint64_t seen[LINES / 64];
};

int walk_open(struct emulation *emulation, struct err *err)
{
    for (size_t k = 0; k < emulation->count; k++)
        emulation->walk_count += walks_constants(&emulation->instructions[k]);
    emulation->walks = calloc(emulation->walk_count + 1, sizeof *emulation->walks);
    if (!emulation->walks)
        return err_memory(err);
    for (size_t k = 0, w = 0; k < emulation->count; k++)
        if (walks_constants(&emulation->instructions[k]))
            emulation->walks[w++].index = (uint32_t)k;
    return 0;
}

void walk_close(struct emulation *emulation)
{
    free(emulation->walks);
}

void walk_begin(struct emulation *emulation)
{
    for (size_t w = 0; w < emulation->walk_count; w++) {
        emulation->walks[w].last = NO_LINE;
        memset(emulation->walks[w].seen, 0, sizeof emulation->walks[w].seen);
    }
}

static int compare_index(const void *index, const void *walk)
{
    const uint32_t a = *(const uint32_t *)index, b = ((const struct walk *)walk)->index;

    return (a > b) - (a < b);
}

/* Lines past the end of a bank count as those at its start: an access there reads nothing. */
static void visit(struct walk *walk, struct emulate_touch *touch, uint64_t address)
{
    const uint32_t line = (uint32_t)(address / CONSTANT_LINE % LINES);
    const uint64_t bit = UINT64_C(1) << line % 64;

    if (walk->last == NO_LINE)
        touch->table_first = line;
    touch->table_moves += line != walk->last;
    touch->table_lines += !(walk->seen[line / 64] & bit);
    walk->seen[line / 64] |= bit;
    walk->last = line;
}

void walk_note(struct emulation *emulation, const struct request *request, int64_t step, uint64_t count)
{
    struct walk *walk;
    uint64_t address;

    if (emulation->rehearsing || emulation->lowest || !request->mask || !walks_constants(request->i) ||
        !request_leads(emulation, request))
        return;
    walk = bsearch(&request->index, emulation->walks, emulation->walk_count, sizeof *walk, compare_index);
    address = request->address[__builtin_ctz(request->mask)];
    for (uint64_t t = 0; walk && t < (step ? count : 1); t++)
        visit(walk, &emulation->block->touches[request->index], address + (uint64_t)step * t);
}
