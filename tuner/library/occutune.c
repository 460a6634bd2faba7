#include "tuner/library/occutune_own.h"

#include "base/locale.h"
#include "base/place.h"
#include "space/launchable.h"
#include "tuner/evaluate/environment.h"
#include "tuner/tune/tune.h"

#include <stdlib.h>
#include <string.h>

#ifndef OCCUTUNE_VERSION
#error "OCCUTUNE_VERSION is set by the build"
#endif

_Static_assert(sizeof(struct err) == sizeof(struct occutune_error), "errors are passed through");
_Static_assert((int)ERR_STOPPED == (int)OCCUTUNE_STOPPED, "codes are passed through");

int library_error(struct occutune_error *error, const struct err *err)
{
    if (error) {
        error->code = err->code;
        memcpy(error->text, err->text, sizeof error->text);
    }
    return err->code;
}

int library_need(struct occutune_error *error, const struct library_pointer *pointers)
{
    struct err err = {0};

    for (; pointers->name; pointers++)
        if (!pointers->value) {
            err_set(&err, ERR_USAGE, "%s is null: give one", pointers->name);
            return library_error(error, &err);
        }
    return 0;
}

const char *occutune_version(void)
{
    return OCCUTUNE_VERSION;
}

void occutune_options_init(struct occutune_options *options)
{
    *options = (struct occutune_options){.strategy = strategy_find(NULL)->name, .audit = SEARCH_AUDIT};
}

const char *library_cache(char *out, size_t size, const struct occutune_options *options)
{
    if (!options->cache)
        return environment_cache_directory(out, size);
    return *options->cache ? options->cache : NULL;
}

/* Tuning ------------------------------------------------------------------- */

/* The caller's options and callbacks, as the loop wants them. */
struct bridge {
    const struct occutune_options *options;
    struct tune_options tune;
    char profiles[4096];
};

static void pass_progress(void *context, const struct tune_progress *now)
{
    const struct occutune_options *options = ((struct bridge *)context)->options;

    options->progress(options->context, now->done, now->total, now->best_s);
}

static void pass_message(void *context, const char *text)
{
    const struct occutune_options *options = ((struct bridge *)context)->options;

    options->message(options->context, text);
}

static int bridge_init(struct bridge *bridge, const struct occutune_options *options, struct err *err)
{
    const struct strategy *strategy = strategy_find(options->strategy);
    char names[STRATEGY_NAMES_MAX];

    if (!strategy) {
        strategy_names(names, sizeof names);
        return err_set(err, ERR_USAGE, "strategy %s is none of %s", options->strategy, names);
    }
    *bridge = (struct bridge){.options = options,
                              .tune = {.strategy = strategy,
                                       .seed = options->seed,
                                       .time_s = options->time_s,
                                       .trials = options->trials,
                                       .audit = options->audit,
                                       .profile = options->profile,
                                       .recorded = options->recorded,
                                       .device = options->device && !environment_is_number(options->device)
                                                     ? options->device
                                                     : NULL,
                                       .journal = options->journal,
                                       .stop = options->stop,
                                       .progress = options->progress ? pass_progress : NULL,
                                       .message = options->message ? pass_message : NULL,
                                       .context = bridge}};
    if (place_share(bridge->profiles, sizeof bridge->profiles, "profiles"))
        bridge->tune.profiles = bridge->profiles;
    return 0;
}

static int tune_problems(struct json **out, const struct spec *spec, struct environment *environment,
                         const struct bridge *bridge, struct err *err)
{
    struct tuned *tuned = calloc(spec->problem_count, sizeof *tuned);
    size_t count = 0, i;
    const uint64_t memory_bytes = bridge->tune.recorded ? 0 : environment_memory(environment);
    int rc = tuned ? space_check_problems(spec, memory_bytes, bridge->tune.stop, err) : err_memory(err);

    *out = NULL;
    while (!rc && count < spec->problem_count && !(bridge->tune.stop && *bridge->tune.stop)) {
        rc = tune(&tuned[count], spec, count, environment, &bridge->tune, err);
        count += !rc;
    }
    if (!rc && !count)
        rc = err_set(err, ERR_STOPPED, "stopped before anything was measured");
    if (!rc)
        rc = decision_new(out, spec, tuned, count, err);
    for (i = 0; i < count; i++)
        tuned_release(&tuned[i]);
    free(tuned);
    return rc;
}

