#include "model/memory/reuse_phases.h"

#include <math.h>
#include <stdlib.h>

bool reuse_reads(const struct sass *i)
{
    return traffic_is_global(i) && i->accesses[0].access & SASS_READS &&
           !(i->accesses[0].access & SASS_ATOMICALLY);
}

bool reuse_adds(const struct sass *i)
{
    return traffic_is_global(i) && i->accesses[0].access & SASS_ATOMICALLY;
}

bool reuse_evicts_first(const struct sass *i)
{
    return i->mod[SASS_MOD_EVICT] == SASS_EVICT_FIRST;
}

/* Numbers the loops of a path from *count on, those within after those around them. */
static void number_loops(unsigned *loops, size_t *count, const struct emulate_step *steps, size_t n,
                         unsigned own)
{
    size_t s = 0;

    while (s < n) {
        const struct emulate_step *step = &steps[s];

        if (step->body)
            number_loops(loops, count, step + 1, step->body, (unsigned)++*count);
        else
            for (uint32_t i = step->first; i < step->first + step->count; i++)
                loops[i] = own > loops[i] ? own : loops[i];
        s += step->body + 1;
    }
}

/* A loop within one that goes round `repeats` times is come to as often. */
static void count_entries(double *entries, const struct emulate_step *steps, size_t n, double entered,
                          double repeats)
{
    size_t s = 0;

    while (s < n) {
        const struct emulate_step *step = &steps[s];

        if (step->body)
            count_entries(entries, step + 1, step->body, entered * repeats, (double)step->repeats);
        else
            for (uint32_t i = step->first; i < step->first + step->count; i++)
                entries[i] += entered;
        s += step->body + 1;
    }
}

static void take_stores(struct reuse_region *reuse_region, const struct sass *i,
                        const struct traffic_count *count)
{
    reuse_region->stored += count->fresh;
    if (reuse_adds(i)) {
        reuse_region->added += count->fresh;
    } else { /* copies bring whole sectors, however many lanes ask for them */
        reuse_region->given += sass_copies_in_bulk(i) ? INFINITY : count->bytes;
        reuse_region->elements += count->lanes;
    }
}

static void take_phases(struct reuse *reuse)
{
    for (size_t i = 0; i < reuse->code->count; i++) {
        const struct traffic_count *count = &reuse->out->counts[i];
        struct phase *phase = phase_of(reuse, i);
        struct reuse_region *reuse_region = reuse_region_of(reuse, i);

        if (!(count->issued > 0))
            continue;
        if (!reuse_reads(&reuse->code->instructions[i])) {
            take_stores(reuse_region, &reuse->code->instructions[i], count);
            continue;
        }
        reuse->loads += count->requests;
        reuse->lines += count->lines_once;
        phase->asked += count->sectors_once;
        phase->fresh += count->fresh;
        phase->own += count->own;
        phase->requests += count->requests / count->issued;
        phase->lines += count->lines_once / count->issued;
        phase->lines_most = fmax(phase->lines_most, count->lines_once / count->issued);
        reuse_region->asked += count->sectors_once;
        reuse_region->fresh += count->fresh;
        reuse_region->issued += count->fresh * count->issued;
        reuse_region->evicted_first += reuse_evicts_first(&reuse->code->instructions[i]) ? count->fresh : 0;
    }
}

/* A loop that asks for more than is new to the block asks either for what it had itself or, up to all that
 * the block has of the region, for what others had. */
static void find_far(struct reuse *reuse)
{
    for (size_t l = 0; l < reuse->loop_count; l++)
        for (size_t z = 0; z < reuse->reuse_regions.count; z++) {
            struct phase *phase = &reuse->phases[l * reuse->reuse_regions.count + z];

            phase->far =
                fmax(fmin(phase->asked, reuse->reuse_regions.reuse_region[z].fresh) - phase->fresh, 0);
            reuse->reuse_regions.reuse_region[z].far += phase->far;
        }
}

double phase_lines(const struct phase *phase)
{
    const double own = phase->asked > 0 ? phase->own / phase->asked : 0;

    return fmax(phase->lines_most, phase->lines * own);
}

double phase_bytes(const struct reuse *reuse, size_t loop, double warps, double unit)
{
    double bytes = 0;

    for (size_t z = 1; z < reuse->reuse_regions.count; z++) {
        const struct phase *phase = &reuse->phases[loop * reuse->reuse_regions.count + z];
        const double apart = phase->own > 0 ? fmin(phase->fresh / phase->own, 1) : 1;

        bytes += fmin(phase_lines(phase) * apart * warps * unit,
                      (double)reuse->reuse_regions.reuse_region[z].bytes);
    }
    return bytes;
}

int phases_make(struct reuse *reuse, struct err *err)
{
    const struct emulate_result *result = reuse->result;

    reuse->loops = calloc(reuse->code->count + 1, sizeof *reuse->loops);
    reuse->entries = calloc(reuse->code->count + 1, sizeof *reuse->entries);
    if (!reuse->loops || !reuse->entries)
        return err_memory(err);
    if (result->path_count) {
        number_loops(reuse->loops, &reuse->loop_count, result->paths[0].steps, result->paths[0].count, 0);
        count_entries(reuse->entries, result->paths[0].steps, result->paths[0].count, 1, 1);
    }
    reuse->loop_count++;
    reuse->phases = calloc(reuse->loop_count * reuse->reuse_regions.count, sizeof *reuse->phases);
    if (!reuse->phases)
        return err_memory(err);
    take_phases(reuse);
    find_far(reuse);
    return 0;
}
