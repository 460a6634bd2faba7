#include "tuner/predict/rank_variant.h"

#include "base/clock.h"
#include "model/emulate/parameters.h"
#include "tuner/predict/predictor.h"
#include "tuner/predict/request.h"

#include <string.h>

enum { COMPILE_DEADLINE_S = 120 };

static int reject(struct ranked *out, enum outcome outcome, const char *reason, struct err *err)
{
    out->outcome = outcome;
    out->reason = strdup(reason ? reason : outcome_text(outcome));
    return out->reason ? 0 : err_memory(err);
}

static void take_prediction(struct ranked *out, const struct analysis *from)
{
    const struct prediction *p = &from->prediction;

    out->predicted = true;
    out->estimate_s = p->estimate_s;
    out->bound_s = p->bound_s;
    out->assumptions = p->assumptions;
    out->bound_proved = !(p->assumptions & PREDICT_BOUND_NOT_PROVED);
    out->needed_warps = p->needed_warps;
    out->had_warps = p->had_warps;
    out->confidence = p->confidence;
    out->interval_low_s = p->interval_low_s;
    out->interval_high_s = p->interval_high_s;
    unrated_names(out->unrated, sizeof out->unrated, &from->demands.unrated);
    out->limiter = p->limiter;
    out->limited_by = p->limited_by;
    out->latency_hidden = p->latency_hidden;
}

static int predict_code(struct ranked *out, struct analysis *analysis, const struct ranking_options *options,
                        const atomic_bool *halt, const struct compile_result *compiled, struct launch *launch,
                        struct err *err)
{
    const struct analyze_options how = {
        .warm = !options->spec->cold,
        .account = options->account,
        .core_limit_s = PREDICTION_CORE_S,
        .wall_limit_s = PREDICTION_WALL_S,
        .stop = halt,
    };
    const double begin = clock_core_s();
    const struct cubin_kernel *kernel;
    struct cubin cubin;
    char reason[256];
    int rc = cubin_init(&cubin, compiled->cubin, compiled->cubin_bytes, "compiled code", err);

    if (rc)
        return rc;
    rc = cubin_find(&kernel, &cubin, compiled->entry, err);
    if (!rc && !parameters_fit(reason, sizeof reason, kernel, launch)) {
        cubin_release(&cubin);
        return reject(out, OUTCOME_LIMITS, reason, err);
    }
    if (!rc)
        rc = launch_prepare(launch, err);
    if (!rc)
        rc = analyze(analysis, options->machine, &cubin, kernel, launch, &how, err);
    if (!rc) {
        out->registers = kernel->resources.registers;
        out->blocks_per_sm = analysis->occupancy.blocks;
        out->predict_s = clock_core_s() - begin;
        if (analysis->predicted)
            take_prediction(out, analysis);
        else
            rc = reject(out, analysis->occupancy.blocks ? OUTCOME_OK : OUTCOME_LIMITS, analysis->reason, err);
    }
    cubin_release(&cubin);
    return rc;
}

int rank_variant(struct ranked *out, struct analysis *analysis, const struct ranking_options *options,
                 const atomic_bool *halt, struct variant *variant, struct err *err)
{
    const struct device *device = options->machine->device;
    struct compile_result compiled = {0};
    struct compile_request request;
    char arch[16], reason[512];
    int rc;

    out->weight = options->spec->objective.energy ? 1 : variant->weight; /* energies are not predicted */
    if (variant->outcome != OUTCOME_OK)
        return reject(out, variant->outcome, variant->message, err);
    if (!device_can_launch(reason, sizeof reason, device->sm, &variant->launch) ||
        !occupancy_launchable(reason, sizeof reason, &device->limits, &variant->launch, NULL))
        return reject(out, OUTCOME_LIMITS, reason, err);
    device_target(arch, device->sm);
    request = request_of(variant, arch, COMPILE_DEADLINE_S);
    rc = compile_cubin(&compiled, options->compiler, &request, err);
    out->compile_s = compiled.compile_s;
    if (!rc && compiled.outcome != OUTCOME_OK)
        rc = reject(out, compiled.outcome, compiled.diagnostic, err);
    else if (!rc)
        rc = predict_code(out, analysis, options, halt, &compiled, &variant->launch, err);
    compile_result_release(&compiled);
    return rc;
}