static int take(occutune_decision **out, struct json *document, const char *name, struct err *err)
{
    occutune_decision *decision = calloc(1, sizeof *decision);
    int rc;

    if (!decision) {
        js_free(document);
        return err_memory(err);
    }
    rc = decision_take(&decision->decision, document, name, err);
    if (rc)
        free(decision);
    else
        *out = decision;
    return rc;
}

static int tune_spec(occutune_decision **out, const char *spec_path, const struct occutune_options *options,
                     struct occutune_error *error)
{
    char cache[4096];
    const struct environment_options environment_options = {.device = options->device,
                                                            .nvrtc = options->nvrtc,
                                                            .worker = options->worker,
                                                            .cache =
                                                                library_cache(cache, sizeof cache, options),
                                                            .jobs = options->jobs,
                                                            .ahead = true};
    const struct locale_kept kept = locale_to_c();
    struct bridge bridge;
    struct json *document = NULL;
    struct spec spec = {0};
    struct environment environment;
    struct err err = {0};
    int rc = bridge_init(&bridge, options, &err);

    if (!rc)
        rc = spec_read(&spec, spec_path, SPEC_WHOLE, options->sets, options->set_count, &err);
    if (!rc) {
        rc = environment_open(&environment, &environment_options, &err);
        if (!rc) {
            rc = tune_problems(&document, &spec, &environment, &bridge, &err);
            environment_close(&environment);
        }
        spec_release(&spec);
    }
    if (!rc)
        rc = take(out, document, spec_path, &err);
    locale_back(kept);
    return rc ? library_error(error, &err) : 0;
}

int occutune_tune(occutune_decision **out, const char *spec, const struct occutune_options *options,
                  struct occutune_error *error)
{
    int rc;

    if (out)
        *out = NULL;
    rc = LIBRARY_NEED(error, {"out", out}, {"spec", spec}, {"options", options});
    if (!rc && options->set_count)
        rc = LIBRARY_NEED(error, {"options->sets", options->sets});
    return rc ? rc : tune_spec(out, spec, options, error);
}

/* Decisions ---------------------------------------------------------------- */

int occutune_load(occutune_decision **out, const char *path, struct occutune_error *error)
{
    struct json *document;
    struct err err = {0};
    int rc;

    if (out)
        *out = NULL;
    rc = LIBRARY_NEED(error, {"out", out}, {"path", path});
    if (rc)
        return rc;
    rc = js_read_file(&document, path, &err);
    if (!rc)
        rc = take(out, document, path, &err);
    return rc ? library_error(error, &err) : 0;
}

int occutune_save(const occutune_decision *decision, const char *path, struct occutune_error *error)
{
    struct err err = {0};
    const int rc = LIBRARY_NEED(error, {"decision", decision}, {"path", path});

    if (rc)
        return rc;
    return js_write_file(decision->decision.document, path, &err) ? library_error(error, &err) : 0;
}

void occutune_free(occutune_decision *decision)
{
    if (decision)
        decision_release(&decision->decision);
    free(decision);
}

const char *occutune_level(const occutune_decision *decision)
{
    return decision->decision.level;
}

const char *occutune_device(const occutune_decision *decision)
{
    return decision->decision.device;
}

size_t occutune_size_count(const occutune_decision *decision)
{
    return decision->decision.size_count;
}

const char *occutune_size_name(const occutune_decision *decision, size_t index)
{
    return index < decision->decision.size_count ? decision->decision.sizes[index] : NULL;
}

size_t occutune_row_count(const occutune_decision *decision)
{
    return decision->decision.row_count;
}

int occutune_row(struct occutune_configuration *out, const occutune_decision *decision, size_t row,
                 struct occutune_error *error)
{
    const struct decision_row *found;
    struct err err = {0};
    int rc;

