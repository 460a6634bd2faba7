/* The results of all variants in the T4 format of the auto-tuning community, schema 1.0.0: what Kernel Tuner writes, and
 * tools that compare tuners read. Configurations that were not tried are none of it. */
#include "tuner/format/format.h"

#include "space/configuration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *invalidity_of(enum outcome outcome)
{
    switch (outcome) {
    case OUTCOME_OK:
    case OUTCOME_SAME_CODE:
        return "correct";
    case OUTCOME_COMPILE:
        return "compile";
    case OUTCOME_CONSTRAINT:
    case OUTCOME_LIMITS:
        return "constraints";
    case OUTCOME_WRONG:
    case OUTCOME_UNSTABLE:
        return "correctness";
    case OUTCOME_TIMEOUT:
        return "timeout";
    default:
        return "runtime";
    }
}

/* Configurations ----------------------------------------------------------- */

/* The value of a parameter with which `key` goes on, and its length; a text may hold commas. False: none of them. */
static bool next_value(struct value *out, size_t *length, const char *key, const struct js_at *values)
{
    char text[256];

    for (size_t v = 0; v < js_count(values); v++) {
        const struct js_at at = js_element(values, v);

        if (value_from_json(out, &at, NULL))
            continue;
        *length = (size_t)value_text(text, sizeof text, out);
        if (*length < sizeof text && !strncmp(key, text, *length) && (!key[*length] || key[*length] == ','))
            return true;
    }
    return false;
}

/* A key of other values than the head lists is taken part by part, as texts. */
static struct json *next_text(size_t *length, const char *key)
{
    char *text;
    struct json *json;

    *length = strcspn(key, ",");
    text = strndup(key, *length);
    json = text ? js_new_string(text) : NULL;
    free(text);
    return json;
}

static struct json *configuration_of(const struct record *record, const struct js_at *head)
{
    struct json *object = js_new_object();
    struct js_at names, lists, values;
    const char *key = record->key, *name;
    struct value value;
    int failed = !object || !js_find(&names, head, "tune_params_keys");
    size_t length;

    for (size_t p = 0; !failed && p < js_count(&names); p++) {
        const struct js_at at = js_element(&names, p);

        if (js_string(&name, &at, NULL))
            continue;
        if (js_find(&lists, head, "tune_params") && js_find(&values, &lists, name) &&
            next_value(&value, &length, key, &values))
            failed = js_set(object, name, value_to_json(&value));
        else
            failed = js_set(object, name, next_text(&length, key));
        key += length + (key[length] == ',');
    }
    return js_unless(failed, object);
}

/* Figures ------------------------------------------------------------------ */

static int set_ms(struct json *object, const char *name, double seconds)
{
    return js_set_real(object, name, isfinite(seconds) ? 1e3 * seconds : 0);
}

static struct json *runtimes_of(const struct record *measured)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (size_t i = 0; measured && i < measured->sample_count && !failed; i++)
        failed = js_append(list, js_new_real(1e3 * measured->samples_s[i]));
    if (measured && !measured->sample_count && !failed)
        failed = js_append(list, js_new_real(1e3 * measured->time_s));
    return js_unless(failed, list);
}

/* Readers of both spellings are about: the schema has compilation_time, Kernel Tuner writes compilation. */
static struct json *times_of(const struct record *record, const struct record *measured)
{
    struct json *object = js_new_object();

    return js_unless(set_ms(object, "compilation_time", record->compile_s) |
                         set_ms(object, "compilation", record->compile_s) |
                         set_ms(object, "benchmark", record->benchmark_s) |
                         set_ms(object, "validation", record->verify_s) |
                         js_set_real(object, "framework", 0) | js_set_real(object, "search_algorithm", 0) |
                         js_set(object, "runtimes", runtimes_of(measured)),
                     object);
}

static int add_measurement(struct json *list, const char *name, double value, const char *unit)
{
    struct json *object;

    if (!isfinite(value) || value < 0)
        return 0;
    object = js_new_object();
    return js_set_string(object, "name", name) | js_set_real(object, "value", value) |
           js_set_string(object, "unit", unit) | js_append(list, object);
}

static struct json *measurements_of(const struct record *record, const struct record *measured)
{
    struct json *list = js_new_array();
    int failed = !list;

