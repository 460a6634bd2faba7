#include "tuner/cli/predict.h"

#include "space/configuration.h"
#include "tuner/decision/decision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where decisions say how they came about; nothing is run by these. */
static const struct evaluator_type evaluator_predicted = {.name = "predicted"};
static const struct strategy strategy_ranked = {.name = "estimates"};

static struct variant_prediction prediction_of(const struct ranked *row)
{
    struct variant_prediction out = {.told = {.predicted = true,
                                              .bound_s = row->bound_s,
                                              .estimate_s = row->estimate_s,
                                              .limiter = row->limiter,
                                              .unrated = *row->unrated},
                                     .limited_by = row->limited_by,
                                     .latency_hidden = row->latency_hidden,
                                     .bound_limiter = row->limiter,
                                     .needed_warps = row->needed_warps,
                                     .had_warps = row->had_warps,
                                     .confidence = row->confidence,
                                     .interval_low_s = row->interval_low_s,
                                     .interval_high_s = row->interval_high_s};

    snprintf(out.unrated, sizeof out.unrated, "%s", row->unrated);
    return out;
}

static int take_row(struct tuned_variant *out, const struct ranked *row, const struct spec *spec,
                    const struct space *space, struct err *err)
{
    record_init(&out->record);
    out->index = row->index;
    out->weight = row->weight;
    out->choices = calloc(spec->parameter_count, sizeof *out->choices);
    if (!out->choices)
        return err_memory(err);
    space_configuration(out->choices, space, row->index);
    out->prediction = prediction_of(row);
    out->record.outcome = OUTCOME_OK;
    out->record.time_s = NAN;
    out->record.registers = (int)row->registers;
    out->record.blocks_per_sm = (int)row->blocks_per_sm;
    out->record.key = configuration_key(spec, out->choices);
    return out->record.key ? 0 : err_memory(err);
}

static int take_device(struct device *out, const struct device *device, struct err *err)
{
    struct json *json = device_to_json(device);
    struct js_at at = js_root(json, "device");
    int rc = json ? device_from_json(out, &at, err) : err_memory(err);

    js_free(json);
    return rc;
}

int predicted_take(struct tuned *out, const struct ranking *ranking, const struct spec *spec, size_t problem,
                   const struct space *space, const struct machine *machine, const char *nvrtc,
                   struct err *err)
{
    const size_t most = ranking->predicted < TUNE_FINALISTS ? ranking->predicted : TUNE_FINALISTS;
    int rc;

    *out = (struct tuned){.problem = problem,
                          .evaluator = &evaluator_predicted,
                          .strategy = &strategy_ranked,
                          .end = ranking->count < ranking->total ? TUNE_TIME : TUNE_COMPLETE,
                          .tied = most > 0};
    device_init(&out->device);
    record_init(&out->initial.record);
    power_init(&out->power);
    snprintf(out->nvrtc, sizeof out->nvrtc, "%s", nvrtc);
    snprintf(out->profile, sizeof out->profile, "%s", machine->device->name);
    out->counts.valid = space_count(space);
    out->counts.combinations = space_combinations(space);
    out->initial.choices = calloc(spec->parameter_count, sizeof *out->initial.choices);
    out->finalists = calloc(most + 1, sizeof *out->finalists);
    if (!out->initial.choices || !out->finalists)
        return err_memory(err);
    rc = take_device(&out->device, machine->device, err);
    if (!rc)
        rc = space_default(&out->initial.index, space, err);
    if (!rc)
        space_configuration(out->initial.choices, space, out->initial.index);
    for (size_t i = 0; i < most && !rc; i++) {
        out->finalist_count++;
        rc = take_row(&out->finalists[i], &ranking->rows[i], spec, space, err);
    }
    return rc;
}

int predicted_may_replace(const char *path, struct err *err)
{
    struct decision decision;
    int rc = 0;

    if (decision_read(&decision, path, NULL))
        return 0;
    if (strcmp(decision.level, evaluator_predicted.name))
        rc = err_set(err, ERR_USAGE, "--output: %s: holds times that were measured: write to another file",
                     path);
    decision_release(&decision);
    return rc;
}