    if (out)
        *out = (struct occutune_configuration){0};
    rc = LIBRARY_NEED(error, {"out", out}, {"decision", decision});
    if (rc)
        return rc;
    if (row >= decision->decision.row_count) {
        err_set(&err, ERR_USAGE, "%s: there is no row %zu of %zu", decision->decision.path, row,
                decision->decision.row_count);
        return library_error(error, &err);
    }
    found = &decision->decision.rows[row];
    *out = (struct occutune_configuration){.device = found->device,
                                           .sm = found->sm,
                                           .sizes = found->sizes,
                                           .time_s = found->time_s,
                                           .speedup = found->speedup,
                                           .block = {found->block[0], found->block[1], found->block[2]},
                                           .shared_dynamic_bytes = found->shared_dynamic_bytes,
                                           .options = found->options,
                                           .option_count = found->option_count,
                                           .decision = decision,
                                           .row = row};
    return 0;
}

int occutune_best(struct occutune_configuration *out, const occutune_decision *decision, const char *device,
                  unsigned sm, const double *sizes, struct occutune_error *error)
{
    const struct decision_row *row;
    struct err err = {0};
    int rc;

    if (out)
        *out = (struct occutune_configuration){0};
    rc = LIBRARY_NEED(error, {"out", out}, {"decision", decision});
    if (!rc && decision->decision.size_count)
        rc = LIBRARY_NEED(error, {"sizes", sizes});
    if (rc)
        return rc;
    row = decision_find(&decision->decision, device, sm, sizes);
    if (row)
        return occutune_row(out, decision, (size_t)(row - decision->decision.rows), error);
    err_set(&err, ERR_MISSING, "%s: holds nothing for %s", decision->decision.path,
            device ? device : "any device");
    return library_error(error, &err);
}

/* Values ------------------------------------------------------------------- */

static int find_value(const struct value **out, const struct occutune_configuration *configuration,
                      const char *parameter, struct err *err)
{
    const struct decision *decision;

    if (!configuration || !configuration->decision)
        return err_set(err, ERR_USAGE,
                       "configuration is null or empty: give one of occutune_row or occutune_best");
    if (!parameter)
        return err_set(err, ERR_USAGE, "parameter is null: give one");
    decision = &configuration->decision->decision;

    for (size_t p = 0; p < decision->parameter_count; p++)
        if (!strcmp(decision->parameters[p], parameter)) {
            *out = &decision->rows[configuration->row].values[p];
            return 0;
        }
    return err_set(err, ERR_USAGE, "%s: kernel %s has no parameter %s", decision->path, decision->kernel,
                   parameter);
}

int occutune_integer(int64_t *out, const struct occutune_configuration *configuration, const char *parameter,
                     struct occutune_error *error)
{
    const struct value *value = NULL;
    struct err err = {0};
    int rc = LIBRARY_NEED(error, {"out", out});

    if (rc)
        return rc;
    *out = 0;
    rc = find_value(&value, configuration, parameter, &err);
    if (!rc && value->kind != VALUE_INTEGER && value->kind != VALUE_BOOL)
        rc = err_set(&err, ERR_USAGE, "parameter %s is no integer", parameter);
    if (!rc)
        *out = value->integer;
    return rc ? library_error(error, &err) : 0;
}

int occutune_real(double *out, const struct occutune_configuration *configuration, const char *parameter,
                  struct occutune_error *error)
{
    const struct value *value = NULL;
    struct err err = {0};
    int rc = LIBRARY_NEED(error, {"out", out});

    if (rc)
        return rc;
    *out = 0;
    rc = find_value(&value, configuration, parameter, &err);
    if (!rc && value->kind == VALUE_STRING)
        rc = err_set(&err, ERR_USAGE, "parameter %s is no number", parameter);
    if (!rc)
        *out = value_real(value);
    return rc ? library_error(error, &err) : 0;
}

int occutune_text(const char **out, const struct occutune_configuration *configuration, const char *parameter,
                  struct occutune_error *error)
{
    const struct value *value = NULL;
    struct err err = {0};
    int rc = LIBRARY_NEED(error, {"out", out});

    if (rc)
        return rc;
    *out = NULL;
    rc = find_value(&value, configuration, parameter, &err);
    if (!rc && value->kind != VALUE_STRING)
        rc = err_set(&err, ERR_USAGE, "parameter %s is no text", parameter);
    if (!rc)
        *out = value->string;
    return rc ? library_error(error, &err) : 0;
}
