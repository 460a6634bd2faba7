#include "model/emulate/cluster.h"

#include "model/emulate/events.h"

#include "model/emulate/block.h"

#include <stdlib.h>
#include <string.h>

struct cluster {
    unsigned extent[3], count;
    unsigned own, entered; /* ranks: of the block that is counted, and whose fields the emulation has */
    bool joint;            /* they run together */
    struct block_own members[CLUSTER_BLOCKS]; /* by rank */
    struct block_own spare[CLUSTER_BLOCKS];   /* memory of all but the block counted; owned */
    struct registers *registers;              /* of all their warps */
    unsigned arrived, phase; /* threads at the cluster's barrier, and how often it was passed */
};

void cluster_extent(unsigned out[3], const struct launch *launch, const struct cubin_kernel *kernel)
{
    const bool launched = launch->cluster[0] > 1 || launch->cluster[1] > 1 || launch->cluster[2] > 1;

    for (unsigned k = 0; k < 3; k++) {
        out[k] = launched ? launch->cluster[k] : kernel->resources.cluster[k];
        out[k] = out[k] ? out[k] : 1;
    }
}

static void release_member(struct block_own *member, unsigned warps)
{
    for (unsigned w = 0; w < warps && member->warps; w++) {
        free(member->warps[w].local);
        free(member->warps[w].local_unknown);
        trace_release(&member->warps[w].trace);
    }
    free(member->warps);
    free(member->shared);
    free(member->shared_unknown);
}

static int allocate_warp(struct warp *warp, const struct emulation *emulation, struct registers *registers,
                         unsigned index, struct err *err)
{
    warp->index = index;
    warp->regs = registers;
    warp->local = calloc(1, emulation->local_bytes * LANES);
    warp->local_unknown = calloc(1, emulation->local_bytes * LANES);
    return warp->local && warp->local_unknown ? 0 : err_memory(err);
}

static int allocate_member(struct block_own *out, const struct emulation *emulation,
                           struct registers *registers, struct err *err)
{
    int rc = 0;

    out->warps = calloc(emulation->warp_count, sizeof *out->warps);
    out->shared = malloc(emulation->shared_bytes + 1);
    out->shared_unknown = malloc(emulation->shared_bytes + 1);
    if (!out->warps || !out->shared || !out->shared_unknown)
        return err_memory(err);
    for (unsigned w = 0; w < emulation->warp_count && !rc; w++)
        rc = allocate_warp(&out->warps[w], emulation, &registers[w], w, err);
    return rc;
}

/* When they first run together: few kernels with clusters need that. */
static int allocate(struct cluster *cluster, const struct emulation *emulation, struct err *err)
{
    int rc = 0;

    if (cluster->registers)
        return 0;
    cluster->registers =
        calloc((size_t)(cluster->count - 1) * emulation->warp_count, sizeof *cluster->registers);
    if (!cluster->registers)
        return err_memory(err);
    for (unsigned k = 0; k + 1 < cluster->count && !rc; k++)
        rc = allocate_member(&cluster->spare[k], emulation, cluster->registers + k * emulation->warp_count,
                             err);
    return rc;
}

int cluster_open(struct emulation *emulation, struct err *err)
{
    unsigned extent[3];
    uint64_t count;

    cluster_extent(extent, emulation->launch, emulation->kernel);
    count = (uint64_t)extent[0] * extent[1] * extent[2];
    if (count == 1)
        return 0;
    if (count > CLUSTER_BLOCKS)
        return err_set(err, ERR_USAGE, "a cluster of %llu thread blocks: at most %d are possible",
                       (unsigned long long)count, CLUSTER_BLOCKS);
    emulation->cluster = calloc(1, sizeof *emulation->cluster);
    if (!emulation->cluster)
        return err_memory(err);
    memcpy(emulation->cluster->extent, extent, sizeof extent);
    emulation->cluster->count = (unsigned)count;
    return 0;
}

