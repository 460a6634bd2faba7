/* Energy: what is known of the GPU's power, what a configuration is worth by what was measured, and which are best in time
 * or energy. The model predicts times only. */
#include "tuner/tune/tuning.h"

#include "tuner/journal/metadata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Long enough for a dozen changes of the counter, and for what was done before to be over. */
static const double idle_s = 1.5;
/* Until the power limit is known: about that of a large board. */
static const double usual_limit_w = 400;

bool energy_wanted(const struct tuning *tuning)
{
    return tuning->out->evaluator->measures ? tuning->spec->energy : tuning->spec->objective.energy;
}

/* Before anything runs. NVML that is missing ends a run only where energies are needed. */
int energy_live(struct tuning *tuning, struct err *err)
{
    const struct environment *environment = tuning->environment;

    power_init(&tuning->out->power);
    if (!tuning->spec->energy || !environment->worker_count)
        return 0;
    if (!worker_power(&tuning->out->power, environment->workers[0], idle_s, err))
        return 0;
    err_prefix(err, "energies cannot be measured");
    return err ? err->code : ERR_MISSING;
}

/* When the run is over: power limit and clocks are told of every run, if they can be had. */
void energy_end(struct tuning *tuning)
{
    const struct environment *environment = tuning->environment;

    if (tuning->out->evaluator->measures && environment->worker_count && !power_known(&tuning->out->power))
        worker_power(&tuning->out->power, environment->workers[0], 0, NULL);
}

static bool has_energies(const struct journal *journal)
{
    for (size_t i = 0; i < journal_count(journal); i++)
        if (journal_record(journal, i)->energy_j > 0)
            return true;
    return false;
}

int energy_recorded(struct tuning *tuning, struct err *err)
{
    metadata_power(&tuning->out->power, tuning->journal);
    if (!tuning->spec->objective.energy || has_energies(tuning->journal))
        return 0;
    return err_set(
        err, ERR_USAGE,
        "%s: holds no energies, which the objective \"%s\" depends on: measure on a GPU, or tune for time",
        journal_path(tuning->journal), expr_text(tuning->spec->objective.value));
}

bool energy_lacks(const struct tuning *tuning, const struct record *record)
{
    return energy_wanted(tuning) && record->outcome == OUTCOME_OK && !(record->energy_j > 0);
}

/* What an estimate of the time is worth, if the variant draws the power limit: the search, which learns by what factor
 * estimates are off, is told that. */
int energy_expect(struct tuning *tuning, struct candidate *candidate, struct search_prediction *told,
                  struct err *err)
{
    const double limit_w = tuning->out->power.limit_w;
    const double power_w = limit_w > 0 ? limit_w : usual_limit_w;
    struct err why = {0};
    int rc = 0;

    if (!tuning->spec->objective.energy || !told->predicted)
        return 0;
    told->likely = true; /* a bound of the time is none of the energy */
    rc = spec_measured_weight(&candidate->weight, tuning->spec, tuning->problem, candidate->choices,
                              (struct spec_measured){told->estimate_s, power_w * told->estimate_s}, &why);
    if (rc == ERR_MEMORY)
        return err_memory(err);
    told->predicted = !rc; /* an objective without a value there expects nothing */
    return 0;
}

/* A configuration without an objective cannot be compared with others. */
int energy_weigh(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    struct record *record = &candidate->record;
    struct err why = {0};
    char text[sizeof why.text + 16];
    int rc;

    if (!tuning->spec->objective.energy || !isfinite(record->time_s))
        return 0;
    rc = spec_measured_weight(&candidate->weight, tuning->spec, tuning->problem, candidate->choices,
                              record_measured(record), &why);
    if (!rc)
        return 0;
    if (rc == ERR_MEMORY)
        return err_memory(err);
    record->outcome = OUTCOME_CONSTRAINT;
    snprintf(text, sizeof text, "objective: %s", why.text);
    return record_explain(record, text, err);
}

/* The front ---------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct record *x = &(*(struct candidate *const *)a)->record,
                        *y = &(*(struct candidate *const *)b)->record;

    if (x->time_s != y->time_s)
        return x->time_s < y->time_s ? -1 : 1;
    return (x->energy_j > y->energy_j) - (x->energy_j < y->energy_j);
}

/* Leaves those that no other beats in time and energy, fastest first; how many. */
static size_t keep_front(struct candidate **all, size_t n)
{
    double least_j = INFINITY;
    size_t i, kept = 0;

    qsort(all, n, sizeof *all, by_time);
    for (i = 0; i < n; i++)
        if (all[i]->record.energy_j < least_j) {
            least_j = all[i]->record.energy_j;
            all[kept++] = all[i];
        }
    return kept;
}

int energy_front(struct tuning *tuning, struct err *err)
{
    struct candidate **all = malloc((tuning->candidate_count + 1) * sizeof *all);
    size_t i, n = 0;
    int rc = 0;

    if (!all)
        return err_memory(err);
    for (i = 0; i < tuning->candidate_count; i++) {
        const struct record *record = &tuning->candidates[i]->record;

        if (tuning->candidates[i]->settled && record->outcome == OUTCOME_OK && record->energy_j > 0)
            all[n++] = tuning->candidates[i];
    }
    n = keep_front(all, n);
    tuning->out->front = calloc(n + 1, sizeof *tuning->out->front);
    if (!tuning->out->front)
        rc = err_memory(err);
    for (i = 0; i < n && !rc; i++) {
        rc = candidate_copy(&tuning->out->front[i], tuning, all[i], err);
        tuning->out->front_count = i + 1;
    }
    free(all);
    return rc;
}
