/* Remedies for what memory asks for. */
#include "model/predict/advising.h"

#include "model/sass/arch/geometry.h"

#include <math.h>

bool adviser_in_shared(const struct adviser *a, size_t i)
{
    const struct sass *instruction = &a->from->code.instructions[i];

    for (unsigned k = 0; k < instruction->access_count; k++)
        if (instruction->accesses[k].space == SASS_SPACE_SHARED)
            return true;
    return false;
}

void advise_banks(struct adviser *a)
{
    struct predict_input in = a->input;
    double worst = 0, saved = 0;
    size_t i, at = 0;

    for (i = 0; i < a->from->code.count; i++) {
        const struct traffic_count *count = adviser_count(a, i);
        const double extra = count->wavefronts - fmax(count->requests, count->bytes / LINE);

        if (!adviser_in_shared(a, i) || !(extra > 0))
            continue;
        saved += extra;
        if (extra > worst) {
            worst = extra;
            at = i;
        }
    }
    in.demand.count[RESOURCE_SHARED] = fmax(in.demand.count[RESOURCE_SHARED] - saved, 0);
    if (worst > 0)
        adviser_offer_at(
            a,
            adviser_offer(a, &in, 1, "no bank conflicts: %s takes %.1f passes where %.1f would do",
                          adviser_name(a, at),
                          adviser_count(a, at)->wavefronts / adviser_count(a, at)->requests,
                          fmax(1, adviser_count(a, at)->bytes / LINE / adviser_count(a, at)->requests)),
            at);
}

/* A table in shared memory is read in one pass where its banks do not conflict. */
void advise_constants(struct adviser *a)
{
    struct predict_input in = a->input;
    double *ask = in.demand.count, most = 0;
    size_t i, at = 0;

    for (i = 0; i < a->from->code.count; i++) {
        const struct traffic_count *count = adviser_count(a, i);

        if (!sass_indexes_constants(&a->from->code.instructions[i]) || !(count->wavefronts > count->requests))
            continue;
        ask[RESOURCE_CONSTANT_PORT] = fmax(ask[RESOURCE_CONSTANT_PORT] - count->wavefronts, 0);
        ask[RESOURCE_SHARED] += count->requests;
        ask[RESOURCE_LSU] += count->requests;
        if (count->wavefronts > most) {
            most = count->wavefronts;
            at = i;
        }
    }
    if (most > 0)
        adviser_offer_at(
            a,
            adviser_offer(
                a, &in, 1,
                "tables in shared memory, without bank conflicts: the constant cache answers one address "
                "at a time, and %s names %.1f different ones a request",
                adviser_name(a, at), most / adviser_count(a, at)->requests),
            at);
}

void advise_coalescing(struct adviser *a)
{
    struct predict_input in = a->input;
    double sectors = 0, ideal = 0, worst = 0, lines = 0, share;
    size_t i, at = 0;

    for (i = 0; i < a->from->code.count; i++) {
        const struct traffic_count *count = adviser_count(a, i);
        const double least = fmin(count->sectors, fmax(count->requests, count->bytes / SECTOR));

        if (!traffic_is_global(&a->from->code.instructions[i]))
            continue;
        sectors += count->sectors;
        ideal += least;
        lines += fmin(count->lines, fmax(count->requests, count->bytes / LINE));
        if (count->sectors - least > worst) {
            worst = count->sectors - least;
            at = i;
        }
    }
    if (!(worst > 0))
        return;
    share = ideal / sectors;
    in.demand.count[RESOURCE_L1_DATA] *= share;
    in.demand.count[RESOURCE_L1_TAGS] = fmin(in.demand.count[RESOURCE_L1_TAGS], lines);
    in.demand.count[RESOURCE_L2] *= share;
    in.demand.count[RESOURCE_L2_WRITE] *= share;
    in.demand.count[RESOURCE_LOADS_IN_FLIGHT] *= share;
    in.demand.count[RESOURCE_DRAM_READ] *= share;
    in.demand.count[RESOURCE_DRAM_WRITE] *= share;
    adviser_offer_at(
        a,
        adviser_offer(a, &in, 1, "coalesced accesses: %s touches %.1f sectors a request where %.1f would do",
                      adviser_name(a, at), adviser_count(a, at)->sectors / adviser_count(a, at)->requests,
                      fmax(1, adviser_count(a, at)->bytes / SECTOR / adviser_count(a, at)->requests)),
        at);
}