void cluster_close(struct emulation *emulation)
{
    struct cluster *cluster = emulation->cluster;

    for (unsigned k = 0; cluster && k < CLUSTER_BLOCKS; k++)
        release_member(&cluster->spare[k], emulation->warp_count);
    if (cluster)
        free(cluster->registers);
    free(cluster);
    emulation->cluster = NULL;
}

unsigned cluster_rank(const struct emulation *emulation, const unsigned position[3])
{
    const struct cluster *cluster = emulation->cluster;
    const unsigned *extent = cluster ? cluster->extent : NULL;

    return cluster ? position[0] % extent[0] +
                         extent[0] * (position[1] % extent[1] + extent[1] * (position[2] % extent[2]))
                   : 0;
}

uint64_t cluster_number(const struct emulation *emulation, const unsigned position[3])
{
    static const unsigned single[3] = {1, 1, 1};
    const unsigned *grid = emulation->launch->grid;
    const unsigned *extent = emulation->cluster ? emulation->cluster->extent : single;
    const uint64_t columns = grid[0] / extent[0], rows = grid[1] / extent[1];

    return position[0] / extent[0] + columns * (position[1] / extent[1] + rows * (position[2] / extent[2]));
}

unsigned cluster_count(const struct emulation *emulation)
{
    return emulation->cluster ? emulation->cluster->count : 1;
}

unsigned cluster_running(const struct emulation *emulation)
{
    return emulation->cluster && emulation->cluster->joint ? emulation->cluster->count : 1;
}

static void place(unsigned out[3], const struct cluster *cluster, const unsigned of[3], unsigned rank)
{
    for (unsigned k = 0; k < 3; k++) {
        out[k] = of[k] / cluster->extent[k] * cluster->extent[k] + rank % cluster->extent[k];
        rank /= cluster->extent[k];
    }
}

unsigned cluster_enter(struct emulation *emulation, unsigned rank)
{
    struct cluster *cluster = emulation->cluster;
    const unsigned before = cluster ? cluster->entered : 0;

    if (!cluster || !cluster->joint || rank == before)
        return before;
    cluster->members[before] = emulation->own;
    emulation->own = cluster->members[rank];
    cluster->entered = rank;
    emulation->rehearsing = rank != cluster->own || emulation->beginning;
    return before;
}

bool cluster_is_peer(const struct emulation *emulation)
{
    const struct cluster *cluster = emulation->cluster;

    return cluster && cluster->joint && cluster->entered != cluster->own;
}

unsigned cluster_enter_at(struct emulation *emulation, uint32_t address)
{
    const unsigned rank = cluster_rank_at(address), running = cluster_running(emulation);

    if (running == 1)
        return 0;
    return cluster_enter(emulation, rank < running ? rank : emulation->cluster->entered);
}

unsigned char *cluster_shared(bool **unknown, const struct emulation *emulation, unsigned rank)
{
    const struct cluster *cluster = emulation->cluster;
    const unsigned running = cluster_running(emulation);

    if (running == 1 ? rank != cluster_rank(emulation, emulation->own.position) : rank >= running)
        return NULL;
    if (running == 1 || rank == cluster->entered) {
        *unknown = emulation->own.shared_unknown;
        return emulation->own.shared;
    }
    *unknown = cluster->members[rank].shared_unknown;
    return cluster->members[rank].shared;
}

/* A peer at its beginning, as block.c puts the block that is counted. */
static void start_member(struct emulation *emulation)
{
    emulation->own.alive = emulation->threads;
    emulation->own.shared_tainted = false;
    memset(emulation->own.shared, 0, emulation->shared_bytes);
    memset(emulation->own.shared_unknown, 0, emulation->shared_bytes);
    for (unsigned b = 0; b < BARRIERS; b++)
        emulation->own.barriers[b] = (struct block_barrier){.all = true};
    for (unsigned w = 0; w < emulation->warp_count; w++)
        warp_start(emulation, &emulation->own.warps[w]);
}

