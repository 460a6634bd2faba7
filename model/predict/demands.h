/* From traffic to demand: what the mean warp asks of every resource of an SM. */
#ifndef MODEL_DEMANDS_H
#define MODEL_DEMANDS_H

#include "model/machine/machine.h"
#include "model/sass/sass.h"
#include "model/machine/throughput.h"
#include "model/memory/traffic.h"
#include "model/predict/unrated.h"

struct demands {
    struct demand demand;
    double issued;             /* warp instructions of a warp */
    double tensor_cycles;      /* of the tensor pipes, for products at their best rates */
    double warp_tensor_cycles; /* of them, for products of single warps */
    double known_share;        /* of `issued`: class known, latency in the code or measured here; 0 to 1 */
    unsigned assumptions;      /* enum predict_assumption, or-ed */
    struct unrated unrated;
};

/* `code` and `traffic` belong together. */
void demands_of(struct demands *out, const struct machine *machine, const struct sass_code *code,
                const struct traffic *traffic);

#endif
