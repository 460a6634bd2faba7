#include "model/sm/program.h"

#include <math.h>
#include <stdlib.h>

/* Share of the mean by which the busiest sub-partition may have more to do, to stand for all: as measured against kernels
 * recorded on an NVIDIA H200, 0.3 errs no more than 0.1. */
static const double MOST_UNEQUAL = 0.3;

/* Of the time that a sub-partition's warps take to issue an instruction each, what the mean load of one may come
 * earlier or later, where many warps wait for the last of them: with fewer warps it comes earlier. */
static const double MOST_SPREAD = 0.1;

struct sm_subset sm_subset_whole(const struct sm_input *in)
{
    return (struct sm_subset){0, in->partitions, 1};
}

/* Instructions of a path; where it was not asked for yet, works[path] is 0. */
static double work_of(double *works, const struct sm_input *in, uint32_t path)
{
    if (!(works[path] > 0))
        works[path] = sm_count_steps(in->emulation->paths[path].steps, in->emulation->paths[path].count);
    return works[path];
}

/* The instructions that each sub-partition has of all the input's blocks, one after another on `places`. */
static void add_work(double *out, double *works, const struct sm_input *in, unsigned places)
{
    const size_t count = in->block_count > places ? in->block_count : places;

    for (size_t b = 0; b < count; b++) {
        const struct emulate_block *block = in->blocks[b % in->block_count];
        const size_t first = b % places * block->warps;

        for (size_t w = 0; w < block->warps; w++)
            out[(first + w) % in->partitions] += work_of(works, in, block->paths[w]);
    }
}

/* By how many cycles for each instruction of a warp its loads from DRAM come earlier or later. */
static double spread_cycles(const struct sm_code *code, const struct sm_input *in)
{
    double spread = 0, waits = 0, issued = 0;

    for (size_t i = 0; i < MACHINE_SPREAD; i++)
        spread += fabs(in->machine->dram_spread[i] - 1) / MACHINE_SPREAD;
    for (size_t i = 0; i < code->count; i++) {
        waits += in->traffic->counts[i].issued * code->requests[i].dram_part;
        issued += in->traffic->counts[i].issued;
    }
    return issued > 0 ? spread * waits / issued : 0;
}

/* Whether warps meet that have waited for loads of unequal times. */
static bool waits_for_slowest(const struct sm_code *code, const struct sm_input *in, unsigned blocks)
{
    const double warps = (double)blocks * in->blocks[0]->warps / in->partitions;

    return in->code->barrier_cycles > 0 && spread_cycles(code, in) > MOST_SPREAD * warps;
}

/* Whether warps ask the copy engine for something: often one does so for all. */
static bool has_copies(const struct sm_code *code)
{
    bool has = false;

    for (size_t i = 0; i < code->count; i++)
        has |= code->requests[i].async != SM_NOTHING;
    return has;
}

int sm_subset_choose(struct sm_subset *out, const struct sm_code *code, const struct sm_input *in,
                     unsigned blocks, struct err *err)
{
    double work[DEVICE_SUBPARTITIONS] = {0}, all = 0;
    double *works = calloc(in->emulation->path_count + 1, sizeof *works);
    unsigned most = 0;

    *out = sm_subset_whole(in);
    if (!works)
        return err_memory(err);
    add_work(work, works, in, blocks);
    free(works);
    for (unsigned p = 0; p < in->partitions; p++) {
        all += work[p];
        most = work[p] > work[most] ? p : most;
    }
    if (all > 0 && !has_copies(code) && !waits_for_slowest(code, in, blocks) &&
        work[most] * in->partitions <= (1 + MOST_UNEQUAL) * all)
        *out = (struct sm_subset){most, 1, all / work[most]};
    return 0;
}
