#include "model/memory/tables.h"

#include <math.h>

enum { LINE = 64 };

static bool reads_table(const struct sass *i)
{
    return (i->op == SASS_ULDC || i->op == SASS_LDCU) && i->access_count &&
           i->accesses[0].uniform != SASS_URZ && i->accesses[0].bank < CUBIN_BANKS;
}

struct tables_walkers tables_walkers_of(const struct residency *residency, double drift)
{
    const double blocks = fmin(residency->blocks_per_sm, ceil(residency->blocks / residency->sms));
    const double warps = residency->warps_per_block / residency->partitions;
    const double waves = fmax(residency->blocks / (residency->sms * blocks), 1);

    return (struct tables_walkers){
        .groups = blocks * fmin(warps, 1), .together = fmax(warps, 1), .spread = fmin(drift * waves, 1)};
}

double tables_missed(const struct sass_code *code, const struct cubin_kernel *kernel,
                     const struct traffic *traffic, const struct tables_walkers *walkers, double kept)
{
    double missed = 0;
    size_t i;

    if (walkers->groups <= kept)
        return 0;
    for (i = 0; i < code->count; i++) {
        const struct sass *load = &code->instructions[i];
        double lines;

        if (!reads_table(load) || (i && reads_table(load - 1)))
            continue;
        lines = walkers->spread * (double)kernel->banks[load->accesses[0].bank].size / LINE;
        if (lines > kept)
            missed += traffic->counts[i].issued * (1 - kept / lines);
    }
    /* the warps of a block keep together in part: eight blocks of two warps missed 0.8 times what sixteen of
     * one did */
    return missed / sqrt(walkers->together);
}
