#include "tuner/tune/tune.h"

#include "base/clock.h"
#include "tuner/drive/drive.h"
#include "tuner/tune/tuning.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tune_end_text(enum tune_end end)
{
    static const char *const texts[] = {[TUNE_COMPLETE] = "complete",
                                        [TUNE_TIME] = "time budget",
                                        [TUNE_TRIALS] = "trial budget",
                                        [TUNE_INTERRUPTED] = "interrupted"};

    return texts[end];
}

void tuning_message(const struct tuning *tuning, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (!tuning->options->message)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tuning->options->message(tuning->options->context, text);
}

/* A run of one configuration is a search in a space of one. */
void tuning_choices(unsigned *choices, const struct tuning *tuning, uint64_t index)
{
    if (tuning->options->only)
        memcpy(choices, tuning->options->only, tuning->spec->parameter_count * sizeof *choices);
    else
        space_configuration(choices, tuning->space, index);
}

/* The loop ----------------------------------------------------------------- */

static void report(const struct tuning *tuning, bool finals)
{
    const struct tune_options *options = tuning->options;
    const struct tune_counts *counts = &tuning->out->counts;
    char sizes[256];
    struct tune_progress progress = {.kernel = tuning->spec->kernel.name,
                                     .problem = sizes,
                                     .device = tuning->out->device.name,
                                     .kind = tuning->environment->kind,
                                     .finals = finals};

    if (!options->progress)
        return;
    spec_problem_text(sizes, sizeof sizes, tuning->spec, tuning->problem);
    for (size_t i = 0; i < OUTCOME_COUNT; i++)
        progress.done += counts->outcomes[i];
    progress.timed = counts->outcomes[OUTCOME_OK];
    progress.total = counts->valid;
    if (options->trials && options->trials < counts->valid) {
        progress.total = options->trials;
        progress.done = progress.timed + tuning->failed < progress.total ? progress.timed + tuning->failed
                                                                         : progress.total;
    } else if (!tuning->out->strategy->knows_total) {
        progress.total = 0;
        progress.done = progress.timed + tuning->failed;
    }
    progress.failed = tuning->failed;
    progress.fleet = tuning->environment->fleet;
    progress.compiled = counts->compiled - counts->cached;
    progress.tried = counts->timed + counts->audited;
    progress.best_s = tuning->best ? tuning->best->record.time_s : NAN;
    progress.now_s = evaluator_now_s(tuning->evaluator);
    progress.left_s = NAN;
    if (progress.done && progress.total)
        progress.left_s = progress.now_s / (double)progress.done * (double)(progress.total - progress.done);
    if (options->time_s > 0 && !(progress.left_s < options->time_s - progress.now_s))
        progress.left_s = fmax(0, options->time_s - progress.now_s);
    options->progress(options->context, &progress);
}

/* True when nothing new is to be started: the user or the clock says so. */
static bool is_over(void *context)
{
    struct tuning *tuning = context;
    const struct tune_options *options = tuning->options;

    if (tuning_stopped(tuning))
        tuning->out->end = TUNE_INTERRUPTED;
    else if (options->time_s > 0 && evaluator_now_s(tuning->evaluator) >= options->time_s)
        tuning->out->end = TUNE_TIME;
    return tuning->out->end != TUNE_COMPLETE;
}

static int finish(void *context, struct evaluator_job *job, struct err *err)
{
    struct tuning *tuning = context;
    struct candidate *candidate;

    if (job == &tuning->reference_job)
        return reference_compiled(tuning, err);
    if (job->err.code)
        return err_set(err, (enum err_code)job->err.code, "%s", job->err.text);
    candidate = ((struct candidate_work *)((char *)job - offsetof(struct candidate_work, job)))->candidate;
    if (job->kind == EVALUATOR_COMPILE)
        return candidate_compiled(tuning, candidate, err);
    return candidate_measured(tuning, candidate, err);
}

static int tick(void *context, struct err *err)
{
    static const double report_s = 0.05;
    struct tuning *tuning = context;
    const double now_s = clock_wall_s();

    if (now_s >= tuning->next_report_s) {
        report(tuning, false);
        tuning->next_report_s = now_s + report_s;
    }
    return tuning_show(tuning, NULL, false, err);
}

static int start_compile(void *context, uint64_t index, struct err *err)
{
    return candidate_compile(context, index, err);
}

static int start_trial(void *context, uint64_t index, bool audit, struct err *err)
{
    return candidate_time(context, index, audit, err);
}

/* What is still compiled is not waited for; a reference among it is compiled again if it is needed after all. */
static void give_up_compiling(struct tuning *tuning)
{
    evaluator_give_up_compiling(tuning->evaluator);
    tuning->reference_pending = false;
}

/* At the first step of the audit; true then. What it samples from may be under way. */
static bool end_search(void *context)
{
    struct tuning *tuning = context;

    if (tuning->searched)
        return false;
    if (!tuning->options->audit)
        give_up_compiling(tuning);
    tuning->searched = true;
    return true;
}

/* There is something to compare with before anything is timed; compiling goes on meanwhile. At the end the GPU finishes
 * what it has begun. */
