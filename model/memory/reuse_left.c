#include "model/memory/reuse_left.h"

#include "model/machine/assumptions.h"
#include "model/sass/arch/geometry.h"

#include <math.h>

double reuse_kept_l2(const struct traffic_caches *caches, double first, double bytes)
{
    const double kept = reuse_regions_kept(bytes, caches->l2_holds);

    return kept - first * fmax(kept - exp2(-bytes / caches->l2_evict_first), 0);
}

double reuse_copied(const struct reuse_region *reuse_region, double blocks)
{
    const double readers = reuse_region->read.own * SECTOR * blocks / fmax(reuse_region->unique, 1);

    return reuse_region->unique * (1 - exp2(1 - fmax(readers, 1)));
}

bool reuse_held_whole(const struct traffic_caches *caches, double bytes)
{
    return bytes < caches->assumed->held_whole * fmax(caches->l2_holds_once, caches->l2_holds);
}

/* DRAM counters of an NVIDIA H200, whose L2 has 63 MB: of data of one SM each 46 MB hit whole and nothing at its size;
 * of data of all SMs 29 MB, and nothing at twice that. */
double reuse_left(const struct reuse_regions *reuse_regions)
{
    const struct traffic_caches *caches = reuse_regions->caches;
    const double touched = reuse_regions->touched, copied = reuse_regions->copied / fmax(touched, 1);
    double holds, gone;

    if (!caches->warm)
        return 0;
    if (!(caches->l2_holds_once > caches->l2_holds))
        return reuse_regions_kept(touched, caches->l2_holds);
    holds = copied * caches->l2_holds + (1 - copied) * caches->l2_holds_once;
    gone = copied * 2 * caches->l2_holds + (1 - copied) * caches->l2_bytes;
    return touched > holds ? fmax((gone - touched) / (gone - holds), 0) : 1;
}

/* Where launches follow each other, L2 writes again what it still holds of the last. The same counters: of what is
 * written alone it holds 25 MB, and nothing of 46 MB; 21 MB beside as many that are read. */
double reuse_written_back(const struct reuse_regions *reuse_regions)
{
    const struct traffic_caches *caches = reuse_regions->caches;
    const double written = reuse_regions->unique_written, all = reuse_regions->unique_read + written;

    if (!caches->warm)
        return 1 - reuse_regions_kept(all, caches->l2_holds);
    return 1 - fmin(reuse_regions_kept(written, caches->l2_holds), reuse_regions->left);
}
