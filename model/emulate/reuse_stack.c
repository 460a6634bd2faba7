#include "model/emulate/reuse_stack.h"

#include <string.h>

static uint64_t hash_of(uint64_t line)
{
    uint64_t hash = line * UINT64_C(0x9e3779b97f4a7c15);

    hash ^= hash >> 29;
    return hash * UINT64_C(0xbf58476d1ce4e5b9);
}

static bool is_looked_at(const struct reuse_stack *stack, uint64_t hash)
{
    return !(hash >> 20 & ((UINT64_C(1) << stack->halvings) - 1));
}

void reuse_stack_begin(struct reuse_stack *stack)
{
    if (stack->count)
        memset(stack, 0, sizeof *stack);
    stack->request = 0;
}

void reuse_stack_request(struct reuse_stack *stack)
{
    stack->request++;
}

/* The place of a line, or the free one where it would be: at most half of them are taken. */
static uint16_t *find_place(struct reuse_stack *stack, uint64_t number, uint64_t hash)
{
    unsigned at = (unsigned)(hash >> 54) % REUSE_STACK_PLACES;

    while (stack->places[at] && stack->lines[stack->places[at] - 1].number != number)
        at = (at + 1) % REUSE_STACK_PLACES;
    return &stack->places[at];
}

static void add(struct reuse_stack *stack, unsigned slot, int by)
{
    for (unsigned k = slot + 1; k <= REUSE_STACK_SLOTS; k += k & (0 - k))
        stack->tree[k] = (uint16_t)(stack->tree[k] + by);
}

/* Lines touched last in this slot or before. */
static unsigned up_to(const struct reuse_stack *stack, unsigned slot)
{
    unsigned sum = 0;

    for (unsigned k = slot + 1; k; k &= k - 1)
        sum += stack->tree[k];
    return sum;
}

/* The line is touched now. */
static void take_slot(struct reuse_stack *stack, unsigned line)
{
    stack->lines[line].slot = (uint16_t)stack->now;
    stack->owner[stack->now] = (uint16_t)(line + 1);
    add(stack, stack->now++, 1);
}

/* Keeps the order of lines that are still looked at, and nothing of time without them. */
static void pack(struct reuse_stack *stack)
{
    const struct reuse_stack from = *stack;

    stack->count = stack->now = 0;
    memset(stack->places, 0, sizeof stack->places);
    memset(stack->owner, 0, sizeof stack->owner);
    memset(stack->tree, 0, sizeof stack->tree);
    for (unsigned slot = 0; slot < from.now; slot++) {
        const struct reuse_stack_line *line = &from.lines[from.owner[slot] ? from.owner[slot] - 1 : 0];
        const uint64_t hash = hash_of(line->number);

        if (!from.owner[slot] || !is_looked_at(stack, hash))
            continue;
        *find_place(stack, line->number, hash) = (uint16_t)(stack->count + 1);
        stack->lines[stack->count] = *line;
        take_slot(stack, stack->count++);
    }
}

static void add_line(struct reuse_stack *stack, uint64_t number, uint64_t hash, unsigned sectors)
{
    while (stack->count == REUSE_STACK_LINES) {
        stack->halvings++;
        pack(stack);
    }
    if (!is_looked_at(stack, hash))
        return;
    *find_place(stack, number, hash) = (uint16_t)(stack->count + 1);
    stack->lines[stack->count] =
        (struct reuse_stack_line){.number = number, .request = stack->request, .sectors = (uint8_t)sectors};
    take_slot(stack, stack->count++);
}

/* What the line's sectors have seen since they were touched last; those asked for begin anew. */
static void find(struct reuse_stack_found *out, const struct reuse_stack *stack,
                 struct reuse_stack_line *known, unsigned sectors)
{
    const uint32_t lines = (uint32_t)(stack->count - up_to(stack, known->slot)) << stack->halvings;

    *out = (struct reuse_stack_found){.first = !known->again,
                                      .weight = (double)(UINT64_C(1) << stack->halvings)};
    for (unsigned s = 0; s < REUSE_STACK_SECTORS; s++) {
        const uint32_t most = known->most[s] > lines ? known->most[s] : lines;
        const bool asked = sectors >> s & 1;

        if (asked && known->sectors >> s & 1)
            out->lines[out->count++] = most;
        known->most[s] = asked ? 0 : most;
    }
}

bool reuse_stack_touch(struct reuse_stack_found *out, struct reuse_stack *stack, uint64_t line,
                       unsigned sectors)
{
    const uint64_t number = line + 1, hash = hash_of(number);
    struct reuse_stack_line *known;
    uint16_t place;

    if (!is_looked_at(stack, hash))
        return false;
    if (stack->now == REUSE_STACK_SLOTS)
        pack(stack);
    place = *find_place(stack, number, hash);
    if (!place) {
        *out = (struct reuse_stack_found){.weight = (double)(UINT64_C(1) << stack->halvings)};
        add_line(stack, number, hash, sectors);
        return true;
    }
    known = &stack->lines[place - 1];
    if (known->request == stack->request) {
        for (unsigned s = 0; s < REUSE_STACK_SECTORS; s++)
            known->most[s] = sectors >> s & 1 ? 0 : known->most[s];
        known->sectors |= (uint8_t)sectors;
        return false;
    }
    find(out, stack, known, sectors);
    out->requests = stack->request - known->request;
    stack->owner[known->slot] = 0;
    add(stack, known->slot, -1);
    known->request = stack->request;
    known->sectors |= (uint8_t)sectors;
    known->again = true;
    take_slot(stack, place - 1u);
    return true;
}
