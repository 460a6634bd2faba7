#include "validation/counts.h"

#include "base/stats.h"
#include "validation/program.h"

#include <math.h>
#include <stdlib.h>

static double unit_of(enum counter counter)
{
    return counter_is_share(counter) ? 1 : 100;
}

/* One line per counter; `errors` holds all variants. */
static void put_counter(FILE *out, const struct counted_set *set, enum counter counter, double *errors)
{
    const double unit = unit_of(counter);
    size_t i, n = 0, within = 0;

    for (i = 0; i < set->count; i++) {
        const double error = fabs(counts_error(&set->items[i], counter));

        if (!set->items[i].counts || isnan(error))
            continue;
        within += error <= counter_tolerance(counter);
        errors[n++] = error;
    }
    if (!n)
        return;
    fprintf(out, "| %s | %.3g%s | %zu of %zu | %.2f | %.2f | %.2f |\n", counter_text(counter),
            unit * counter_tolerance(counter), counter_is_share(counter) ? " points" : " %", within,
            set->count, unit * stats_median(errors, n), unit * stats_quantile(errors, n, 0.9),
            unit * stats_quantile(errors, n, 1));
}

static void put_variant(FILE *out, const struct counted_set *set, const struct counted *item)
{
    fprintf(out, "| %s | %s |", item->kernel, item->configuration);
    if (!item->counts) {
        fprintf(out, " no counts: %s |\n", item->reason);
        return;
    }
    for (int c = 0; c < COUNTER_COUNT; c++) {
        const double error = counts_error(item, (enum counter)c);
        const char *mark = fabs(error) <= counter_tolerance((enum counter)c) ? "" : "**";

        if (!set->has[c])
            continue;
        if (isnan(error))
            fprintf(out, " %.4g for 0 |", item->model[c]);
        else
            fprintf(out, " %s%+.2f%s |", mark, unit_of((enum counter)c) * error, mark);
    }
    fprintf(out, "\n");
}

int counts_write(FILE *out, const struct counted_set *set, const char *notes, struct err *err)
{
    double *errors = calloc(set->count, sizeof *errors);

    if (!errors)
        return err_memory(err);
    fprintf(out, "# Counted against hardware counters\n\n"
                 "| counter | tolerance | within it | median error | 9 of 10 below | worst |\n"
                 "|---|---:|---:|---:|---:|---:|\n");
    for (int c = 0; c < COUNTER_COUNT; c++)
        if (set->has[c])
            put_counter(out, set, (enum counter)c, errors);
    free(errors);
    fprintf(out, "\nModel over hardware in per cent, occupancy and issuing in points; bold is beyond the "
                 "tolerance.\n\n| kernel | configuration |");
    for (int c = 0; c < COUNTER_COUNT; c++)
        if (set->has[c])
            fprintf(out, " %s |", counter_text((enum counter)c));
    fprintf(out, "\n|---|---|");
    for (int c = 0; c < COUNTER_COUNT; c++)
        if (set->has[c])
            fprintf(out, "---:|");
    fprintf(out, "\n");
    for (size_t i = 0; i < set->count; i++)
        put_variant(out, set, &set->items[i]);
    return program_put_notes(out, notes, err);
}
