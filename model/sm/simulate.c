#include "model/sm/async.h"
#include "model/sm/one_for_all.h"
#include "model/sm/run.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Instructions of a path that is cut short, at most: a list that is still longer ends there. */
enum { PATH_MOST = 80000 };

/* What is simulated of long loops: fewer iterations where one has so many instructions that the warps
 * come out of step, and what they wait for under way, within it, and more where loads from DRAM take unequal
 * times, which a few iterations show by chance (SPREADING). The first cut that costs no more than AFFORDABLE and
 * reaches the end of all paths is taken, or else the beginning of paths: shorten(). */
static const struct sm_cut cuts[] = {{8, 16, 16, PATH_MOST, 1},
                                     {4, 8, 16, PATH_MOST, 1},
                                     {2, 4, 16, PATH_MOST, 1},
                                     {2, 4, 8, PATH_MOST, 1},
                                     {1, 3, 8, PATH_MOST, 1}};

#define UNLIKE 0.05 /* share of its instructions by which it may differ from the path */

enum {
    CUTS = sizeof cuts / sizeof *cuts,
    SPREADING = 1,        /* cuts for such loads alone */
    WAVES = 3,            /* after the first, of blocks that follow each other, at most */
    AFFORDABLE = 1 << 17, /* instructions that an SM issues in what is simulated */
    TELLING = 16,         /* a smaller part of them says nothing of the rest */
    SHOWING = 64          /* nor does a smaller one of what the longer lists have */
};

/* A path's warps with loops cut short, twice, and how many instructions that makes. */
struct lists {
    struct sm_cut cut;
    struct sm_list *brief, *longer;
    double brief_ops, long_ops, all; /* the blocks'; `all` with every iteration, and of whole paths */
    bool ends_early;                 /* a path is too long even so: some of its end is in neither */
};

static bool loops(const struct lists *lists)
{
    return lists->all > lists->brief_ops && lists->long_ops > lists->brief_ops;
}

static int cut_lists(struct lists *out, const struct sm_input *in, const struct sm_cut *cut, struct err *err)
{
    int rc = sm_lists(&out->brief, in, cut, cut->brief, &out->brief_ops, &out->all, err);

    out->cut = *cut;
    if (!rc)
        rc = sm_lists(&out->longer, in, cut, cut->longer, &out->long_ops, &out->all, err);
    for (size_t l = 0; l < in->emulation->path_count && !rc; l++)
        out->ends_early |= out->longer[l].count >= cut->most;
    return rc;
}

static void free_lists(struct lists *lists, size_t path_count)
{
    sm_lists_free(lists->brief, path_count);
    sm_lists_free(lists->longer, path_count);
}

/* What `blocks` resident blocks issue, if those of the input issue `ops`. */
static double issued_by(double ops, const struct sm_input *in, unsigned blocks)
{
    return ops * blocks / (double)in->block_count;
}

/* Waves that follow the first one, to see how blocks overlap: as many as are cheap. */
static unsigned waves_of(double ops, const struct sm_input *in, unsigned blocks, double affordable)
{
    return (unsigned)fmax(fmin(affordable / fmax(issued_by(ops, in, blocks), 1) - 1, WAVES), 1);
}

/* How blocks drift apart from wave to wave one sub-partition shows less well than all: these, where that costs little. */
static struct sm_code code_of_waves(const struct sm_code *code, double ops, const struct sm_input *in,
                                    unsigned blocks)
{
    struct sm_code out = *code;

    if (2 * issued_by(ops, in, blocks) <= AFFORDABLE)
        out.subset = sm_subset_whole(in);
    return out;
}

/* Instructions of all simulations that loops cut short ask for: simulate_unequal() and simulate_drifting(). */
static double cut_costs(const struct lists *lists, const struct sm_input *in, unsigned blocks)
{
    const double waves = 1 + waves_of(lists->long_ops, in, blocks, AFFORDABLE);

    if (in->block_count > 1)
        return waves * (lists->brief_ops + lists->long_ops);
    return (blocks > 1 ? 2 : 1) * lists->long_ops;
}

