#include "model/emulate/order.h"

#include "model/emulate/peek.h"

#include <stdlib.h>

struct search {
    struct emulation *emulation;
    struct emulate_order *order;
    struct err *err;
    size_t regions;
    uint64_t blocks, instructions;
    uint64_t *origin, *here; /* first reads of block 0 and of another one */
};

static int look(uint64_t *first, const struct search *search, uint64_t block)
{
    const unsigned position[3] = {(unsigned)block, 0, 0};

    return emulation_peek(first, search->emulation, position, search->instructions, NULL, search->err);
}

/* Finds how much of block 0 is to be looked at: until it has read of every region that a whole block reads of. */
static int find_reach(struct search *search, const struct emulate_result *result)
{
    static const unsigned position[3] = {0};
    bool *wanted = calloc(search->regions + 1, sizeof *wanted);
    uint64_t address;
    int rc;

    if (!wanted)
        return err_memory(search->err);
    for (size_t r = 0; r < search->regions; r++)
        wanted[r] = footprint_first(&address, &result->blocks[0].read, result->regions[r].address,
                                    result->regions[r].address + result->regions[r].bytes);
    rc = peek_reach(&search->instructions, search->origin, search->emulation, position, wanted, search->err);
    free(wanted);
    return rc;
}

/* Whether `steps` steps of the last digit move as far as one does that many times. */
static int is_linear(bool *out, const struct search *search, uint64_t steps)
{
    const unsigned d = search->order->digits - 1;
    const int rc = look(search->here, search, steps * search->order->unit[d]);

    *out = !rc;
    for (size_t r = 0; r < search->regions && *out; r++)
        *out = (int64_t)(search->here[r] - search->origin[r]) ==
               (int64_t)steps * search->order->moves[d * search->regions + r];
    return rc;
}

/* The steps of the last digit until it begins anew or what it moves does not go on: doubled, then halved. */
static int find_steps(uint64_t *out, const struct search *search)
{
    const uint64_t most = (search->blocks - 1) / search->order->unit[search->order->digits - 1];
    uint64_t good = 1, bad = most + 1, steps = most;
    int rc = 0;

    while (!rc && bad - good > 1) {
        bool linear;

        rc = is_linear(&linear, search, steps);
        if (linear)
            good = steps;
        else
            bad = steps;
        steps = bad > 2 * good ? 2 * good : good + (bad - good) / 2;
    }
    *out = good;
    return rc;
}

static int find_digits(struct search *search)
{
    struct emulate_order *order = search->order;
    uint64_t unit = 1, steps = 0;
    int rc = 0;

    while (!rc && unit < search->blocks && order->digits < EMULATE_DIGITS) {
        const unsigned d = order->digits++;

        order->unit[d] = unit;
        rc = look(search->here, search, unit);
        for (size_t r = 0; r < search->regions; r++)
            order->moves[d * search->regions + r] = (int64_t)(search->here[r] - search->origin[r]);
        if (!rc)
            rc = find_steps(&steps, search);
        unit *= steps + 1;
    }
    if (unit < search->blocks)
        order->digits = 0;
    return rc;
}

int order_find(struct emulate_result *result, struct emulation *emulation, struct err *err)
{
    const unsigned *grid = emulation->launch->grid;
    struct search search = {.emulation = emulation,
                            .order = &result->order,
                            .err = err,
                            .regions = result->region_count,
                            .blocks = grid[0]};
    int rc = 0;

    if (grid[0] == 1 || grid[1] > 1 || grid[2] > 1 || emulation->slice.reads_global ||
        result->end != EMULATE_DONE)
        return 0;
    search.origin = calloc(search.regions + 1, sizeof *search.origin);
    search.here = calloc(search.regions + 1, sizeof *search.here);
    result->order.moves = calloc(EMULATE_DIGITS * search.regions + 1, sizeof *result->order.moves);
    if (!search.origin || !search.here || !result->order.moves)
        rc = err_memory(err);
    if (!rc)
        rc = find_reach(&search, result);
    if (!rc && search.instructions)
        rc = find_digits(&search);
    free(search.origin);
    free(search.here);
    return rc;
}
