/* The prediction: bounds, needed occupancy and estimate merged (Volkov, 3.5 to 3.10).
 *
 * A pure function of plain structs. Whoever counts (traffic), replays (latency), knows the launch (occupancy)
 * and the GPU (device profile) fills them; tests write them as literals. */
#ifndef MODEL_PREDICT_H
#define MODEL_PREDICT_H

#include "base/err.h"
#include "model/machine/assumption.h"
#include "model/machine/capacities.h"
#include "model/machine/residency.h"
#include "model/machine/saturation.h"
#include "model/predict/limit.h"

#include <stdbool.h>
#include <stddef.h>

enum { PREDICT_LEVELS = 4 };

/* The latency bound, from replay. */
struct latency {
    double bound_cycles; /* mean over warps: to the end of the block's last warp, and replacing the block */
    size_t levels;       /* memory levels with a loaded-latency curve, at most PREDICT_LEVELS */
    struct {
        enum resource resource;    /* whose use loads it: RESOURCE_DRAM_READ, _L2, _SHARED */
        double cycles;             /* the part of bound_cycles spent waiting for it */
        struct saturation_mix mix; /* its curves are borrowed */
    } level[PREDICT_LEVELS];
    double stretch;        /* struct imbalance, or 1 */
    double longest_cycles; /* of the block that takes longest by itself; 0: not known */
    double last_cycles;    /* that a block goes on alone which comes last of all; 0: none does */
};

/* All resident warps replayed together (model/sm/simulate.h), where somebody did: 0 leaves it out. The bounds
 * know neither that warps meet at barriers nor that they come to a pipe at the same time; this does, but not
 * how latency grows with load. The estimate is the longer of the two. */
struct simulated {
    double wave_cycles; /* by which a full wave prolongs the run */
    double all_cycles;  /* from the first block's start to the last one's end */
};

struct predict_input {
    struct demand demand;
    struct capacities capacities;
    struct residency residency;
    struct latency latency;
    struct simulated simulated;
    double tensor_cycles; /* of a sub-partition's tensor pipe, for a warp's products at their best rates */
    double warp_tensor_cycles; /* of them, for products of single warps, not of warp groups */
    double instructions;       /* that a warp executes; 0: one for each slot of its issue demand */
    double work_error;         /* relative, of the instructions or accesses counted, the larger; 0: none */
    double known_share;        /* of the executed instructions, as struct demands has it; 0 to 1 */
    unsigned assumptions;      /* enum predict_assumption, or-ed */
    bool unrated; /* something executed has no rate (model/predict/unrated.h): the estimate leaves it out */
};

struct prediction {
    double bound_s;    /* hard: no run can be faster, as long as the best capacities are the best */
    double estimate_s; /* expected, launch cost included */
    double launch_s;   /* the part of it that is launch cost */
    double longest_s;  /* that one block takes by itself, where all others are done before; else 0 */
    double interval_low_s, interval_high_s; /* holds 80 % of measurements; interval_find() sets it, or leaves
                                               0 where nothing is known of the time */

    struct throughput at_best;      /* cycles per warp and resource behind the bound */
    struct throughput at_sustained; /* the same behind the estimate, with all SMs busy and a full SM */
    enum resource bound_limiter;    /* tightest in the bound */
    enum resource limiter;          /* tightest in the estimate */
    enum limited_by limited_by;     /* what a message calls the limit */
    bool latency_hidden;            /* a throughput limit is attained, at least to 95 % (3.9) */

    double latency_cycles;  /* of a mean warp, unloaded */
    double loaded_cycles;   /* the same under the predicted load, by Little's law over a full SM */
    double warps_per_cycle; /* per SM while it is full */
    double needed_warps;    /* latency bound x throughput bound (3.10); may exceed what fits */
    double had_warps;       /* resident on an SM while it is full, fewer when the grid is small */
    double waves;           /* the last, partial one counted whole */

    /* Shares of a scheduler's cycles, sum 1 (3.9). Waiting for the dispatcher's next block is latency. */
    double issued;            /* an instruction issued */
    double stalled_bandwidth; /* none did: looser throughput limits would help */
    double stalled_latency;   /* none did: shorter latencies or more warps would help */

    double clock_hz;     /* of the estimate: less than sustained where tensor cores work */
    bool power_limited;  /* the power limit makes it still lower */
    double tensor_share; /* of the estimate, that they take at their best */

    double confidence; /* 0 to 1: known_share x how surely the work was counted x how well the estimate's two
                          ways, by bounds and by replay of all warps, agree x how far from full together its
                          bottlenecks are x how far from the corner where latency and throughput weigh the
                          same x how little of the time caches and DRAM take. It ranks, no more */
    unsigned assumptions; /* as given */
};

/* Predicts. ERR_MISSING names a resource that the kernel asks for and the profile has no sustained capacity
 * for; ERR_USAGE names an input out of its range. On failure *out is all zero. */
int predict(struct prediction *out, const struct predict_input *in, struct err *err);

/* The SM clock of such a prediction, by the bounds alone where nothing was simulated; the input is in its range. */
double predict_clock(const struct predict_input *in);
/* Likewise the SM cycles that the bounds alone ask for. */
double predict_bounds(const struct predict_input *in);

#endif