int cluster_start(struct emulation *emulation, struct err *err)
{
    struct cluster *cluster = emulation->cluster;
    unsigned used = 0;
    int rc;

    if (!cluster)
        return 0;
    cluster->joint = !emulation->alone && !emulation->signing;
    cluster->own = cluster->entered = cluster_rank(emulation, emulation->own.position);
    cluster->arrived = cluster->phase = 0;
    if (!cluster->joint)
        return 0;
    rc = allocate(cluster, emulation, err);
    if (rc)
        return rc;
    for (unsigned r = 0; r < cluster->count; r++)
        if (r != cluster->own) {
            cluster->members[r] = cluster->spare[used++];
            place(cluster->members[r].position, cluster, emulation->own.position, r);
            cluster_enter(emulation, r);
            start_member(emulation);
            cluster_enter(emulation, cluster->own);
        }
    return 0;
}

static bool traces_differ(const struct trace *a, const struct trace *b)
{
    enum { LATEST = 3 }; /* steps of the loops they are in */
    const size_t count = a->count < b->count ? a->count : b->count;

    for (size_t k = 0; k + LATEST < count; k++)
        if (a->steps[k].first != b->steps[k].first || a->steps[k].count != b->steps[k].count)
            return true;
    return false;
}

bool cluster_differs(const struct emulation *emulation)
{
    const struct cluster *cluster = emulation->cluster;
    bool differs = false;

    for (unsigned r = 0; cluster && r < cluster_running(emulation); r++)
        for (unsigned w = 0; w < emulation->warp_count && r != cluster->own; w++)
            differs |= traces_differ(&emulation->own.warps[w].trace, &cluster->members[r].warps[w].trace);
    return differs;
}

static void let_go(struct emulation *emulation)
{
    const unsigned before = emulation->cluster->entered;

    emulation->cluster->arrived = 0;
    emulation->cluster->phase++;
    events_phase_ends(emulation, EVENTS_BARRIER + BARRIERS);
    for (unsigned r = 0; r < emulation->cluster->count; r++) {
        cluster_enter(emulation, r);
        for (unsigned w = 0; w < emulation->warp_count; w++)
            for (unsigned k = 0; k < emulation->own.warps[w].group_count; k++) {
                struct group *group = &emulation->own.warps[w].groups[k];

                if (group->state != GROUP_AT_CLUSTER)
                    continue;
                group->state = GROUP_READY;
                group->idle = false;
                group->pc++;
            }
    }
    cluster_enter(emulation, before);
    note_change(emulation);
}

void cluster_release_barrier(struct emulation *emulation)
{
    const struct cluster *cluster = emulation->cluster;
    unsigned alive = emulation->own.alive;

    if (cluster_running(emulation) == 1 || !cluster->arrived)
        return;
    for (unsigned r = 0; r < cluster->count; r++)
        alive += r == cluster->entered ? 0 : cluster->members[r].alive;
    if (cluster->arrived >= alive)
        let_go(emulation);
}

int cluster_barrier(struct emulation *emulation, struct warp *warp, struct group *group, const struct sass *i)
{
    struct cluster *cluster = emulation->cluster;

    if (cluster_running(emulation) == 1)
        return STEP_NEXT;
    if (i->op == SASS_UCGABAR_WAIT) {
        const bool over = cluster->phase != warp->cluster_phase;

        events_wait(emulation, EVENTS_BARRIER + BARRIERS, over);
        if (over)
            return STEP_NEXT;
        group->state = GROUP_AT_CLUSTER;
        return STEP_BLOCKED;
    }
    warp->cluster_phase = cluster->phase;
    events_arrive(emulation, EVENTS_BARRIER + BARRIERS);
    cluster->arrived += (unsigned)__builtin_popcount(group->mask);
    note_change(emulation);
    cluster_release_barrier(emulation);
    return STEP_NEXT;
}
