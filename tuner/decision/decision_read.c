/* Decisions read back, all or nothing. They come from anywhere, and what they hold becomes C and the options
 * of a compiler: whatever could mean more there than it says is refused. */
#include "tuner/decision/decision.h"

#include "base/file.h"
#include "space/configuration.h"
#include "tuner/evaluate/environment.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int get_text(const char **out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;

    *out = "";
    return js_member(&at, object, key, err) || js_string(out, &at, err) ? ERR_USAGE : 0;
}

static int get_unsigned(unsigned *out, const struct js_at *at, struct err *err)
{
    uint64_t value;

    if (js_unsigned(&value, at, err))
        return ERR_USAGE;
    if (value > UINT_MAX)
        return js_fail(at, err, "is too large");
    *out = (unsigned)value;
    return 0;
}

static int get_texts(const char ***out, size_t *count, const struct js_at *object, const char *key,
                     struct err *err)
{
    struct js_at list, at;

    if (js_member(&list, object, key, err) || js_expect(&list, JS_ARRAY, err))
        return ERR_USAGE;
    *out = calloc(js_count(&list) + 1, sizeof **out);
    if (!*out)
        return err_memory(err);
    *count = js_count(&list);
    for (size_t i = 0; i < *count; i++) {
        at = js_element(&list, i);
        if (js_string(&(*out)[i], &at, err))
            return ERR_USAGE;
    }
    return 0;
}

static bool has_control(const char *text)
{
    for (; *text && !iscntrl((unsigned char)*text); text++)
        ;
    return *text;
}

static bool is_identifier(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return *text && strspn(text, letters) == strlen(text) && !(*text >= '0' && *text <= '9');
}

/* The names of a list are identifiers, and each stands there once. */
static int get_names(const char ***out, size_t *count, const struct js_at *object, const char *key,
                     struct err *err)
{
    struct js_at list = {0}, at;
    const int rc = get_texts(out, count, object, key, err);

    if (rc)
        return rc;
    js_find(&list, object, key);
    for (size_t i = 0; i < *count; i++) {
        at = js_element(&list, i);
        if (!is_identifier((*out)[i]))
            return js_fail(&at, err, "is no name: expected a letter or _, then letters, digits and _");
        for (size_t k = 0; k < i; k++)
            if (!strcmp((*out)[k], (*out)[i]))
                return js_fail(&at, err, "stands there twice");
    }
    return 0;
}

/* Options of the compiler: each on one line. */
static int get_options(struct decision_row *row, const struct js_at *best, struct err *err)
{
    struct js_at list = {0}, at;
    const int rc = get_texts(&row->options, &row->option_count, best, "options", err);

    if (rc)
        return rc;
    js_find(&list, best, "options");
    for (size_t i = 0; i < row->option_count; i++) {
        at = js_element(&list, i);
        if (has_control(row->options[i]))
            return js_fail(&at, err, "holds a control character");
    }
    return 0;
}

static int get_values(struct value **out, const struct decision *decision, const struct js_at *object,
                      const char *key, struct err *err)
{
    struct js_at configuration, at;

    if (js_member(&configuration, object, key, err))
        return ERR_USAGE;
    *out = calloc(decision->parameter_count + 1, sizeof **out);
    if (!*out)
        return err_memory(err);
    for (size_t p = 0; p < decision->parameter_count; p++)
        if (js_member(&at, &configuration, decision->parameters[p], err) ||
            value_from_json(&(*out)[p], &at, err) || value_check_line(&(*out)[p], &at, err))
            return ERR_USAGE;
    return 0;
}

static int get_sizes(double **out, const struct decision *decision, const struct js_at *problem,
                     struct err *err)
{
    struct js_at sizes, at;

    if (js_member(&sizes, problem, "problem", err))
        return ERR_USAGE;
    *out = calloc(decision->size_count + 1, sizeof **out);
    if (!*out)
        return err_memory(err);
    for (size_t s = 0; s < decision->size_count; s++)
        if (js_member(&at, &sizes, decision->sizes[s], err) || js_real(&(*out)[s], &at, err))
            return ERR_USAGE;
    return 0;
}

static int get_geometry(struct decision_row *row, const struct js_at *best, struct err *err)
{
    struct js_at block, at;

    if (js_member(&block, best, "block", err) || js_expect(&block, JS_ARRAY, err))
        return ERR_USAGE;
    if (js_count(&block) != 3)
        return js_fail(&block, err, "expected 3 numbers");
    for (size_t i = 0; i < 3; i++) {
        at = js_element(&block, i);
        if (get_unsigned(&row->block[i], &at, err))
            return ERR_USAGE;
        if (!row->block[i])
            return js_fail(&at, err, "is 0: a thread block has threads in every direction");
    }
    if (js_member(&at, best, "shared_dynamic_bytes", err))
        return ERR_USAGE;
    return get_unsigned(&row->shared_dynamic_bytes, &at, err);
}

