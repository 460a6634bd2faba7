#include "model/emulate/run.h"

#include "model/emulate/block.h"
#include "model/emulate/cluster.h"
#include "model/emulate/converge.h"
#include "model/emulate/mbarrier.h"
#include "model/emulate/memoize.h"
#include "model/emulate/signing.h"
#include "model/emulate/steady.h"
#include "model/emulate/step.h"

/* The next group of a warp that is ready, its turn going round; null without one. */
static struct group *ready_group(struct warp *warp)
{
    for (unsigned k = 0; k < warp->group_count; k++) {
        const unsigned at = (warp->turn + k) % warp->group_count;

        if (warp->groups[at].state == GROUP_READY && !warp->groups[at].idle && !warp->groups[at].waits) {
            warp->turn = at;
            return &warp->groups[at];
        }
    }
    return NULL;
}

/* The next group of a warp that can run: lanes that gave way follow where no other can. */
static struct group *next_group(struct warp *warp)
{
    struct group *group = ready_group(warp);

    return group || !converge_resume(warp) ? group : ready_group(warp);
}

/* Groups that were idle have something to see again. */
static void wake(struct emulation *emulation, uint64_t since)
{
    const unsigned blocks = cluster_running(emulation);

    if (emulation->version == since || !emulation->idles)
        return;
    emulation->idles = false;
    for (unsigned r = 0; r < blocks; r++) {
        const unsigned before = cluster_enter(emulation, r);

        for (unsigned w = 0; w < emulation->warp_count; w++)
            for (unsigned k = 0; k < emulation->own.warps[w].group_count; k++)
                emulation->own.warps[w].groups[k].idle = false;
        cluster_enter(emulation, before);
    }
}

/* Nothing can run: where the block hangs, barriers before convergence barriers before endless loops. */
static int hang(struct emulation *emulation)
{
    const struct group *worst = NULL;

    for (unsigned w = 0; w < emulation->warp_count; w++)
        for (unsigned k = 0; k < emulation->own.warps[w].group_count; k++) {
            const struct group *group = &emulation->own.warps[w].groups[k];

            if (!worst || group->state > worst->state)
                worst = group;
        }
    if (worst->state == GROUP_AT_MBARRIER)
        return mbarrier_hangs(emulation);
    if (worst->state == GROUP_AT_CLUSTER)
        return stop_at(emulation, &emulation->instructions[worst->pc], EMULATE_DEADLOCK,
                       "the cluster's barrier can never complete");
    if (worst->state == GROUP_AT_BARRIER)
        return stop_at(emulation, &emulation->instructions[worst->pc], EMULATE_DEADLOCK,
                       "barrier %u can never complete: %u threads have come", worst->index,
                       emulation->own.barriers[worst->index].arrived);
    if (worst->state != GROUP_READY)
        return stop_at(emulation, &emulation->instructions[worst->pc], EMULATE_DEADLOCK,
                       "lanes wait for others of their warp that never come");
    return stop_at(emulation, &emulation->instructions[worst->pc], EMULATE_BUDGET,
                   "an endless loop: its state repeats");
}

/* A turn of each of the block's warps; whether any could run. */
static int run_turn(bool *progress, struct emulation *emulation)
{
    for (unsigned w = 0; w < emulation->warp_count; w++) {
        struct warp *warp = &emulation->own.warps[w];
        struct group *group = next_group(warp);
        const uint64_t before = emulation->version;
        int rc;

        if (!group)
            continue;
        *progress = true;
        warp->turn = (unsigned)(group - warp->groups);
        rc = group_execute(emulation, warp, group);
        if (rc)
            return rc;
        wake(emulation, before);
        if (warp->group_count)
            warp->turn = (warp->turn + 1) % warp->group_count;
    }
    return 0;
}

/* Runs warps in turn, each until it waits or has had its turn: those of one block, or of all of a cluster. */
static int run_together(struct emulation *emulation)
{
    const unsigned blocks = cluster_running(emulation);
    const unsigned own = cluster_rank(emulation, emulation->own.position);
    bool progress = true;

    while (progress) {
        progress = false;
        for (unsigned r = 0; r < blocks; r++) {
            int rc;

            cluster_enter(emulation, r);
            rc = run_turn(&progress, emulation);
            cluster_enter(emulation, own);
            if (rc)
                return rc;
        }
        for (unsigned r = 0; r < blocks && !progress; r++) {
            cluster_enter(emulation, r);
            progress = waiting_end(emulation);
            cluster_enter(emulation, own);
        }
    }
    for (unsigned r = 0; r < blocks; r++) {
        int rc;

        cluster_enter(emulation, (own + r) % blocks);
        rc = emulation->own.alive ? hang(emulation) : 0;
        cluster_enter(emulation, own);
        if (rc)
            return rc;
    }
    return 0;
}

static int run_warp(struct emulation *emulation, struct warp *warp)
{
    struct group *group;

    warp_start(emulation, warp);
    steady_reset(emulation->steady);
    while ((group = next_group(warp))) {
        const int rc = group_execute(emulation, warp, group);

        if (rc)
            return rc;
        if (warp->group_count)
            warp->turn = (warp->turn + 1) % warp->group_count;
    }
    return 0;
}

static unsigned warp_of_turn(struct emulation *emulation, unsigned turn)
{
    if (emulation->signing)
        return signing_warp(emulation->signing, turn);
    return memo_applies(emulation->memo, emulation) ? memo_warp(emulation->memo, turn) : turn;
}

/* 1 where the warps so far say what the others do, else 0 or an error. */
static int probe(struct emulation *emulation, unsigned turn)
{
    if (emulation->signing)
        return signing_probe(emulation->signing, emulation, turn);
    return memo_applies(emulation->memo, emulation) ? memo_probe(emulation->memo, emulation, turn) : 0;
}

/* Runs each warp to its end: none needs what another does but barriers, which all must pass alike, unless
 * warps wait for each other at mbarriers too: then they meet in parts, as the block's beginning shows. */
static int run_alone(struct emulation *emulation)
{
    for (unsigned turn = 0; turn < emulation->warp_count; turn++) {
        struct warp *warp = &emulation->own.warps[warp_of_turn(emulation, turn)];
        int rc = run_warp(emulation, warp);

        if (rc)
            return rc;
        if ((warp->passed != emulation->own.warps[0].passed && !emulation->waits && !emulation->foresight) ||
            warp->group_count) {
            emulation->together = emulation->restart = true;
            return STEP_STOPPED;
        }
        rc = probe(emulation, turn);
        emulation->copied = rc > 0;
        if (rc)
            return rc < 0 ? rc : 0;
    }
    return 0;
}

int run_block(struct emulation *emulation)
{
    const int rc = emulation->alone ? run_alone(emulation) : run_together(emulation);

    return rc < 0 ? rc : 0;
}
