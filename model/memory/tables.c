#include "model/memory/tables.h"

#include "model/sass/arch/geometry.h"

#include <math.h>

/* Sets of the cache of a sub-partition: 2 KB in lines of CONSTANT_LINE, four to a set (benchmarks/micro/tables.c). */
enum { SETS = 8 };

struct tables_walkers tables_walkers_of(const struct residency *residency, double skew, double cohesion)
{
    const double blocks = fmin(residency->blocks_per_sm, ceil(residency->blocks / residency->sms));
    const double warps = residency->warps_per_block / residency->partitions;
    const double waves = fmax(residency->blocks / (residency->sms * blocks), 1);

    return (struct tables_walkers){.groups = blocks * fmin(warps, 1),
                                   .together = fmax(warps, 1),
                                   .cohesion = cohesion,
                                   .spread = fmin(skew * waves, 1)};
}

/* Loads that follow each other at once miss together. */
static bool is_beside(const struct traffic_count *counts, size_t i)
{
    return i && counts[i - 1].table_lines > 0;
}

/* Loads that are executed equally often and begin in the same line, as those of an unrolled loop, walk
 * through the table together: the first of them brings its lines. */
static bool is_led(const struct sass_code *code, const struct traffic_count *counts, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (counts[k].table_lines > 0 && counts[k].table_first == counts[i].table_first &&
            counts[k].issued == counts[i].issued &&
            code->instructions[k].accesses[0].bank == code->instructions[i].accesses[0].bank)
            return true;
    return false;
}

/* A bit for each set of the cache that the loads of a loop look in, those of the same table that are executed equally often. */
static unsigned sets_of(const struct sass_code *code, const struct traffic_count *counts, size_t i)
{
    const struct sass_access *of = &code->instructions[i].accesses[0];
    unsigned sets = 0;

    for (size_t k = 0; k < code->count; k++) {
        const struct sass_access *access = &code->instructions[k].accesses[0];

        if (counts[k].table_lines > 0 && counts[k].issued == counts[i].issued && access->bank == of->bank)
            sets |= 1u << ((unsigned)access->offset / CONSTANT_LINE % SETS);
    }
    return sets;
}

/* Of loads that are issued `issued` times, where more walkers than lines are spread over `lines`. */
static double thrashed(double issued, double lines, double kept)
{
    return lines > kept ? issued * (1 - kept / lines) : 0;
}

/* Loads of one instruction that do not find all their lines kept; `kept`: of all loads that walk with it. */
static void add_missed(struct tables_misses *out, const struct traffic_count *count,
                       const struct tables_walkers *walkers, double kept, bool beside, bool led)
{
    const double issued = beside ? 0 : count->issued, moves = led ? 0 : count->table_moves;
    const double warps = fmax(walkers->groups * walkers->together, 1);
    const double in_step = moves / warps;
    /* each group brings its lines, which the others bring too as far as they are spread */
    const double own = fmax(walkers->spread * moves / walkers->together, in_step);
    const double thrash = thrashed(issued, walkers->spread * count->table_lines, kept) /
                          pow(walkers->together, walkers->cohesion);

    out->in_step += in_step;
    out->expected += walkers->groups > kept ? fmax(thrash, in_step) : own;
    out->apart += warps > kept ? fmax(thrashed(issued, count->table_lines, kept), own) : fmax(moves, own);
}

void tables_missed(struct tables_misses *out, const struct sass_code *code, const struct traffic *traffic,
                   const struct tables_walkers *walkers, double kept)
{
    *out = (struct tables_misses){0};
    for (size_t i = 0; i < code->count; i++)
        if (traffic->counts[i].table_lines > kept)
            add_missed(out, &traffic->counts[i], walkers,
                       kept * __builtin_popcount(sets_of(code, traffic->counts, i)),
                       is_beside(traffic->counts, i), is_led(code, traffic->counts, i));
}
