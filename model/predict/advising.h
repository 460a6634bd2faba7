/* What the files of advice share: each offers what would move a limit. For model/predict/advice*.c. */
#ifndef MODEL_PREDICT_ADVISING_H
#define MODEL_PREDICT_ADVISING_H

#include "model/predict/advice.h"

struct adviser {
    const struct analysis *from;
    const struct machine *machine;
    struct advice *out;
    size_t count;
    struct predict_input input; /* without the replay of all warps, which a remedy would need anew */
    double estimate_s;          /* of it */
};

/* Keeps a remedy if the prediction with it is faster; `work` scales the time where the grid changes too. Null where it is not. */
struct advice *adviser_offer(struct adviser *a, const struct predict_input *changed, double work,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));
/* It is about this instruction; `advice` may be null. */
void adviser_offer_at(struct adviser *a, struct advice *advice, size_t instruction);

const char *adviser_name(const struct adviser *a, size_t instruction);
const struct traffic_count *adviser_count(const struct adviser *a, size_t instruction);
bool adviser_in_shared(const struct adviser *a, size_t instruction); /* it accesses shared memory */

/* Banks of shared memory, constants, coalescing, what L2 and DRAM bring, local memory. */
void advise_banks(struct adviser *a);
void advise_constants(struct adviser *a);
void advise_coalescing(struct adviser *a);
void advise_traffic(struct adviser *a);
void advise_spills(struct adviser *a);

#endif