    if (measured && !failed)
        failed = add_measurement(list, "time", 1e3 * measured->time_s, "ms") ||
                 add_measurement(list, "energy", measured->energy_j, "J") ||
                 add_measurement(list, "power", measured->power_w, "W") ||
                 add_measurement(list, "clock", measured->clock_hz / 1e6, "MHz");
    if (!failed)
        failed = add_measurement(list, "registers", record->registers, "") ||
                 add_measurement(list, "shared_bytes", record->shared_bytes, "B") ||
                 add_measurement(list, "spill_instructions", record->spill_instructions, "") ||
                 add_measurement(list, "blocks_per_sm", record->blocks_per_sm, "") ||
                 add_measurement(list, "occupancy", record->occupancy, "");
    return js_unless(failed, list);
}

/* Results ------------------------------------------------------------------ */

static struct json *objectives(void)
{
    struct json *list = js_new_array();

    return js_unless(!list || js_append(list, js_new_string("time")), list);
}

static struct json *result_of(const struct record *record, const struct record *measured,
                              const struct js_at *head)
{
    struct json *object = js_new_object();
    const bool correct = measured != NULL;

    return js_unless(
        js_set(object, "configuration", configuration_of(record, head)) |
            js_set(object, "times", times_of(record, measured)) |
            js_set_string(object, "invalidity", correct ? "correct" : invalidity_of(record->outcome)) |
            js_set_integer(object, "correctness", correct) |
            js_set(object, "measurements", measurements_of(record, measured)) |
            js_set(object, "objectives", objectives()),
        object);
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(const struct record *const *)a)->key, (*(const struct record *const *)b)->key);
}

/* Whose time a record has: its own, or that of the variant with the same code. Null: none. */
static const struct record *measured_for(const struct record *record, const struct record *const *sorted,
                                         size_t count)
{
    const struct record wanted = {.key = record->same_as}, *key = &wanted, *const * found;

    if (record->outcome == OUTCOME_OK)
        return record;
    if (record->outcome != OUTCOME_SAME_CODE || !record->same_as)
        return NULL;
    found = bsearch(&key, sorted, count, sizeof *sorted, by_key);
    return found && (*found)->outcome == OUTCOME_OK ? *found : NULL;
}

static bool was_tried(const struct record *record)
{
    return record->outcome != OUTCOME_SKIPPED && record->outcome != OUTCOME_PRUNED;
}

/* A line each, parameters in their order: those who read it may take the order for meant. */
static int put_result(FILE *out, struct json *result, bool first, struct err *err)
{
    char *text = result ? js_text(result, JS_LINE) : NULL;

    js_free(result);
    if (!text)
        return err_memory(err);
    fprintf(out, "%s\n  %s", first ? "" : ",", text);
    free(text);
    return 0;
}

static int put_results(FILE *out, const struct report_problem *problem, struct err *err)
{
    const struct record **sorted = malloc((problem->count + 1) * sizeof *sorted);
    bool first = true;
    int rc = sorted ? 0 : err_memory(err);

    for (size_t i = 0; i < problem->count && !rc; i++)
        sorted[i] = problem->records[i];
    if (!rc)
        qsort(sorted, problem->count, sizeof *sorted, by_key);
    for (size_t i = 0; i < problem->count && !rc; i++) {
        const struct record *record = problem->records[i];

        if (!was_tried(record))
            continue;
        rc = put_result(out, result_of(record, measured_for(record, sorted, problem->count), &problem->head),
                        first, err);
        first = false;
    }
    free(sorted);
    return rc;
}

static int write_t4(FILE *out, const struct format_input *in, struct err *err)
{
    int rc;

    if (in->runs->problem_count > 1)
        return err_set(
            err, ERR_USAGE,
            "--format t4: has no place for several problem sizes, and these are %zu: name one journal",
            in->runs->problem_count);
    fprintf(out,
            "{\"schema_version\": \"1.0.0\", \"metadata\": {\"timeunit\": \"milliseconds\"}, \"results\": [");
    rc = put_results(out, &in->runs->problems[0], err);
    fprintf(out, "\n]}\n");
    return rc;
}

const struct format format_t4 = {.name = "t4", .file = "-", .reads_runs = true, .write = write_t4};