/* Of a second, in the objective; 1 where that is the time. */
static double weight_of(const struct js_at *variant)
{
    struct js_at at;
    double weight;

    return js_find(&at, variant, "weight") && !js_real(&weight, &at, NULL) && weight > 0 ? weight : 1;
}

/* In milliseconds; of what was predicted only, the estimate. */
static int read_time(struct decision_row *row, const struct js_at *best, struct err *err)
{
    struct js_at at, from = *best;

    if (row->estimated && js_member(&from, best, "predicted", err))
        return ERR_USAGE;
    return js_member(&at, &from, row->estimated ? "estimate_ms" : "time_ms", err) ||
                   js_real(&row->time_s, &at, err)
               ? ERR_USAGE
               : 0;
}

static int get_times(struct decision_row *row, const struct js_at *problem, const struct js_at *best,
                     struct err *err)
{
    struct js_at at;

    row->speedup = NAN;
    if (read_time(row, best, err))
        return ERR_USAGE;
    row->time_s *= 1e-3;
    row->cost = row->time_s * weight_of(best);
    if (js_find(&at, problem, "speedup") && js_real(&row->speedup, &at, err))
        return ERR_USAGE;
    if (js_member(&row->finalists, problem, "finalists", err))
        return ERR_USAGE;
    return js_expect(&row->finalists, JS_ARRAY, err);
}

static int read_row(struct decision *out, const struct js_at *problem, struct err *err)
{
    struct decision_row *row = &out->rows[out->row_count];
    const struct js_at *device;
    struct js_at best, at;
    int rc;

    if (js_member(&best, problem, "best", err))
        return ERR_USAGE;
    if (js_kind(&best) == JS_NULL)
        return 0;
    out->row_count++;
    row->estimated = !strcmp(out->level, "predicted");
    device = js_find(&at, problem, "device") ? problem : &out->signature;
    if (get_text(&row->device, device, "device", err) || js_member(&at, device, "sm", err) ||
        get_unsigned(&row->sm, &at, err))
        return ERR_USAGE;
    rc = get_sizes(&row->sizes, out, problem, err);
    if (!rc)
        rc = get_values(&row->values, out, &best, "configuration", err);
    if (!rc)
        rc = get_options(row, &best, err);
    if (!rc)
        rc = get_geometry(row, &best, err);
    return rc ? rc : get_times(row, problem, &best, err);
}

static int read_rows(struct decision *out, struct err *err)
{
    size_t count;
    int rc = 0;

    if (js_member(&out->problems, &out->root, "problems", err) || js_expect(&out->problems, JS_ARRAY, err))
        return ERR_USAGE;
    count = js_count(&out->problems);
    if (!count)
        return js_fail(&out->problems, err, "is empty");
    out->rows = calloc(count, sizeof *out->rows);
    out->problem_at = calloc(count, sizeof *out->problem_at);
    if (!out->rows || !out->problem_at)
        return err_memory(err);
    for (size_t i = 0; i < count && !rc; i++) {
        out->problem_at[i] = js_element(&out->problems, i);
        rc = get_text(&out->date, &out->problem_at[i], "recorded_date", err);
        if (!rc)
            rc = read_row(out, &out->problem_at[i], err);
    }
    return rc;
}

static int read_document(struct decision *out, struct err *err)
{
    struct js_at at;
    int64_t schema;
    int rc;

    if (!js_find(&at, &out->root, "schema"))
        return js_fail(&out->root, err, "is no decision of occutune tune: it has no \"schema\"");
    if (js_integer(&schema, &at, err))
        return ERR_USAGE;
    if (schema != DECISION_SCHEMA)
        return js_fail(&at, err, "is %lld, this occutune reads %d: tune again", (long long)schema,
                       DECISION_SCHEMA);
    if (get_text(&out->kernel, &out->root, "kernel", err) ||
        get_text(&out->level, &out->root, "level", err) ||
        js_member(&out->signature, &out->root, "signature", err) ||
        js_member(&out->launch, &out->root, "launch", err) ||
        get_text(&out->device, &out->signature, "device", err) ||
        get_text(&out->driver, &out->signature, "driver", err) ||
        get_text(&out->nvrtc, &out->signature, "nvrtc", err) ||
        get_text(&out->spec_hash, &out->signature, "spec_hash", err))
        return ERR_USAGE;
    rc = get_names(&out->parameters, &out->parameter_count, &out->root, "parameters", err);
    if (!rc)
        rc = get_names(&out->sizes, &out->size_count, &out->root, "sizes", err);
    if (!rc)
        rc = get_values(&out->defaults, out, &out->root, "default", err);
    return rc ? rc : read_rows(out, err);
}

