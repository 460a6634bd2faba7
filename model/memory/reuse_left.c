#include "model/memory/reuse_left.h"

#include "model/machine/assumptions.h"
#include "model/sass/arch/geometry.h"

#include <math.h>

static const double GONE =
    1.7; /* times what L2 holds of data that it copies: of so much in order nothing is left */

double reuse_kept_l2(const struct traffic_caches *caches, double first, double bytes)
{
    const double kept = reuse_regions_kept(bytes, caches->l2_holds);

    return kept - first * fmax(kept - exp2(-bytes / caches->l2_evict_first), 0);
}

double reuse_copied(const struct reuse_region *reuse_region, double blocks)
{
    const double read = reuse_region->read.own * SECTOR * blocks;
    const double readers = fmax(read / fmax(reuse_region->unique, 1), 1);

    return reuse_region->unique * (1 - exp2(-readers)) + reuse_region->unique_written / 2;
}

bool reuse_held_whole(const struct traffic_caches *caches, double bytes)
{
    return bytes < caches->assumed->held_whole * fmax(caches->l2_holds_once, caches->l2_holds);
}

/* DRAM counters of an NVIDIA H200, whose L2 has 63 MB: of what one block each reads or writes 33 MB hit, and nothing of 53, whether all
 * blocks are resident at once or not; of what 16 blocks read, 25 and 37; of what all SMs read, 29. */
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
    gone = copied * GONE * caches->l2_holds + (1 - copied) * caches->l2_bytes;
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
