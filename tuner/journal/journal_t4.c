/* Results in the T4 format of the auto-tuning community (schema 1.0.0; Kernel Tuner, KTT's converter): a list
 * of {configuration, times, invalidity, measurements}. Each becomes the record that a Kernel Tuner cache
 * would have, so that only one place knows what a record means. */
#include "tuner/journal/journal_file.h"

#include "space/configuration.h"
#include "tuner/journal/record.h"

#include <stdio.h>
#include <string.h>

/* Milliseconds in the unit of the file's times; 0 for one that is not known. */
static double unit_ms(const char *unit)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"milliseconds", 1}, {"miliseconds", 1}, {"ms", 1},  {"microseconds", 1e-3},
                 {"us", 1e-3},        {"seconds", 1e3},   {"s", 1e3}, {"nanoseconds", 1e-6},
                 {"ns", 1e-6}};

    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (!strcmp(unit, units[k].name))
            return units[k].ms;
    return 0;
}

static int read_unit(double *ms, const struct js_at *head, struct err *err)
{
    struct js_at metadata, unit;
    const char *text;

    *ms = 1;
    if (!js_find(&metadata, head, "metadata") || !js_find(&unit, &metadata, "timeunit"))
        return 0;
    if (js_string(&text, &unit, err))
        return ERR_FORMAT;
    *ms = unit_ms(text);
    return *ms > 0 ? 0 : js_fail(&unit, err, "the unit \"%s\" is not known", text);
}

/* What a Kernel Tuner cache calls it; null where the configuration ran. */
static const char *error_name(const char *invalidity)
{
    if (!strcmp(invalidity, "correct"))
        return NULL;
    if (!strcmp(invalidity, "compile"))
        return "CompilationFailedConfig";
    if (!strcmp(invalidity, "constraints"))
        return "InvalidConfig";
    return strcmp(invalidity, "correctness") ? "RuntimeFailedConfig" : "ErrorConfig";
}

/* The values in the order of `names`, as a key; and beside the names in `body`. */
static int take_configuration(char *key, size_t size, struct json *body, const struct js_at *result,
                              const struct js_at *names, struct err *err)
{
    struct js_at configuration, at;
    size_t used = 0;

    if (js_member(&configuration, result, "configuration", err))
        return ERR_USAGE;
    for (size_t k = 0; k < js_count(names); k++) {
        struct js_at name = js_element(names, k);
        struct value value;
        const char *text;

        if (js_string(&text, &name, err) || js_member(&at, &configuration, text, err) ||
            value_from_json(&value, &at, err))
            return ERR_USAGE;
        used += (size_t)snprintf(key + used, size - used, "%s", k ? "," : "");
        if (used < size)
            used += (size_t)value_text(key + used, size - used, &value);
        if (used >= size)
            return js_fail(&at, err, "the configuration is too long");
        if (js_set(body, text, value_to_json(&value)))
            return err_memory(err);
    }
    return 0;
}

/* The measurement called time, else the median of the runs stays to be taken from "times". */
static int take_time(struct json *body, const struct js_at *result, double ms, struct err *err)
{
    struct js_at measurements, name, value;
    const char *text;
    double time;

    if (!js_find(&measurements, result, "measurements"))
        return js_fail(result, err, "no measurement is called time");
    for (size_t k = 0; k < js_count(&measurements); k++) {
        struct js_at one = js_element(&measurements, k);

        if (js_member(&name, &one, "name", err) || js_string(&text, &name, err))
            return ERR_USAGE;
        if (strcmp(text, "time"))
            continue;
        if (js_member(&value, &one, "value", err) || js_real(&time, &value, err))
            return ERR_USAGE;
        return js_set_real(body, "time", time * ms) ? err_memory(err) : 0;
    }
    return js_fail(result, err, "no measurement is called time");
}

static int take_runs(struct json *body, const struct js_at *result, double ms, struct err *err)
{
    struct json *runs = js_new_array();
    struct js_at times, list, at;
    double time;
    int rc = runs ? 0 : err_memory(err);

    if (!rc && js_find(&times, result, "times") && js_find(&list, &times, "runtimes"))
        for (size_t k = 0; k < js_count(&list) && !rc; k++) {
            at = js_element(&list, k);
            if (js_kind(&at) != JS_NULL && !(rc = js_real(&time, &at, err)))
                rc = js_append(runs, js_new_real(time * ms)) ? err_memory(err) : 0;
        }
    if (!rc && js_count(&(struct js_at){.value = runs}))
        return js_set(body, "times", runs) ? err_memory(err) : 0;
    js_free(runs);
    return rc;
}

