/* What the emulation of a sample of blocks is asked for, and what becomes of the analysis where it does not end. */
#include "model/predict/analyze_work.h"

#include <stdio.h>

enum { SAMPLE_MOST = 16 }; /* thread blocks emulated */

static int emulate_as(struct analyze_work *work, bool skip_constants)
{
    const struct residency *at = &work->out->input.residency;
    const struct emulate_options options = {.mode = EMULATE_SLICED,
                                            .budget =
                                                work->options->budget ? work->options->budget : EXPECT_BUDGET,
                                            .core_limit_s = work->options->core_limit_s,
                                            .wall_limit_s = work->options->wall_limit_s,
                                            .stop = work->options->stop,
                                            .deviations = work->machine->assumptions.sample_deviations,
                                            .resident = (uint64_t)(at->sms * at->blocks_per_sm),
                                            .skip_constants = skip_constants};
    struct analysis *out = work->out;
    struct emulation *emulation = NULL;
    struct err why = {0};
    int rc = emulation_open(&emulation, work->cubin, work->kernel, &out->code, work->launch, &options, &why);

    if (!rc)
        rc = emulate_sample(&out->emulation, emulation, SAMPLE_MOST, &why);
    emulation_close(emulation);
    return analyze_refuse(work, rc, &why);
}

static bool is_emulated(const struct analysis *out)
{
    return out->emulation.end == EMULATE_DONE && out->emulation.block_count;
}

static bool indexes_constants(const struct sass_code *code)
{
    for (size_t i = 0; i < code->count; i++)
        if (sass_indexes_constants(&code->instructions[i]))
            return true;
    return false;
}

/* Where lanes read constant memory is followed where the profile says what that costs, unless that is what cannot be known
 * or takes too long. */
int analyze_emulation(struct analyze_work *work)
{
    struct analysis *out = work->out;
    const bool asked = indexes_constants(&out->code) &&
                       work->machine->capacities.sustained[RESOURCE_CONSTANT_PORT].per_sm > 0;
    int rc = emulate_as(work, !asked);

    if (!rc && asked && !is_emulated(out)) {
        emulate_result_release(&out->emulation);
        rc = emulate_as(work, true);
        out->emulation.placeless = true;
    }
    if (rc)
        return rc;
    if (is_emulated(out))
        return 0;
    snprintf(out->reason, sizeof out->reason, "block %u, %u, %u: %s: %s", out->emulation.position[0],
             out->emulation.position[1], out->emulation.position[2], emulate_end_text(out->emulation.end),
             out->emulation.reason);
    out->at_code = true;
    out->pc = out->emulation.pc;
    return ERR_USAGE;
}