/* The same of one that leaves nothing out: simulate_once(). */
static double whole_costs(const struct lists *lists, const struct sm_input *in, unsigned blocks)
{
    return in->block_count > 1 ? (1 + waves_of(lists->all, in, blocks, AFFORDABLE)) * lists->all : lists->all;
}

/* One simulation of every iteration is better than several that are extrapolated, and often cheaper. What it
 * costs says how long paths can be. */
static int make_whole(struct lists *lists, const struct sm_input *in, unsigned blocks, struct err *err)
{
    static const struct sm_cut whole = {UINT_MAX, UINT_MAX, UINT_MAX, SIZE_MAX, 1};

    if (!loops(lists) || whole_costs(lists, in, blocks) > cut_costs(lists, in, blocks))
        return 0;
    free_lists(lists, in->emulation->path_count);
    *lists = (struct lists){0};
    return cut_lists(lists, in, &whole, err);
}

/* Whether the next cut is to be tried. */
static bool too_long(const struct lists *lists, const struct sm_input *in, unsigned blocks)
{
    return lists->ends_early || (loops(lists) && issued_by(lists->long_ops, in, blocks) > AFFORDABLE);
}

/* Lists of the paths' beginning that issue about what is affordable, where the rest is like it. */
static int take_part(struct lists *out, const struct sm_input *in, unsigned blocks, struct sm_cut cut,
                     struct err *err)
{
    struct lists part = {0};
    double unlike = 1;
    int rc = cut_lists(&part, in, &cut, err);

    cut.part = rc ? 1 : AFFORDABLE / issued_by(part.long_ops, in, blocks);
    free_lists(&part, in->emulation->path_count);
    part = (struct lists){0};
    if (!rc && cut.part < 1)
        rc = cut_lists(&part, in, &cut, err);
    if (!rc && part.longer && loops(&part) && !part.ends_early &&
        issued_by(part.long_ops, in, blocks) <= 2 * AFFORDABLE)
        rc = sm_lists_unlike(&unlike, part.longer, in, err);
    if (!rc && unlike < UNLIKE) {
        const struct lists whole = *out;

        *out = part;
        part = whole;
    }
    free_lists(&part, in->emulation->path_count);
    return rc;
}

/* Of unequal blocks, of which waves are simulated, too: where so little of every loop can be that warps have hardly begun to
 * wait for one another, more of each is for the beginning of the paths, if loops follow one another that are alike. */
static int shorten(struct lists *lists, const struct sm_input *in, unsigned blocks, unsigned first,
                   struct err *err)
{
    int rc = 0;

    for (unsigned k = first; k < CUTS && !rc && !(lists->cut.part < 1); k++)
        rc = take_part(lists, in, blocks, cuts[k], err);
    return rc;
}

static int make_lists(struct lists *out, const struct sm_input *in, const struct sm_code *code,
                      unsigned blocks, struct err *err)
{
    const unsigned first = code->spreads ? 0 : SPREADING;
    unsigned k = first;
    int rc = cut_lists(out, in, &cuts[k], err);

    while (!rc && k + 1 < CUTS && too_long(out, in, blocks)) {
        free_lists(out, in->emulation->path_count);
        *out = (struct lists){0};
        rc = cut_lists(out, in, &cuts[++k], err);
    }
    if (!rc)
        rc = make_whole(out, in, blocks, err);
    if (!rc && in->block_count > 1 && too_long(out, in, blocks))
        rc = shorten(out, in, blocks, first, err);
    if (!rc)
        sm_lists_share(out->longer, out->brief, in->emulation->path_count);
    return rc;
}

/* With all iterations: as what the longer lists have more goes on. Of the beginning of paths that may be next to nothing, where
 * iterations go ways of their own: then two simulations differ by chance, and the rest goes on as all of the beginning. */
static double extrapolate(const struct sm_both *both, const struct lists *lists)
{
    const double more = lists->long_ops - lists->brief_ops, left_out = lists->all - lists->long_ops;

    if (lists->cut.part < 1 && more * SHOWING < lists->long_ops)
        return both->longer * lists->all / lists->long_ops;
    return both->longer + (both->longer - both->brief) / more * left_out;
}

