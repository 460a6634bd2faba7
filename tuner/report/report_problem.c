/* The variants of one problem as columns. */
#include "tuner/report/report_problem.h"

#include "tuner/journal/record_prediction.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Less of a resource than this limits nothing, and is left out of the page. */
#define BUSY_LEAST 0.05

/* A variant on the page: a record, or what was pruned, which has no time. */
struct shown {
    const struct record *record;
    enum { RULE_NONE, RULE_BOUND, RULE_ESTIMATE, RULE_TRIALS } rule;
};

struct table {
    struct shown *rows;
    size_t count;
    struct record *pruned; /* owned: what rows of a rule point to */
    size_t pruned_count;
    struct json *messages; /* of all problems; borrowed */
};

/* What was pruned ---------------------------------------------------------- */

static void get_count(int *out, const struct js_at *object, const char *key)
{
    struct js_at at;
    int64_t value;

    if (js_find(&at, object, key) && !js_integer(&value, &at, NULL) && value >= 0 && value <= INT32_MAX)
        *out = (int)value;
}

static void get_real(double *out, const struct js_at *object, const char *key)
{
    struct js_at at;
    double value;

    if (js_find(&at, object, key) && !js_real(&value, &at, NULL))
        *out = value;
}

/* Journals of earlier versions say bound, estimate and limiter in the entry itself, and no resources. */
static int read_pruned(struct record *out, const struct js_at *entry, struct err *err)
{
    struct js_at predicted;

    record_init(out);
    out->outcome = OUTCOME_PRUNED;
    out->key = strdup(entry->key);
    if (!out->key)
        return err_memory(err);
    get_count(&out->registers, entry, "registers");
    get_count(&out->shared_bytes, entry, "shared_bytes");
    get_count(&out->spill_instructions, entry, "spill_instructions");
    get_count(&out->blocks_per_sm, entry, "blocks_per_sm");
    get_real(&out->occupancy, entry, "occupancy");
    get_real(&out->compiled_at_s, entry, "compiled_at_s");
    return record_prediction_read(&out->prediction,
                                  js_find(&predicted, entry, "predicted") ? &predicted : entry, err);
}

