/* What shared memory leaves of L1.
 *
 * Isolates: the random chase of far.c by one SM, with shared memory set to each size the SM knows: a block
 * takes all of it, so the rest of the unified memory is L1's. The largest footprint that still hits is looked
 * for by halving.
 *
 * Unit: bytes.
 *
 * Expected: unified memory less the carve-out, less a little that the system keeps.
 *
 * Profile: curve l1_carveout. */
#include "micro/chase.h"
#include "micro/micro.h"
#include "model/sass/arch/geometry.h"

enum { STEP = 2048 };

/* Whether so many bytes stay in L1. */
static int hits(bool *out, const struct micro *micro, uint64_t carveout, uint64_t bytes, struct err *err)
{
    const struct device_limits *limits = &micro->device->limits;
    const unsigned count = (unsigned)(bytes / LINE);
    const struct chase chase = {.load = CHASE_CA,
                                .blocks = 1,
                                .count = count,
                                .spacing = LINE,
                                .warm = 2 * count,
                                .shared = (unsigned)(carveout - limits->shared_reserved),
                                .carveout = (int)(100 * carveout / limits->shared_per_sm)};
    double cycles;
    const int rc = chase_run(&cycles, NULL, micro, &chase, err);

    *out = rc == 0 && cycles <= 1.05 * micro->device->values[DEVICE_L1_LATENCY].sustained;
    return rc;
}

static int largest(double *out, const struct micro *micro, uint64_t carveout, struct err *err)
{
    uint64_t fits = 0, exceeds = micro->device->limits.unified_bytes / STEP + 1;
    int rc = 0;

    while (rc == 0 && exceeds - fits > 1) {
        const uint64_t middle = (fits + exceeds) / 2;
        bool good;

        rc = hits(&good, micro, carveout, middle * STEP, err);
        *(good ? &fits : &exceeds) = middle;
    }
    *out = (double)(fits * STEP);
    return rc;
}

static int l1_carveout(const struct micro *micro, struct err *err)
{
    const struct device_limits *limits = &micro->device->limits;
    double x[DEVICE_CARVEOUTS], y[DEVICE_CARVEOUTS];
    size_t count = 0;
    int rc = 0;

    if (!micro->device->values[DEVICE_L1_LATENCY].known)
        return err_set(err, ERR_FORMAT, "without l1_latency nobody knows what a hit is");
    for (size_t i = 0; rc == 0 && i < limits->carveout_count; i++) {
        if (limits->carveouts[i] <= limits->shared_reserved)
            continue; /* no block has so little */
        x[count] = (double)limits->carveouts[i];
        rc = largest(&y[count++], micro, limits->carveouts[i], err);
    }
    return rc ? rc
              : device_curve_set(&micro->device->curves[DEVICE_CURVE_L1_CARVEOUT], x, y, count, "carveout",
                                 err);
}

int micro_carveout(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"l1_carveout", l1_carveout, false}};

    return micro_parts(micro, parts, 1, err);
}
