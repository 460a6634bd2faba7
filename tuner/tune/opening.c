#include "tuner/tune/tuning.h"

#include "base/file.h"
#include "base/hash.h"
#include "space/configuration.h"
#include "space/launchable.h"
#include "tuner/journal/metadata.h"
#include "tuner/evaluate/recording.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of energies: some seven changes of the counter, where it changes ten times a second. */
static const double energy_window_s = 0.75;

/* A configuration that is asked for by itself is left to its outcome. */
static int check_launchable(const struct tuning *tuning, uint64_t memory_bytes, struct err *err)
{
    if (tuning->options->only)
        return 0;
    return space_launchable(tuning->space, tuning->spec, tuning->problem, memory_bytes, err);
}

static int open_space(struct tuning *tuning, struct err *err)
{
    struct tuned *out = tuning->out;
    int rc = space_open_until(&tuning->space, tuning->spec, tuning->problem, tuning->options->stop, err);

    if (!rc && tuning->options->only) {
        rc = configuration_check(tuning->spec, tuning->problem, tuning->options->only, err);
        if (rc)
            err_prefix(err, "%s: the configuration", tuning->spec->path);
    }
    if (!rc && !tuning->options->only)
        rc = space_default(&out->initial.index, tuning->space, err);
    if (!rc)
        rc = check_launchable(tuning, 0, err);
    if (rc)
        return rc;
    out->counts.combinations = space_combinations(tuning->space);
    out->counts.valid = space_count(tuning->space);
    out->initial.choices = calloc(tuning->spec->parameter_count, sizeof *out->initial.choices);
    if (!out->initial.choices)
        return err_memory(err);
    tuning_choices(out->initial.choices, tuning, out->initial.index);
    return 0;
}

/* "matmul.nvidia-h200.4096x4096x4096.journal.json", of kind "journal". */
static int journal_name(char *out, size_t size, const struct spec *spec, size_t problem,
                        const char *device_name, const char *kind)
{
    char kernel[64], device[96], sizes[128] = "";
    size_t s, used = 0;

    environment_slug(kernel, sizeof kernel, spec->kernel.name);
    environment_slug(device, sizeof device, device_name);
    for (s = 0; s < spec->size_count && used < sizeof sizes - 32; s++) {
        sizes[used++] = s ? 'x' : '.';
        used += (size_t)value_text(sizes + used, sizeof sizes - used, &spec->problems[problem][s]);
    }
    return snprintf(out, size, "%s.%s%s.%s.json", kernel, device, sizes, kind);
}

/* Kinds of one name are told apart by their architecture: a journal is of one kind. */
static void journal_device(char out[160], const struct environment *environment)
{
    const struct device *device = &environment->device;
    char own[96], other[96];
    bool shared = false;

    environment_slug(own, sizeof own, device->name);
    for (size_t k = 0; k < environment->kind_count; k++) {
        environment_slug(other, sizeof other, environment->kinds[k].name);
        shared = shared || (environment->kinds[k].sm != device->sm && !strcmp(own, other));
    }
    if (shared)
        snprintf(out, 160, "%.80s sm%d", device->name, device->sm);
    else
        snprintf(out, 160, "%.150s", device->name);
}

static int open_live(struct tuning *tuning, struct err *err)
{
    struct tuned *out = tuning->out;
    struct json *head;
    char device[160];
    int rc;

    if (!tuning->environment->compiler)
        return err_set(err, ERR_MISSING, "%s", tuning->environment->compiler_err.text);
    rc = device_copy(&out->device, &tuning->environment->device, err);
    if (rc)
        return rc;
    snprintf(out->nvrtc, sizeof out->nvrtc, "%s", compiler_version(tuning->environment->compiler));
    device_target(tuning->arch, out->device.sm);
    rc = compiler_check_arch(tuning->environment->compiler, tuning->arch, err);
    if (!rc)
        rc = check_launchable(tuning, out->device.limits.memory_bytes, err);
    if (!rc)
        rc = energy_live(tuning, err);
    if (rc || tuning->options->only || (tuning->options->questions && !tuning->options->journal))
        return rc;
    journal_device(device, tuning->environment);
    if (tuning->options->journal)
        snprintf(out->journal, sizeof out->journal, "%s", tuning->options->journal);
    else
        journal_name(out->journal, sizeof out->journal, tuning->spec, tuning->problem, device, "journal");
    if (file_same(out->journal, tuning->spec->path))
        return err_set(err, ERR_USAGE, "%s: is the spec: name another file with --journal", out->journal);
    rc = metadata_new(&head, tuning->spec, tuning->problem, &out->device, &out->power, out->nvrtc,
                      &tuning->protocol, err);
    if (rc)
        return rc;
    rc = journal_open(&tuning->journal, out->journal, head, err);
    js_free(head);
    return rc;
}