/* Blocks begin in step and drift apart, since they compete. The few iterations simulated do not show where that
 * ends: it is taken to be where they get on best, in step or spread evenly over an iteration. Spread, the
 * sub-partitions take turns at the load/store units: traced on an NVIDIA H200, a block's warps come to a
 * barrier at the same time on all four. */
static int simulate_drifting(double *cycles, double *brief_cycles, const struct sm_input *in,
                             const struct sm_code *code, const struct lists *lists, unsigned blocks,
                             struct err *err)
{
    struct sm_both both = {0};
    double stagger;
    int rc = sm_run_both(&both, in, code, lists->brief, lists->longer, blocks, 0, 0, err);

    *cycles = extrapolate(&both, lists);
    *brief_cycles = both.brief;
    if (rc || blocks == 1)
        return rc;
    stagger = (both.longer - both.brief) / (lists->cut.longer - lists->cut.brief) / blocks;
    rc = sm_run_both(&both, in, code, lists->brief, lists->longer, blocks, 0, stagger, err);
    *cycles = fmin(*cycles, extrapolate(&both, lists) - stagger * (blocks - 1));
    return rc;
}

/* Of unequal blocks the longest of a few ends alone, which it would not among others that follow: the pace of these. How
 * much longer than a mean block the grid's longest lasts is no matter of one SM (struct imbalance's stretch). */
static int simulate_unequal(double *cycles, double *brief_cycles, const struct sm_input *in,
                            const struct sm_code *code, const struct lists *lists, unsigned blocks,
                            struct err *err)
{
    struct sm_both both = {0};
    const int rc = sm_run_both(&both, in, code, lists->brief, lists->longer, blocks,
                               waves_of(lists->long_ops, in, blocks, AFFORDABLE), 0, err);

    *cycles = extrapolate(&both, lists);
    *brief_cycles = both.brief;
    return rc;
}

/* Where warps wait for phases that copies and other warps end: which iterations meet must not change, so none
 * are left out in between. Of long paths the beginning is simulated, and its second half shows how the rest
 * goes on. */
static int simulate_async(struct sm_cycles *out, const struct sm_input *in, const struct sm_code *code,
                          unsigned blocks, bool waves, struct err *err)
{
    struct sm_list *lists;
    struct sm_part part = {0};
    double each, all;
    int rc = sm_async_lists(&lists, in, AFFORDABLE, &each, err);

    if (!rc)
        rc = sm_run_part(&part, in, code, lists, blocks, AFFORDABLE, err);
    all = each * blocks / (double)in->block_count;
    *out = (struct sm_cycles){.first = part.ran.cycles,
                              .waited = part.ran.waited,
                              .under_way = part.ran.under_way,
                              .storing = part.ran.storing,
                              .lost = part.ran.lost};
    out->copying = part.ran.cycles > 0 ? fmin(part.ran.engine_busy / part.ran.cycles, 1) : 0;
    if (part.whole) { /* of the mean work, whichever of the blocks came first */
        if (part.issued > 0)
            out->first *= all / part.issued;
    } else {
        const double cycles = part.ran.cycles - part.half_cycles, issued = part.issued - part.half;

        out->lost |= !(issued > 0 && cycles > 0) || part.issued < fmin(all, AFFORDABLE) / TELLING;
        if (!out->lost)
            out->first += cycles / issued * fmax(all - part.issued, 0);
        out->waited *= out->first / fmax(part.ran.cycles, 1);
    }
    out->further = out->first;
    if (!rc && waves && part.whole)
        rc = sm_run_wave(&out->further, in, code, lists, blocks, waves_of(each, in, blocks, 2 * AFFORDABLE),
                         part.ran.cycles / blocks, err);
    sm_lists_free(lists, in->emulation->path_count);
    return rc;
}

/* Paths simulated once: to their end, or as far as they are listed, from where on they cost as much on average.
 * Two lists of which one ends early do not differ by whole iterations. */
static int simulate_once(double *cycles, double *brief_cycles, const struct sm_input *in,
                         const struct sm_code *code, const struct lists *lists, unsigned blocks,
                         struct err *err)
{
    struct sm_ran ran = {0};
    int rc;

