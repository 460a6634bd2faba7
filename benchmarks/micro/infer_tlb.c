#include "micro/infer.h"

#include <math.h>
#include <stdio.h>

static const double SAME = 0.03; /* latencies this near, as a share, are one plateau */

static double largest(const double *values, size_t n)
{
    double most = values[0];
    size_t i;

    for (i = 1; i < n; i++)
        most = fmax(most, values[i]);
    return most;
}

static double smallest(const double *values, size_t n)
{
    double least = values[0];
    size_t i;

    for (i = 1; i < n; i++)
        least = fmin(least, values[i]);
    return least;
}

/* First index from which on all values are above `limit`; n if none. */
static size_t above_from(const double *values, size_t n, double limit)
{
    size_t i = n;

    while (i > 0 && values[i - 1] > limit)
        i--;
    return i;
}

static int check(const struct infer_tlb_strides *strides, struct err *err)
{
    size_t i;

    if (strides->n < 3 || !(strides->elements >= 1))
        return err_set(err, ERR_USAGE, "%zu strides with %g elements: three or more are needed", strides->n,
                       strides->elements);
    for (i = 0; i < strides->n; i++)
        if (!(strides->stride[i] > (i ? strides->stride[i - 1] : 0) && strides->fits[i] > 0 &&
              strides->spills[i] > 0))
            return err_set(err, ERR_USAGE,
                           "stride %zu (%g bytes): strides must ascend, latencies be positive", i,
                           strides->stride[i]);
    return 0;
}

int infer_tlb_of(struct infer_tlb *out, const struct infer_tlb_strides *strides, struct err *err)
{
    size_t misses, meets;
    double worst;

    *out = (struct infer_tlb){0};
    if (check(strides, err))
        return ERR_USAGE;
    out->hit = smallest(strides->fits, strides->n);
    worst = largest(strides->spills, strides->n);
    misses = above_from(strides->spills, strides->n, out->hit * (1 + SAME));
    if (largest(strides->fits, strides->n) > out->hit * (1 + SAME)) {
        snprintf(
            out->why, sizeof out->why,
            "entries not inferable, because %g elements miss at some strides: more than there are, or sets",
            strides->elements);
        return 0;
    }
    if (misses == 0 || misses == strides->n) {
        snprintf(out->why, sizeof out->why,
                 "entries not inferable, because %g elements %s at every stride measured",
                 strides->elements + 1, misses ? "hit" : "miss");
        return 0;
    }
    out->entries = strides->elements;
    out->entry_bytes = strides->stride[misses];
    out->reach = out->entries * out->entry_bytes;
    out->miss = strides->spills[misses];
    meets = above_from(strides->spills, strides->n, worst * (1 - SAME));
    if (worst > out->miss * (1 + SAME)) {
        out->next_way_bytes = strides->stride[meets];
        out->beyond = worst;
    }
    return 0;
}

double infer_tlb_entry(const double *offset, const double *cycles, size_t n, char *why)
{
    size_t i = n;
    double middle;

    why[0] = 0;
    if (n < 2) {
        snprintf(why, 200, "entry not inferable, because %zu offsets show no change", n);
        return 0;
    }
    middle = (smallest(cycles, n) + largest(cycles, n)) / 2;
    while (i > 0 && cycles[i - 1] < middle)
        i--;
    if (largest(cycles, n) <= smallest(cycles, n) * (1 + SAME))
        snprintf(why, 200, "entry not inferable, because the offset makes no difference: nothing conflicts");
    else if (i == 0 || i == n)
        snprintf(why, 200, "entry not inferable, because latency does not fall as the offset grows");
    else
        return offset[i];
    return 0;
}