/* Bytes that DRAM brings of a thread's own memory, which nobody shares. */
static double read_of_own(const struct adviser *a)
{
    double sum = 0;

    for (size_t i = 0; i < a->from->code.count; i++)
        sum += traffic_is_local(&a->from->code.instructions[i]) ? adviser_count(a, i)->dram_read : 0;
    return sum;
}

void advise_traffic(struct adviser *a)
{
    const struct traffic *traffic = &a->from->traffic;
    const double asked = traffic->dram.read - traffic->dram.completed - read_of_own(a);
    struct predict_input in = a->input;

    in.demand.count[RESOURCE_DRAM_READ] -= fmax(asked - traffic->touched.read / traffic->warps, 0);
    adviser_offer(a, &in, 1, "blocks that run together share more: DRAM is read %.1f times over",
                  asked * traffic->warps / traffic->touched.read);
    in = a->input;
    in.demand.count[RESOURCE_DRAM_WRITE] -=
        machine_completes(a->machine, traffic->dram.completed, traffic->dram.completed_alone);
    adviser_offer(a, &in, 1, "sectors of 32 bytes written whole: DRAM brings the rest of %.0f MB of them",
                  traffic->dram.completed * traffic->warps / 1e6);
    in = a->input;
    in.demand.count[RESOURCE_L2] *= 0.5;
    in.demand.count[RESOURCE_LOADS_IN_FLIGHT] *= 0.5;
    adviser_offer(a, &in, 1, "half the L2 traffic, by larger tiles or shared memory: %.0f sectors a warp now",
                  a->from->input.demand.count[RESOURCE_L2]);
    in = a->input;
    in.demand.count[RESOURCE_L2_WRITE] *= 0.5;
    adviser_offer(a, &in, 1,
                  "half of what comes into L2, stored, added or from DRAM: it comes one after another");
    in = a->input;
    in.demand.count[RESOURCE_SHARED] *= 0.5;
    in.demand.count[RESOURCE_LSU] *= 0.5;
    adviser_offer(a, &in, 1,
                  "half the passes through shared memory, by more results a thread: %.0f a warp now",
                  a->from->input.demand.count[RESOURCE_SHARED]);
}

/* A warp's loads from and stores to local memory. */
struct own {
    double issued, fronts, l2, stored; /* sectors of L2: what L1 has not, and all that is stored */
    double dram_read, dram_written;
};

static struct own own_of(const struct adviser *a)
{
    struct own own = {.dram_read = read_of_own(a)};

    for (size_t i = 0; i < a->from->code.count; i++) {
        const struct sass *instruction = &a->from->code.instructions[i];
        const struct traffic_count *count = adviser_count(a, i);

        if (!traffic_is_local(instruction))
            continue;
        own.issued += count->issued;
        own.fronts += fmax(count->requests, count->sectors / (LINE / SECTOR));
        if (instruction->accesses[0].access & SASS_READS) {
            own.l2 += count->sectors * (1 - count->l1_hit);
        } else {
            own.stored += count->sectors;
            own.dram_written += own.dram_read > 0 ? count->sectors * SECTOR : 0;
        }
    }
    return own;
}

void advise_spills(struct adviser *a)
{
    const struct own own = own_of(a);
    struct predict_input in = a->input;
    double *count = in.demand.count;

    count[RESOURCE_ISSUE] -= own.issued;
    count[RESOURCE_LSU] = fmax(count[RESOURCE_LSU] - own.issued, 0);
    count[RESOURCE_L1_DATA] = fmax(count[RESOURCE_L1_DATA] - own.fronts, 0);
    count[RESOURCE_L2] = fmax(count[RESOURCE_L2] - own.l2, 0);
    count[RESOURCE_L2_WRITE] = fmax(count[RESOURCE_L2_WRITE] - own.stored, 0);
    count[RESOURCE_DRAM_READ] = fmax(count[RESOURCE_DRAM_READ] - own.dram_read, 0);
    count[RESOURCE_DRAM_WRITE] = fmax(count[RESOURCE_DRAM_WRITE] - own.dram_written, 0);
    if (own.issued > 0)
        adviser_offer(a, &in, 1, "no local memory: a warp executes %.0f local loads and stores%s", own.issued,
                      a->from->code.spill_loads ? ", spills among them: allow more registers" : "");
}
