/* The claims of Volkov's section 3.10 and the vector add of 3.8, each a comparison of cases of one kernel
 * over many occupancies: measured from a recording, predicted from the machine code. */
#ifndef CLAIMS_CLAIM_H
#define CLAIMS_CLAIM_H

#include "base/err.h"
#include "claims/curve.h"
#include "validation/collect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CLAIM_CASES = 5, CLAIM_SHARES = 3 /* of a peak, for which the needed warps are given */ };

struct claim_case {
    const char *label;
    const char *set;    /* a problem size that makes the case, "shuffled=1"; null: none */
    const char *filter; /* a parameter that does, "FAST_MATH=True"; null: all configurations */
};

struct claim {
    const char *name; /* of the folder and the picture */
    const char *title;
    bool own_peak;          /* each case is asked for its own peak; else all for the lowest of their peaks */
    bool needs_equal_peaks; /* the claim is only made where all cases reach the same throughput */
    bool compares;          /* the second case is claimed to need fewer warps than the first */
    struct claim_case cases[CLAIM_CASES]; /* up to a null label */
};

extern const struct claim claims[];
extern const size_t claim_count;

/* Whether a configuration belongs to the case, as its filter says. */
bool claim_case_fits(const struct claim_case *which, const struct spec *spec, const unsigned *choices);

/* One case, with figures in the unit of the spec's first metric. Warps are resident on an SM. */
struct case_found {
    size_t count; /* of points; the arrays are owned, in one piece of memory that starts at `warps` */
    double *warps, *measured, *predicted;
    struct curve measured_curve, predicted_curve;
    double needed_measured[CLAIM_SHARES], needed_predicted[CLAIM_SHARES]; /* warps; NaN: not reached */
    double needed_bounds; /* latency bound x throughput bound at the highest occupancy (3.10) */
};

struct found {
    const struct claim *claim;
    struct case_found cases[CLAIM_CASES];
    size_t case_count;
    char device[128], date[16], unit[32];
    bool equal_peaks; /* measured, within 5 % */
};

/* `options` gives machine, compiler and jobs; `folder` holds the claims' folders. Release *out in any case. */
int claim_find(struct found *out, const struct claim *claim, const struct collect_options *options,
               const char *folder, struct err *err);
void claim_release(struct found *found);

/* Fills the needed warps of cases with curves, and equal_peaks. */
void claim_compare(struct found *found);

/* Markdown that shows the picture NAME.svg; and that picture into a folder. */
void claim_write(FILE *out, const struct found *found);
int claim_draw(const char *folder, const struct found *found, struct err *err);

#endif
