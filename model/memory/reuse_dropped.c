#include "model/memory/reuse_dropped.h"

#include "model/sass/arch/geometry.h"

#include <math.h>

static bool drops(const struct sass *i)
{
    return i->op == SASS_CCTL && i->mod[SASS_MOD_VARIANT] == SASS_CCTL_IVALL;
}

/* Whether some branch back goes round both. */
static bool share_loop(const struct sass_code *code, size_t a, size_t b)
{
    const size_t first = a < b ? a : b, last = a < b ? b : a;

    for (size_t k = last; k < code->count; k++) {
        const struct sass *branch = &code->instructions[k];

        if (branch->op == SASS_BRA && branch->has_target && branch->target <= (int64_t)(first * SASS_BYTES))
            return true;
    }
    return false;
}

/* How often the instruction comes to a sector, which others may have brought before: once each time it is issued then. */
static double comes_to(const struct traffic_count *count)
{
    return fmin(count->own > 0 ? count->sectors_once / count->own : INFINITY, count->issued);
}

double reuse_dropped(const struct reuse *reuse, size_t i)
{
    const struct traffic_count *counts = reuse->out->counts;
    const double comes = comes_to(&counts[i]);
    double times = 0;

    for (size_t c = 0; c < reuse->code->count; c++)
        if (drops(&reuse->code->instructions[c]) && counts[c].issued > 0 && share_loop(reuse->code, i, c))
            times += counts[c].issued;
    return comes > 0 ? fmin(times * reuse->caches->resident_blocks / comes, 1) : 0;
}