static int take_result(struct journal *journal, const struct js_at *result, const struct js_at *names,
                       double ms, struct err *err)
{
    struct json *body = js_new_object(), *entry = js_new_object();
    struct js_at invalidity, root, member = {0};
    struct record record;
    const char *text, *error;
    char key[1024];
    int rc = body && entry ? 0 : err_memory(err);

    if (!rc && (js_member(&invalidity, result, "invalidity", err) || js_string(&text, &invalidity, err)))
        rc = ERR_USAGE;
    if (!rc)
        rc = take_configuration(key, sizeof key, body, result, names, err);
    error = rc ? NULL : error_name(text);
    if (!rc && error)
        rc = js_set_string(body, "__error__", error) ? err_memory(err) : 0;
    else if (!rc && !(rc = take_time(body, result, ms, err)))
        rc = take_runs(body, result, ms, err);
    if (!rc) {
        rc = js_set(entry, key, body) ? err_memory(err) : 0;
        body = NULL;
    }
    if (!rc) {
        root = js_root(entry, journal->path);
        js_next(&member, &root);
        rc = record_from_json(&record, &member, err);
    }
    if (!rc)
        rc = records_put(&journal->records, &record, err);
    js_free(body);
    js_free(entry);
    return rc;
}

/* The first result that names the most parameters: one that was refused may name fewer. */
static size_t widest_result(const struct js_at *results)
{
    size_t most = 0, widest = 0;

    for (size_t k = 0; k < js_count(results); k++) {
        struct js_at result = js_element(results, k), configuration;

        if (js_find(&configuration, &result, "configuration") && js_kind(&configuration) == JS_OBJECT &&
            js_count(&configuration) > most) {
            most = js_count(&configuration);
            widest = k;
        }
    }
    return widest;
}

static bool has_names(const struct js_at *configuration, const struct journal *journal)
{
    struct js_at at;
    bool all = js_count(configuration) == journal->name_count;

    for (size_t k = 0; all && k < journal->name_count; k++)
        all = js_find(&at, configuration, journal->names[k]);
    return all;
}

/* In the order that is asked for, else in that of the configuration. */
static int name_parameters(struct journal *journal, const struct js_at *results, struct err *err)
{
    struct js_at result = js_element(results, widest_result(results)), configuration, member = {0};
    struct json *names;
    bool failed = false, asked;

    if (js_member(&configuration, &result, "configuration", err) || js_expect(&configuration, JS_OBJECT, err))
        return ERR_USAGE;
    asked = has_names(&configuration, journal);
    names = js_new_array();
    for (size_t k = 0; names && asked && k < journal->name_count; k++)
        failed |= js_append(names, js_new_string(journal->names[k])) != 0;
    while (names && !asked && js_next(&member, &configuration))
        failed |= js_append(names, js_new_string(member.key)) != 0;
    names = js_unless(failed, names);
    return !names || js_set(journal->head, "tune_params_keys", names) ? err_memory(err) : 0;
}

int journal_take_t4(struct journal *journal, struct err *err)
{
    const struct js_at head = js_root(journal->head, journal->path);
    struct js_at results, names;
    double ms;
    int rc = js_member(&results, &head, "results", err) || js_expect(&results, JS_ARRAY, err) ? ERR_USAGE : 0;

    if (!rc)
        rc = read_unit(&ms, &head, err);
    if (!rc && !js_count(&results))
        rc = js_fail(&results, err, "is empty");
    if (!rc)
        rc = name_parameters(journal, &results, err);
    if (!rc)
        rc = js_member(&names, &head, "tune_params_keys", err);
    for (size_t k = 0; !rc && k < js_count(&results); k++) {
        struct js_at result = js_element(&results, k);
        struct err why = {0};

        rc = take_result(journal, &result, &names, ms, &why);
        if (rc == ERR_USAGE) {
            journal_leave_out(journal, &why);
            rc = 0;
        } else if (rc) {
            err_set(err, (enum err_code)rc, "%s", why.text);
        }
    }
    if (rc)
        return err && err->code == ERR_USAGE ? err->code = ERR_FORMAT : rc;
    return js_set(journal->head, "results", js_new_null()) ? err_memory(err) : 0;
}
