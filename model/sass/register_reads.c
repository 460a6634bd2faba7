#include "model/sass/register_reads.h"

#include <stdbool.h>
#include <string.h>

enum { LOOK_BACK = 16 /* instructions; ptxas lets 12 go in between at most */ };

static bool collects(const struct sass *instruction)
{
    const enum sass_pipe pipe = sass_info((enum sass_op)instruction->op)->pipe;

    return pipe != SASS_PIPE_LSU && pipe != SASS_PIPE_XU;
}

static bool share_bank(const struct sass_operand *a, const struct sass_operand *b)
{
    return a->count > 1 || b->count > 1 || a->index % REGISTER_BANKS == b->index % REGISTER_BANKS;
}

/* The register that `instruction` reads through the slot and a bank of `operand`; null: none. */
static const struct sass_operand *same_place(const struct sass *instruction,
                                             const struct sass_operand *operand)
{
    for (unsigned s = 0; s < instruction->source_count && collects(instruction); s++) {
        const struct sass_operand *other = &instruction->sources[s];

        if (other->kind == SASS_REGISTER && other->index != SASS_RZ && other->port == operand->port &&
            share_bank(other, operand))
            return other;
    }
    return NULL;
}

static bool is_kept(const struct sass *code, size_t index, const struct sass_operand *operand)
{
    const size_t first = index > LOOK_BACK ? index - LOOK_BACK : 0;
    const struct sass_operand *before = NULL;

    if (!collects(&code[index]))
        return false;
    while (index > first && !before)
        before = same_place(&code[--index], operand);
    return before && before->reuse && before->index == operand->index;
}

void register_reads(uint8_t out[REGISTER_BANKS], const struct sass *code, size_t index)
{
    const struct sass *instruction = &code[index];
    uint64_t read[(SASS_RZ + 1) / 64] = {0}; /* a bit for each register */

    memset(out, 0, REGISTER_BANKS);
    for (unsigned slot = 0; slot < instruction->source_count; slot++) {
        const struct sass_operand *operand = &instruction->sources[slot];

        if (operand->kind != SASS_REGISTER || operand->index == SASS_RZ || is_kept(code, index, operand))
            continue;
        for (unsigned r = operand->index; r < (unsigned)operand->index + operand->count && r < SASS_RZ; r++) {
            out[r % REGISTER_BANKS] += !(read[r / 64] >> r % 64 & 1);
            read[r / 64] |= UINT64_C(1) << r % 64;
        }
    }
}
