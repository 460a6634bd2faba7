#include "launch/expr_node.h"

#include <stdint.h>
#include <stdlib.h>

enum use { USES_KNOWN = 1, USES_UNKNOWN = 2, IS_PART = 4 };

/* Nodes stand behind their operands, except for the links of a chain of comparisons, which are not gone into from each other: a
 * chain may be long. What is true or false is no part. */
static bool is_logical(const struct node *node)
{
    return op_compares(node->op) || node->op == OP_AND || node->op == OP_OR || node->op == OP_NOT;
}

static size_t operands_of(uint32_t out[3], const struct node *node)
{
    const uint32_t all[] = {node->a, node->b, op_compares(node->op) ? EXPR_NONE : node->c};
    size_t count = 0;

    for (size_t i = 0; i < 3 && node->op != OP_CONSTANT && node->op != OP_SLOT; i++)
        if (all[i] != EXPR_NONE)
            out[count++] = all[i];
    return count;
}

/* Notes what a node uses, and which of its operands are parts: there is a larger one only if the node is known itself. */
static void note(unsigned char *notes, const struct expr *expr, uint32_t index, size_t first, size_t end)
{
    const struct node *node = &expr->nodes[index];
    uint32_t operands[3];
    const size_t count = operands_of(operands, node);

    if (node->op == OP_SLOT && node->slot < end)
        notes[index] = node->slot < first ? USES_KNOWN : USES_UNKNOWN;
    for (size_t i = 0; i < count; i++)
        notes[index] |= notes[operands[i]] & (USES_KNOWN | USES_UNKNOWN);
    for (size_t i = 0; i < count; i++)
        if ((is_logical(node) || notes[index] & USES_UNKNOWN) && notes[operands[i]] == USES_KNOWN &&
            !is_logical(&expr->nodes[operands[i]]))
            notes[operands[i]] |= IS_PART;
}

size_t expr_size(const struct expr *expr)
{
    return expr->count;
}

int expr_parts(struct expr_part *out, size_t *count, const struct expr *expr, size_t first, size_t end,
               struct err *err)
{
    unsigned char *notes = calloc(expr->count, 1);

    *count = 0;
    if (!notes)
        return err_memory(err);
    for (uint32_t i = 0; i < expr->count; i++)
        note(notes, expr, i, first, end);
    for (uint32_t i = 0; i < expr->count; i++)
        if (notes[i] & IS_PART) {
            const struct node *node = &expr->nodes[i];

            out[(*count)++] = (struct expr_part){
                .expr = expr, .node = i, .slot = node->op == OP_SLOT ? node->slot : EXPR_NO_SLOT};
        }
    free(notes);
    return 0;
}
