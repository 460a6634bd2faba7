#include "model/code/register_reads.h"

#include <stdbool.h>
#include <string.h>

static bool is_kept(const struct sass *previous, const struct sass_operand *operand, unsigned slot)
{
    const struct sass_operand *before;

    if (!previous || slot >= previous->source_count)
        return false;
    before = &previous->sources[slot];
    return before->reuse && before->kind == SASS_REGISTER && before->index == operand->index;
}

void register_reads(uint8_t out[REGISTER_BANKS], const struct sass *previous, const struct sass *instruction)
{
    uint64_t read[(SASS_RZ + 1) / 64] = {0}; /* a bit for each register */
    unsigned slot, r;

    memset(out, 0, REGISTER_BANKS);
    for (slot = 0; slot < instruction->source_count; slot++) {
        const struct sass_operand *operand = &instruction->sources[slot];

        if (operand->kind != SASS_REGISTER || operand->index == SASS_RZ || is_kept(previous, operand, slot))
            continue;
        for (r = operand->index; r < (unsigned)operand->index + operand->count && r < SASS_RZ; r++) {
            out[r % REGISTER_BANKS] += !(read[r / 64] >> r % 64 & 1);
            read[r / 64] |= UINT64_C(1) << r % 64;
        }
    }
}
