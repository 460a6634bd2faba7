#include "model/sm/one_for_all.h"

#include <math.h>

/* Times the work of another block, below which it does as much; times the share of its instructions in the lists, above which
 * it was cut unlike it. */
static const double AS_MUCH = 1.25, CUT_UNLIKE = 1.5;

/* Instructions of a block's warps: with every iteration, and in the longer lists. */
struct block_ops {
    double all, listed;
};

static struct block_ops block_ops_of(const struct emulate_block *block, const struct sm_list *lists)
{
    struct block_ops out = {0};

    for (unsigned w = 0; w < block->warps; w++) {
        out.all += lists[block->paths[w]].all;
        out.listed += (double)lists[block->paths[w]].count;
    }
    return out;
}

const struct emulate_block *sm_one_for_all(double *work, const struct sm_list *lists,
                                           const struct sm_input *in)
{
    const struct emulate_block *out = NULL;
    double least = INFINITY, most = 0, sum = 0, least_listed = INFINITY, most_listed = 0, own = 1;

    for (size_t b = 0; b < in->block_count; b++) {
        const struct block_ops ops = block_ops_of(in->blocks[b], lists);
        const double listed = ops.listed / ops.all;

        least = fmin(least, ops.all);
        most = fmax(most, ops.all);
        sum += ops.all;
        most_listed = fmax(most_listed, listed);
        if (listed < least_listed) {
            least_listed = listed;
            own = ops.all;
            out = in->blocks[b];
        }
    }
    *work = sum / (double)in->block_count / own;
    return most < AS_MUCH * least && most_listed > CUT_UNLIKE * least_listed ? out : NULL;
}