void tuning_journal_news(struct tuning *tuning)
{
    char line[sizeof tuning->out->journal * 2 + 128];

    if (!tuning->journal || !journal_news(line, sizeof line, tuning->journal))
        return;
    tuning_message(tuning, "%s", line);
    snprintf(tuning->out->journal, sizeof tuning->out->journal, "%s", journal_path(tuning->journal));
}

/* The recording says whose GPU it was; another tool's says only its name, and limits cannot be checked. */
static int open_recorded(struct tuning *tuning, struct err *err)
{
    struct tuned *out = tuning->out;
    struct metadata metadata;
    struct err why = {0};
    char doubt[1024];
    int rc;

    if (tuning->options->recorded && tuning->options->journal)
        return err_set(err, ERR_USAGE,
                       "%s: no journal is written where the times come from a recording: leave one of the "
                       "two out",
                       tuning->options->journal);
    rc = recording_open(&tuning->journal, tuning->options->recorded, tuning->spec, tuning->problem,
                        tuning->options->device, &why);
    if (rc == ERR_MISSING)
        return err_set(err, ERR_MISSING, "%s, and %s", tuning->environment->worker_err.text, why.text);
    if (rc)
        return err_set(err, (enum err_code)rc, "%s", why.text);
    if (tuning->options->journal)
        tuning_message(tuning,
                       "%s: is not written, since the times come from the recording %s; --recorded takes "
                       "them from another file",
                       tuning->options->journal, journal_path(tuning->journal));
    metadata_read(&metadata, tuning->journal);
    if (journal_foreign(tuning->journal) && metadata.kernel_name[0] &&
        strcmp(metadata.kernel_name, tuning->spec->kernel.name))
        tuning_message(tuning, "%s: was recorded for kernel %s: its times are taken for %s",
                       journal_path(tuning->journal), metadata.kernel_name, tuning->spec->kernel.name);
    if (metadata_doubt(doubt, sizeof doubt, tuning->journal, tuning->spec, tuning->problem))
        tuning_message(tuning, "%s", doubt);
    if (journal_foreign(tuning->journal))
        snprintf(out->device.name, sizeof out->device.name, "%s", metadata.device_name);
    else
        rc = metadata_device(&out->device, tuning->journal, err);
    journal_name(tuning->replay, sizeof tuning->replay, tuning->spec, tuning->problem, out->device.name,
                 "replay");
    snprintf(out->nvrtc, sizeof out->nvrtc, "%s", metadata.nvrtc);
    if (*metadata.target)
        snprintf(tuning->arch, sizeof tuning->arch, "%s", metadata.target);
    else
        snprintf(tuning->arch, sizeof tuning->arch, "sm_%u", out->device.sm);
    snprintf(out->journal, sizeof out->journal, "%s", journal_path(tuning->journal));
    memcpy(out->recorded_date, metadata.date, sizeof out->recorded_date);
    return rc ? rc : energy_recorded(tuning, err);
}

static int open_journal(struct tuning *tuning, struct err *err)
{
    struct tuned *out = tuning->out;
    char line[sizeof err->text];
    int rc;

    if (tuning->options->questions)
        out->evaluator = &evaluator_asked;
    else if (!environment_measures(tuning->environment) || tuning->options->recorded)
        out->evaluator = &evaluator_recorded;
    else
        out->evaluator = tuning->environment->fleet ? &evaluator_remote : &evaluator_local;
    if (out->evaluator == &evaluator_recorded && tuning->environment->fleet)
        tuning_message(tuning, "the times come from a recording: workers elsewhere have nothing to do");
    device_init(&out->device);
    rc = out->evaluator->measures ? open_live(tuning, err) : open_recorded(tuning, err);
    if (rc)
        return rc;
    if (out->evaluator->measures && tuning->options->simulated_cores)
        tuning_message(
            tuning, "--cores: nothing is simulated where times are live; -j sets the threads that compile");
    for (unsigned k = 0; tuning->journal && journal_remark(line, sizeof line, tuning->journal, k); k++)
        tuning_message(tuning, "%s", line);
    snprintf(tuning->nvrtc, sizeof tuning->nvrtc, "%s", out->nvrtc);
    return 0;
}