static int rule_of(const struct js_at *entry)
{
    static const char *const names[] = {[RULE_BOUND] = "bound", [RULE_ESTIMATE] = "estimate"};
    struct js_at at;
    const char *text;

    if (!js_find(&at, entry, "rule") || js_string(&text, &at, NULL))
        return RULE_TRIALS;
    return !strcmp(text, names[RULE_BOUND])      ? RULE_BOUND
           : !strcmp(text, names[RULE_ESTIMATE]) ? RULE_ESTIMATE
                                                 : RULE_TRIALS;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A later run may have timed what an earlier one pruned: its record counts. */
static int add_pruned(struct table *table, const struct report_problem *problem, const struct js_at *pruned,
                      struct err *err)
{
    const char **keys = malloc((problem->count + 1) * sizeof *keys);
    struct js_at entry = {0};
    int rc = keys ? 0 : err_memory(err);

    for (size_t i = 0; i < problem->count && !rc; i++)
        keys[i] = problem->records[i]->key;
    if (!rc)
        qsort(keys, problem->count, sizeof *keys, by_key);
    while (!rc && js_next(&entry, pruned)) {
        struct record *record = &table->pruned[table->pruned_count];

        if (bsearch(&entry.key, keys, problem->count, sizeof *keys, by_key))
            continue;
        rc = read_pruned(record, &entry, err);
        table->pruned_count++;
        table->rows[table->count].rule = rule_of(&entry);
        table->rows[table->count++].record = record;
    }
    free(keys);
    return rc;
}

static void table_release(struct table *table)
{
    for (size_t i = 0; i < table->pruned_count; i++)
        record_release(&table->pruned[i]);
    free(table->pruned);
    free(table->rows);
}

/* On failure what was made is released by the caller. */
static int table_init(struct table *table, const struct report_problem *problem, struct err *err)
{
    struct js_at root = js_root((struct json *)problem->not_timed, problem->source), pruned = {0};
    const bool any = problem->not_timed && js_find(&pruned, &root, "pruned") && js_kind(&pruned) == JS_OBJECT;
    const size_t more = any ? js_count(&pruned) : 0;

    table->rows = calloc(problem->count + more + 1, sizeof *table->rows);
    table->pruned = calloc(more + 1, sizeof *table->pruned);
    if (!table->rows || !table->pruned)
        return err_memory(err);
    for (size_t i = 0; i < problem->count; i++)
        table->rows[table->count++].record = problem->records[i];
    return any ? add_pruned(table, problem, &pruned, err) : 0;
}

/* Columns ------------------------------------------------------------------ */

#define OF(member) offsetof(struct record, member)

static const struct column {
    const char *name;
    size_t offset;
    double scale;
    bool predicted; /* known where something is predicted */
} reals[] = {
    {"time_ms", OF(time_s), 1e3, false},
    {"compiled_at_s", OF(compiled_at_s), 1, false},
    {"timed_at_s", OF(timed_at_s), 1, false},
    {"compile_ms", OF(compile_s), 1e3, false},
    {"occupancy", OF(occupancy), 1, false},
    {"clock_mhz", OF(clock_hz), 1e-6, false},
    {"error_max", OF(error_max), 1, false},
    {"energy_j", OF(energy_j), 1, false},
    {"power_w", OF(power_w), 1, false},
    {"estimate_ms", OF(prediction.estimate_s), 1e3, true},
    {"bound_ms", OF(prediction.bound_s), 1e3, true},
    {"low_ms", OF(prediction.interval_low_s), 1e3, true},
    {"high_ms", OF(prediction.interval_high_s), 1e3, true},
    {"needed_warps", OF(prediction.needed_warps), 1, true},
    {"had_warps", OF(prediction.had_warps), 1, true},
    {"confidence", OF(prediction.confidence), 1, true},
    {"issued", OF(prediction.issued), 1, true},
    {"stalled_bandwidth", OF(prediction.stalled_bandwidth), 1, true},
    {"stalled_latency", OF(prediction.stalled_latency), 1, true},
};

static const struct {
    const char *name;
    size_t offset;
} counts[] = {
    {"registers", OF(registers)},
    {"shared_bytes", OF(shared_bytes)},
    {"spills", OF(spill_instructions)},
    {"blocks_per_sm", OF(blocks_per_sm)},
};

/* Takes the column over; one in which nothing is known is dropped. */
static int put(struct json *columns, const char *name, struct json *list, bool known)
{
    if (!list || known)
        return js_set(columns, name, list);
    js_free(list);
    return 0;
}

static struct json *real_of(const struct record *record, const struct column *column)
{
    const double value = *(const double *)((const char *)record + column->offset) * column->scale;
    char text[32];

    if (!isfinite(value) || (column->predicted && !record->prediction.predicted))
        return js_new_null();
    snprintf(text, sizeof text, column->predicted ? "%.4g" : "%.6g", value);
    return js_new_real(strtod(text, NULL));
}

static int add_reals(struct json *columns, const struct table *table, const struct column *column)
{
    struct json *list = js_new_array();
    int failed = !list;
    bool known = false;

    for (size_t i = 0; i < table->count && !failed; i++) {
        struct json *value = real_of(table->rows[i].record, column);
        const struct js_at at = js_root(value, "");

        known |= value && js_kind(&at) != JS_NULL;
        failed = js_append(list, value);
    }
    return put(columns, column->name, js_unless(failed, list), known);
}

/* Integers that are negative where nothing is known. */
typedef int64_t integer_of(const struct shown *row, size_t offset);

static int add_integers(struct json *columns, const struct table *table, const char *name, integer_of *of,
                        size_t offset)
{
    struct json *list = js_new_array();
    int failed = !list;
    bool known = false;

    for (size_t i = 0; i < table->count && !failed; i++) {
        const int64_t value = of(&table->rows[i], offset);

        known |= value >= 0;
        failed = js_append(list, value < 0 ? js_new_null() : js_new_integer(value));
    }
    return put(columns, name, js_unless(failed, list), known);
}

static int64_t count_of(const struct shown *row, size_t offset)
{
    return *(const int *)((const char *)row->record + offset);
}

static int64_t outcome_of(const struct shown *row, size_t unused)
{
    (void)unused;
    return row->record->outcome;
}

static int64_t rule_number(const struct shown *row, size_t unused)
{
    (void)unused;
    return row->rule == RULE_NONE ? -1 : (int64_t)row->rule;
}

static int64_t limiter_of(const struct shown *row, size_t unused)
{
    (void)unused;
    return row->record->prediction.predicted ? row->record->prediction.limiter : -1;
}

/* Resource and share in per mille, resource and share, ... */
static struct json *busy_of(const struct record *record)
{
    struct json *list = js_new_array();
    int failed = !list, r;

    for (r = 0; r < RESOURCE_COUNT && !failed; r++)
        if (record->prediction.busy[r] >= BUSY_LEAST)
            failed = js_append(list, js_new_integer(r)) ||
                     js_append(list, js_new_integer(lround(1000 * record->prediction.busy[r])));
    return js_unless(failed, list);
}

static int add_busy(struct json *columns, const struct table *table)
{
    struct json *list = js_new_array();
    int failed = !list;
    bool known = false;

    for (size_t i = 0; i < table->count && !failed; i++) {
        const struct record *record = table->rows[i].record;

        known |= record->prediction.predicted;
        failed = js_append(list, record->prediction.predicted ? busy_of(record) : js_new_null());
    }
    return put(columns, "busy", js_unless(failed, list), known);
}

/* Thousands of variants fail with few messages: a message is a place in the list of all. */
static int add_messages(struct json *columns, const struct table *table)
{
    struct json *list = js_new_array();
    const char *last = NULL;
    int failed = !list;
    int64_t count = (int64_t)js_count(&(struct js_at){.value = table->messages});
    bool known = false;

    for (size_t i = 0; i < table->count && !failed; i++) {
        const char *message = table->rows[i].record->message;

        if (message && (!last || strcmp(last, message))) {
            failed = js_append(table->messages, js_new_string(message));
            last = message;
            count++;
        }
        known |= message != NULL;
        failed |= js_append(list, message ? js_new_integer(count - 1) : js_new_null());
    }
    return put(columns, "message", js_unless(failed, list), known);
}

static int add_same_as(struct json *columns, const struct table *table)
{
    struct json *list = js_new_array();
    int failed = !list;
    bool known = false;

    for (size_t i = 0; i < table->count && !failed; i++) {
        const char *same_as = table->rows[i].record->same_as;

        known |= same_as != NULL;
        failed = js_append(list, same_as ? js_new_string(same_as) : js_new_null());
    }
    return put(columns, "same_as", js_unless(failed, list), known);
}

static struct json *columns_of(const struct table *table)
{
    struct json *columns = js_new_object();
    int failed = !columns;

    for (size_t c = 0; c < sizeof reals / sizeof *reals && !failed; c++)
        failed = add_reals(columns, table, &reals[c]);
    for (size_t c = 0; c < sizeof counts / sizeof *counts && !failed; c++)
        failed = add_integers(columns, table, counts[c].name, count_of, counts[c].offset);
    if (!failed)
        failed = add_integers(columns, table, "outcome", outcome_of, 0) ||
                 add_integers(columns, table, "rule", rule_number, 0) ||
                 add_integers(columns, table, "limiter", limiter_of, 0) || add_busy(columns, table) ||
                 add_messages(columns, table) || add_same_as(columns, table);
    return js_unless(failed, columns);
}

static struct json *keys_of(const struct table *table)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (size_t i = 0; i < table->count && !failed; i++)
        failed = js_append(list, js_new_string(table->rows[i].record->key));
    return js_unless(failed, list);
}

int report_columns(struct json *out, const struct report_problem *problem, struct json *messages,
                   struct err *err)
{
    struct table table = {.messages = messages};
    int rc = table_init(&table, problem, err);

    if (!rc && (js_set(out, "keys", keys_of(&table)) || js_set(out, "columns", columns_of(&table))))
        rc = err_memory(err);
    table_release(&table);
    return rc;
}
