/* How far apart the first warp of a sample's first block loads from a line and does again, where loops in steady state
 * go on unexecuted, too. */
#include "model/emulate/follow.h"

#include "model/emulate/memory.h"
#include "model/emulate/record.h"
#include "model/emulate/steady_state.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS_MOST = 1 << 15 };

int follow_begin(struct emulation *emulation, struct err *err)
{
    struct emulate_result *const result = emulation->result;

    emulation->followed = 0;
    if (!emulation->memo || emulation->lowest || emulation->signing || emulation->beginning ||
        emulation->block != result->blocks)
        return 0;
    if (!emulation->stack)
        emulation->stack = calloc(1, sizeof *emulation->stack);
    free(result->again);
    free(result->returns);
    result->again = calloc(emulation->count + 1, sizeof *result->again);
    result->returns = calloc(emulation->memory.region_count + 1, sizeof *result->returns);
    result->followed = 0;
    if (!emulation->stack || !result->again || !result->returns)
        return err_memory(err);
    reuse_stack_begin(emulation->stack);
    emulation->followed = REQUESTS_MOST;
    return 0;
}

/* Goes through L1, and stays there: what is to be evicted first is no burden to what is not. */
static bool is_kept(const struct request *request)
{
    const struct sass *i = request->i;

    if (request->second || request->access & SASS_ATOMICALLY || i->mod[SASS_MOD_BYPASS] || sass_is_bulk(i))
        return false;
    return request->access & SASS_READS || i->mod[SASS_MOD_EVICT] != SASS_EVICT_FIRST;
}

static void note_return(struct emulate_returns *returns, const struct reuse_stack_found *found)
{
    int bin = 0;

    if (!found->requests) {
        returns->first += found->weight;
        return;
    }
    frexp((double)found->requests, &bin);
    bin = bin < EMULATE_RETURNS ? bin : EMULATE_RETURNS - 1;
    returns->lines[bin] += found->weight;
    returns->requests[bin] += found->weight * (double)found->requests;
}

static void touch(struct emulation *emulation, const struct request *request, uint64_t line, unsigned sectors)
{
    struct emulate_again *again = &emulation->result->again[request->index];
    const struct region *region = memory_region(&emulation->memory, line * LINE, 1);
    struct reuse_stack_found found;
    int bin = 0;

    if (!reuse_stack_touch(&found, emulation->stack, line, sectors))
        return;
    if (region)
        note_return(&emulation->result->returns[region - emulation->memory.regions], &found);
    if (!(request->access & SASS_READS))
        return;
    for (unsigned s = 0; s < found.count; s++) {
        frexp(found.lines[s], &bin); /* 0: none, then powers of two */
        bin = bin < EMULATE_DISTANCES ? bin : EMULATE_DISTANCES - 1;
        again->sectors[bin] += found.weight;
        again->lines[bin] += found.weight * found.lines[s];
        again->first[bin] += found.first ? found.weight : 0;
        again->requests[bin] += found.weight * (double)found.requests;
    }
}

static void follow(struct emulation *emulation, const struct request *request)
{
    uint64_t line = UINT64_MAX;
    unsigned sectors = 0;

    emulation->followed--;
    emulation->result->followed++;
    reuse_stack_request(emulation->stack);
    for (uint32_t left = request->mask; left; left &= left - 1) {
        const uint64_t address = request->address[__builtin_ctz(left)];

        if (address / LINE != line && sectors)
            touch(emulation, request, line, sectors);
        sectors = address / LINE == line ? sectors : 0;
        line = address / LINE;
        sectors |= 1U << address / SECTOR % REUSE_STACK_SECTORS;
    }
    if (sectors)
        touch(emulation, request, line, sectors);
}

void follow_request(struct emulation *emulation, const struct request *request)
{
    if (emulation->followed && !emulation->running && !emulation->rehearsing && request->mask &&
        is_kept(request) && request_is_global(request))
        follow(emulation, request);
}

static bool same_loops(const struct record *a, const struct record *b)
{
    return a->rank == b->rank && !memcmp(a->times, b->times, a->rank * sizeof *a->times);
}

/* What a record accesses in one of the periods, and of the loops inside in one of theirs. */
static void follow_record(struct emulation *emulation, const struct record *record, uint64_t period,
                          uint64_t inside)
{
    struct request request = record_request(record);

    record_address(&request, record, period, inside);
    follow_request(emulation, &request);
}

/* Whether it has anything to follow: what wanders is executed elsewhere. */
static bool is_followed(const struct record *record)
{
    return record->access && !record->wanders && record->mask &&
           (record->space == SASS_SPACE_GLOBAL || record->space == SASS_SPACE_GENERIC) &&
           !sass_is_tensor_copy(record->i);
}

/* One period: accesses in the order of the code, those of a loop inside as it goes round. */
static void follow_period(struct emulation *emulation, const struct record *records, size_t count,
                          uint64_t period)
{
    for (size_t k = 0, end; k < count; k = end) {
        const uint64_t inside = record_inside(&records[k]);

        for (end = k + 1; end < count && records[k].rank && same_loops(&records[k], &records[end]); end++)
            ;
        for (uint64_t n = 0; n < inside && emulation->followed; n++)
            for (size_t r = k; r < end; r++)
                if (is_followed(&records[r]))
                    follow_record(emulation, &records[r], period, n);
    }
}

void follow_periods(struct emulation *emulation, const struct record *records, size_t count, uint64_t periods)
{
    size_t first = 0;

    while (count && !is_followed(&records[count - 1]))
        count--;
    while (first < count && !is_followed(&records[first]))
        first++;
    for (uint64_t p = 2; p < 2 + periods && count && emulation->followed && !emulation->running; p++)
        follow_period(emulation, records + first, count - first, p);
}