static int run(struct tuning *tuning, struct err *err)
{
    const struct driver driver = {.strategy = tuning->out->strategy,
                                  .search = tuning->search,
                                  .evaluator = tuning->evaluator,
                                  .ready = &tuning->waiting_to_time,
                                  .hold = &tuning->reference_pending,
                                  .over = is_over,
                                  .compile = start_compile,
                                  .time = start_trial,
                                  .finish = finish,
                                  .audit = end_search,
                                  .tick = tick,
                                  .context = tuning};
    int rc = drive(&driver, err);

    if (!rc)
        give_up_compiling(tuning);
    while (!rc && evaluator_pending(tuning->evaluator, EVALUATOR_MEASURE))
        rc = drive_wait(&driver, err);
    return rc;
}

static int close_journal(struct tuning *tuning, struct err *err)
{
    struct json *not_timed = NULL;
    struct journal *journal = tuning->journal;
    const bool live = tuning->out->evaluator->measures && journal;
    struct err why = {0};
    int rc = 0;

    tuning_journal_news(tuning);
    if (live || tuning->options->view)
        rc = pruned_json(&not_timed, tuning, err);
    if (!rc)
        rc = tuning_show(tuning, not_timed, true, err);
    tuning->journal = NULL;
    if (!live) {
        journal_free(journal);
        js_free(not_timed);
        return rc;
    }
    if (journal_close(journal, not_timed, &why) && !rc)
        rc = tuning_unwritten(&why, err);
    js_free(not_timed);
    return rc;
}

static void release(struct tuning *tuning)
{
    evaluator_close(tuning->evaluator);
    search_close(tuning->search);
    for (size_t i = 0; i < tuning->candidate_count; i++)
        candidate_free(tuning->candidates[i]);
    free(tuning->candidates);
    free(tuning->answered);
    free(tuning->source_text);
    sources_kept_free(tuning->sources_kept);
    map_release(&tuning->by_index);
    map_release(&tuning->by_code);
    compile_result_release(&tuning->reference_code);
    compile_result_release(&tuning->reference_job.compiled);
    code_facts_release(&tuning->reference_job.facts);
    variant_release(&tuning->reference_variant);
    variant_release(&tuning->reference_default);
    journal_free(tuning->journal);
    predicting_close(tuning);
    space_close(tuning->space);
}

static void take_times(struct tuning *tuning, double began_s, double began_core_s)
{
    struct tuned *out = tuning->out;

    out->elapsed_s = evaluator_now_s(tuning->evaluator);
    out->wall_s = clock_wall_s() - began_s;
    out->controller_s = clock_core_s() - began_core_s;
    out->compile_busy_s = evaluator_busy_s(tuning->evaluator, EVALUATOR_COMPILE);
    out->measure_busy_s = evaluator_busy_s(tuning->evaluator, EVALUATOR_MEASURE);
    out->cores = evaluator_cores(tuning->evaluator);
    out->gpus = evaluator_gpus(tuning->evaluator);
    if (out->counts.stale)
        tuning_message(
            tuning,
            "%llu records of %s are left aside: their code, launch, protocol or reference is another now",
            (unsigned long long)out->counts.stale, out->journal);
}

int tune(struct tuned *out, const struct spec *spec, size_t problem, struct environment *environment,
         const struct tune_options *options, struct err *err)
{
    const struct strategy *strategy = options->only ? &strategy_exhaustive : options->strategy;
    struct tune_options filled = *options;
    struct tuning tuning = {
        .spec = spec, .problem = problem, .environment = environment, .options = &filled, .out = out};
    const double began_s = clock_wall_s(), began_core_s = clock_core_s();
    int rc;

    *out = (struct tuned){.problem = problem, .strategy = strategy};
    record_init(&out->initial.record);
    power_init(&out->power);
    if (!(filled.compile_deadline_s > 0))
        filled.compile_deadline_s = 60;
    rc = tuning_open(&tuning, err);
    if (!rc)
        rc = run(&tuning, err);
    if (!rc) {
        pruned_count(&tuning);
        drift_say(&tuning);
        energy_end(&tuning);
        report(&tuning, true);
        take_times(&tuning, began_s, began_core_s);
        rc = tuning_take_hosts(&tuning, err);
    }
    if (!rc)
        rc = finals_run(&tuning, err);
    if (!rc)
        rc = energy_front(&tuning, err);
    if (!rc)
        rc = close_journal(&tuning, err);
    release(&tuning);
    if (rc)
        tuned_release(out);
    return rc;
}

static void variant_done(struct tuned_variant *variant)
{
    free(variant->choices);
    record_release(&variant->record);
}

void tuned_release(struct tuned *tuned)
{
    for (size_t i = 0; i < tuned->finalist_count; i++)
        variant_done(&tuned->finalists[i]);
    free(tuned->finalists);
    for (size_t i = 0; i < tuned->front_count; i++)
        variant_done(&tuned->front[i]);
    free(tuned->front);
    free(tuned->steps);
    free(tuned->hosts);
    variant_done(&tuned->initial);
    device_release(&tuned->device);
    *tuned = (struct tuned){0};
    record_init(&tuned->initial.record);
}