int decision_take(struct decision *out, struct json *document, const char *name, struct err *err)
{
    int rc;

    *out = (struct decision){.document = document, .date = ""};
    out->path = strdup(name);
    out->root = js_root(out->document, out->path);
    rc = out->path ? read_document(out, err) : err_memory(err);
    if (rc)
        decision_release(out);
    return rc;
}

/* Whether it begins as a journal does, which may hold a key twice: JSON that no decision is. */
static bool is_journal(const char *path)
{
    char head[64] = "";
    FILE *file = file_open(path, NULL);

    if (!file)
        return false;
    head[fread(head, 1, sizeof head - 1, file)] = '\0';
    fclose(file);
    return strstr(head, "\"device_name\"");
}

int decision_read(struct decision *out, const char *path, struct err *err)
{
    struct json *document;
    struct err own = {0};
    int rc = js_read_file(&document, path, &own);

    *out = (struct decision){.date = ""};
    if (rc == ERR_USAGE && is_journal(path))
        return err_set(err, ERR_USAGE, "%s: is a journal, no decision of occutune tune", path);
    return rc ? err_set(err, rc, "%s", own.text) : decision_take(out, document, path, err);
}

void decision_release(struct decision *decision)
{
    for (size_t i = 0; i < decision->row_count; i++) {
        free(decision->rows[i].sizes);
        free(decision->rows[i].values);
        free(decision->rows[i].options);
    }
    free(decision->rows);
    free(decision->problem_at);
    free(decision->parameters);
    free(decision->sizes);
    free(decision->defaults);
    free(decision->path);
    js_free(decision->document);
    *decision = (struct decision){.date = ""};
}

/* The one formula, which stands in generated headers as well. */
#define PREFIX_distance sizes_distance
#include "tuner/decision/distance.inc"
#undef PREFIX_distance

double decision_distance(const double *a, const double *b, size_t count)
{
    return sizes_distance(a, b, (int)count);
}

const struct decision_row *decision_find(const struct decision *decision, const char *device, unsigned sm,
                                         const double *sizes)
{
    const struct decision_row *best = NULL, *row;
    double nearest = INFINITY, far;
    bool ours, best_is_ours = false;

    for (row = decision->rows; row < decision->rows + decision->row_count; row++) {
        ours = !device || environment_same_name(row->device, device);
        if (!ours && (!sm || row->sm != sm))
            continue;
        far = decision_distance(row->sizes, sizes, decision->size_count);
        if (best && (best_is_ours > ours || (best_is_ours == ours && far >= nearest)))
            continue;
        best = row;
        nearest = far;
        best_is_ours = ours;
    }
    return best;
}

/* How good configuration `values` is in a row: the best cost over its cost where it stood in the finals, else 0. */
static double relative_speed(const struct decision_row *row, const struct value *values,
                             const char *const *parameters, size_t count)
{
    struct js_at finalist, configuration, at, time;
    struct value value;
    double time_ms;
    size_t p;

    for (size_t i = 0; i < js_count(&row->finalists); i++) {
        finalist = js_element(&row->finalists, i);
        if (!js_find(&configuration, &finalist, "configuration") || !js_find(&time, &finalist, "time_ms") ||
            js_real(&time_ms, &time, NULL))
            continue;
        for (p = 0; p < count; p++)
            if (!js_find(&at, &configuration, parameters[p]) || value_from_json(&value, &at, NULL) ||
                !value_equal(&value, &values[p]))
                break;
        if (p == count)
            return row->cost * 1e3 / (time_ms * weight_of(&finalist));
    }
    return 0;
}

size_t decision_overall(const struct decision_row *const *rows, size_t count, const char *const *parameters,
                        size_t parameter_count)
{
    double sum, best = -1;
    size_t candidate, row, found = 0;

    for (candidate = 0; candidate < count; candidate++) {
        sum = 0;
        for (row = 0; row < count; row++)
            sum += relative_speed(rows[row], rows[candidate]->values, parameters, parameter_count);
        if (sum > best) {
            best = sum;
            found = candidate;
        }
    }
    return found;
}