/* Those of the space that the journal has a result of, in the order in which they first came. */
static int list_answered(struct tuning *tuning, struct err *err)
{
    const size_t count = tuning->journal ? journal_count(tuning->journal) : 0;
    unsigned *choices = malloc((tuning->spec->parameter_count + 1) * sizeof *choices);

    tuning->answered = malloc((count + 1) * sizeof *tuning->answered);
    if (!choices || !tuning->answered) {
        free(choices);
        return err_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        const struct record *record = journal_record(tuning->journal, i);
        uint64_t *index = &tuning->answered[tuning->answered_count];

        if (configuration_of_key(choices, tuning->spec, record->key) &&
            space_index(index, tuning->space, choices))
            tuning->answered_count++;
    }
    free(choices);
    return 0;
}

static int open_search(struct tuning *tuning, struct err *err)
{
    const struct tune_options *options = tuning->options;
    const struct environment *environment = tuning->environment;
    const unsigned simulated = options->simulated_cores ? options->simulated_cores : environment->jobs;
    struct search_options search = {.strategy = tuning->out->strategy,
                                    .seed = options->seed,
                                    .count = options->only ? 1 : tuning->out->counts.valid,
                                    .first = tuning->out->initial.index,
                                    .trials = options->trials,
                                    .audit = options->audit,
                                    .goes_on = options->time_s > 0,
                                    .space = tuning->space,
                                    .spec = tuning->spec,
                                    .problem = tuning->problem};
    const struct evaluator_options evaluator = {.type = tuning->out->evaluator,
                                                .cores = environment->jobs,
                                                .simulated_cores = simulated,
                                                .compiler = environment->compiler,
                                                .arch = tuning->arch,
                                                .compile_deadline_s = options->compile_deadline_s,
                                                .workers = environment->workers,
                                                .worker_count = environment->worker_count,
                                                .protocol = &tuning->protocol,
                                                .machine = tuning->has_machine ? &tuning->machine : NULL,
                                                .profile = tuning->has_machine ? &tuning->profile : NULL,
                                                .fleet = environment->fleet,
                                                .questions = options->questions,
                                                .stop = options->stop,
                                                .trials_ahead = (unsigned)tuning->out->strategy->trials_ahead,
                                                .turns = environment->turns,
                                                .share = environment->share,
                                                .kind = environment->kind,
                                                .warm = !tuning->spec->cold};
    int rc = evaluator_open(&tuning->evaluator, &evaluator, err);

    if (!rc && tuning->out->evaluator->measures && !options->only)
        rc = list_answered(tuning, err);
    if (rc)
        return rc;
    search.answered = tuning->answered;
    search.answered_count = tuning->answered_count;
    search.cores = evaluator_cores(tuning->evaluator);
    return search_open(&tuning->search, &search, err);
}

static void set_protocol(struct tuning *tuning)
{
    protocol_init(&tuning->protocol);
    tuning->protocol.cache = tuning->spec->cold ? CACHE_COLD : CACHE_WARM;
    tuning->protocol.relative = tuning->spec->relative;
    tuning->protocol.absolute = tuning->spec->absolute;
    tuning->protocol.energy_s = tuning->spec->energy ? energy_window_s : 0;
    tuning->protocol_hash = protocol_hash(&tuning->protocol);
    if (tuning->options->questions) /* times by another's protocol are none of ours */
        tuning->protocol_hash = hash_text(tuning->protocol_hash, "asked");
}

int tuning_open(struct tuning *tuning, struct err *err)
{
    int rc;

    set_protocol(tuning);
    drift_open(&tuning->drift);
    rc = open_space(tuning, err);
    if (!rc)
        rc = open_journal(tuning, err);
    if (!rc)
        rc = predicting_open(tuning, err);
    if (!rc)
        rc = reference_prepare(tuning, err);
    return rc ? rc : open_search(tuning, err);
}