    if (in->block_count > 1)
        rc = sm_run_wave(&ran.cycles, in, code, lists->longer, blocks,
                         waves_of(lists->long_ops, in, blocks, AFFORDABLE), 0, err);
    else
        rc = sm_run(&ran, in, code, lists->longer, blocks, err);
    *brief_cycles = ran.cycles;
    *cycles = ran.cycles * fmax(lists->all / lists->long_ops, 1);
    return rc;
}

/* Whether they are simulated as they are, and not extrapolated by their iterations. */
static bool takes_once(const struct lists *lists)
{
    return !loops(lists) || lists->ends_early;
}

static int simulate_loops(double *cycles, double *overlap, const struct sm_input *in,
                          const struct sm_code *code, unsigned blocks, bool waves, struct err *err);

static int simulate_one(double *cycles, double *overlap, const struct emulate_block *block, double work,
                        const struct sm_input *in, const struct sm_code *code, unsigned blocks, bool waves,
                        struct err *err)
{
    struct sm_input alone = *in;
    int rc;

    alone.blocks = &block;
    alone.block_count = 1;
    rc = simulate_loops(cycles, overlap, &alone, code, blocks, waves, err);
    *cycles *= work;
    *overlap *= work;
    return rc;
}

/* The time of a simulation with all iterations, and by how much waves overlap. */
static int simulate_loops(double *cycles, double *overlap, const struct sm_input *in,
                          const struct sm_code *code, unsigned blocks, bool waves, struct err *err)
{
    struct lists lists = {0};
    const struct emulate_block *block;
    struct sm_code own;
    double brief_cycles = 0, wave_cycles, work = 1;
    int rc = make_lists(&lists, in, code, blocks, err);

    *overlap = 0;
    block = !rc && in->block_count > 1 && loops(&lists) ? sm_one_for_all(&work, lists.longer, in) : NULL;
    if (block) {
        rc = simulate_one(cycles, overlap, block, work, in, code, blocks, waves, err);
        free_lists(&lists, in->emulation->path_count);
        return rc;
    }
    if (!rc && takes_once(&lists)) {
        own = code_of_waves(code, lists.long_ops, in, blocks);
        code = &own;
        rc = simulate_once(cycles, &brief_cycles, in, code, &lists, blocks, err);
    } else if (!rc && in->block_count > 1) {
        rc = simulate_unequal(cycles, &brief_cycles, in, code, &lists, blocks, err);
    } else if (!rc) {
        rc = simulate_drifting(cycles, &brief_cycles, in, code, &lists, blocks, err);
    }
    /* Of blocks that compete some end before others, and so do their successors, until all begin evenly
     * spread over the time of a wave: recorded starts on an NVIDIA H200 show it from the second wave on. How
     * much waves overlap then matters where loops do not make them long. */
    if (!rc && waves && lists.all < 10 * lists.brief_ops) {
        rc = sm_run_wave(&wave_cycles, in, code, lists.brief, blocks,
                         waves_of(lists.brief_ops, in, blocks, AFFORDABLE), brief_cycles / blocks, err);
        *overlap = brief_cycles - wave_cycles;
    }
    free_lists(&lists, in->emulation->path_count);
    return rc;
}

int sm_simulate(struct sm_cycles *out, const struct sm_input *in, unsigned blocks, bool waves,
                struct err *err)
{
    struct sm_code code = {0};
    double overlap = 0;
    size_t issued = 0;
    int rc = sm_code_init(&code, in, err);

    *out = (struct sm_cycles){0};
    code.issued = &issued;
    if (!rc && sm_async_applies(in)) {
        rc = simulate_async(out, in, &code, blocks, waves, err);
    } else if (!rc) {
        rc = sm_subset_choose(&code.subset, &code, in, blocks, err);
        if (!rc)
            rc = simulate_loops(&out->first, &overlap, in, &code, blocks, waves, err);
        out->further = fmax(out->first - overlap, 0);
    }
    out->issued = issued;
    sm_code_release(&code);
    return rc;
}
