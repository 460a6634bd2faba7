#include "tuner/header.h"

#include "space/configuration.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum field_type { FIELD_INT, FIELD_LONG, FIELD_REAL, FIELD_BOOL, FIELD_STRING };

/* What is written, gathered. */
struct table {
    const struct decision *decisions;
    size_t decision_count;
    const struct decision_row **rows;
    size_t row_count;
    const struct decision *first; /* names of parameters and sizes */
    size_t *variants;             /* of each row: which distinct configuration */
    size_t *distinct;             /* of each distinct configuration: its first row */
    size_t distinct_count;
    size_t fallback;           /* row with the configuration best over all */
    enum field_type *types;    /* of the parameters */
    char lower[64], upper[64]; /* the kernel's name as an identifier */
};

/* Gathering
 * -----------------------------------------------------------------------------------------------------------
 */

/* The kernel's name up to template arguments, with '_' for what no identifier may hold. */
static void name_prefix(struct table *table, const char *kernel)
{
    size_t used = 0;

    if (isdigit((unsigned char)kernel[0]))
        table->lower[used++] = '_';
    for (; *kernel && *kernel != '<' && used + 1 < sizeof table->lower; kernel++)
        table->lower[used++] = isalnum((unsigned char)*kernel) ? (char)tolower((unsigned char)*kernel) : '_';
    table->lower[used] = '\0';
    for (used = 0; table->lower[used]; used++)
        table->upper[used] = (char)toupper((unsigned char)table->lower[used]);
    table->upper[used] = '\0';
}

static bool same_names(const char *const *a, size_t a_count, const char *const *b, size_t b_count)
{
    size_t i;

    for (i = 0; a_count == b_count && i < a_count; i++)
        if (strcmp(a[i], b[i]))
            return false;
    return a_count == b_count;
}

static int check_alike(const struct table *table, struct err *err)
{
    const struct decision *first = table->first, *other;
    size_t i;

    for (i = 1; i < table->decision_count; i++) {
        other = &table->decisions[i];
        if (strcmp(first->kernel, other->kernel))
            return err_set(err, ERR_USAGE, "%s: is about kernel %s, %s about %s: one header holds one kernel",
                           other->path, other->kernel, first->path, first->kernel);
        if (!same_names(first->parameters, first->parameter_count, other->parameters, other->parameter_count))
            return err_set(err, ERR_USAGE, "%s: has other parameters than %s", other->path, first->path);
        if (!same_names(first->sizes, first->size_count, other->sizes, other->size_count))
            return err_set(err, ERR_USAGE, "%s: has other problem sizes than %s", other->path, first->path);
    }
    return 0;
}

static bool same_values(const struct table *table, size_t a, size_t b)
{
    size_t p;

    for (p = 0; p < table->first->parameter_count; p++)
        if (!value_equal(&table->rows[a]->values[p], &table->rows[b]->values[p]))
            return false;
    return true;
}

static void find_distinct(struct table *table)
{
    size_t row, v;

    for (row = 0; row < table->row_count; row++) {
        for (v = 0; v < table->distinct_count && !same_values(table, row, table->distinct[v]); v++)
            ;
        if (v == table->distinct_count)
            table->distinct[table->distinct_count++] = row;
        table->variants[row] = v;
    }
}

/* How fast configuration `values` is in a row: best time over its time where it stood in the finals, else 0.
 */
static double relative_speed(const struct table *table, const struct decision_row *row,
                             const struct value *values)
{
    struct js_at finalist, configuration, at, time;
    struct value value;
    double time_ms;
    size_t i, p;

    for (i = 0; i < js_count(&row->finalists); i++) {
        finalist = js_element(&row->finalists, i);
        if (!js_find(&configuration, &finalist, "configuration") || !js_find(&time, &finalist, "time_ms") ||
            js_real(&time_ms, &time, NULL))
            continue;
        for (p = 0; p < table->first->parameter_count; p++)
            if (!js_find(&at, &configuration, table->first->parameters[p]) ||
                value_from_json(&value, &at, NULL) || !value_equal(&value, &values[p]))
                break;
        if (p == table->first->parameter_count)
            return row->time_s * 1e3 / time_ms;
    }
    return 0;
}

/* One real configuration that is good everywhere, rather than the best of each parameter. */
static void find_fallback(struct table *table)
{
    double sum, best = -1;
    size_t v, row;

    for (v = 0; v < table->distinct_count; v++) {
        sum = 0;
        for (row = 0; row < table->row_count; row++)
            sum += relative_speed(table, table->rows[row], table->rows[table->distinct[v]]->values);
        if (sum > best) {
            best = sum;
            table->fallback = table->distinct[v];
        }
    }
}

static enum field_type type_of(const struct value *value)
{
    switch (value->kind) {
    case VALUE_BOOL:
        return FIELD_BOOL;
    case VALUE_REAL:
        return FIELD_REAL;
    case VALUE_STRING:
        return FIELD_STRING;
    case VALUE_INTEGER:
        break;
    }
    return value->integer >= INT32_MIN && value->integer <= INT32_MAX ? FIELD_INT : FIELD_LONG;
}

/* The type that holds a parameter in every row; numbers widen to each other, other mixtures are refused. */
static int find_types(struct table *table, struct err *err)
{
    enum field_type type;
    size_t p, row;

    for (p = 0; p < table->first->parameter_count; p++) {
        table->types[p] = type_of(&table->first->defaults[p]);
        for (row = 0; row < table->row_count; row++) {
            type = type_of(&table->rows[row]->values[p]);
            if ((type > FIELD_REAL || table->types[p] > FIELD_REAL) && type != table->types[p])
                return err_set(err, ERR_USAGE,
                               "parameter %s has values of different kinds: a header cannot hold them",
                               table->first->parameters[p]);
            if (type > table->types[p])
                table->types[p] = type;
        }
    }
    return 0;
}

static void table_release(struct table *table)
{
    free(table->rows);
    free(table->variants);
    free(table->distinct);
    free(table->types);
}

static int table_init(struct table *table, const struct decision *decisions, size_t count, struct err *err)
{
    size_t i, r, total = 0;
    int code;

    *table = (struct table){.decisions = decisions, .decision_count = count, .first = &decisions[0]};
    for (i = 0; i < count; i++)
        total += decisions[i].row_count;
    if (!total)
        return err_set(err, ERR_USAGE, "%s: has no winner to make a header of", decisions[0].path);
    code = check_alike(table, err);
    if (code)
        return code;
    table->rows = calloc(total, sizeof *table->rows);
    table->variants = calloc(total, sizeof *table->variants);
    table->distinct = calloc(total, sizeof *table->distinct);
    table->types = calloc(table->first->parameter_count + 1, sizeof *table->types);
    if (!table->rows || !table->variants || !table->distinct || !table->types)
        return err_memory(err);
    for (i = 0; i < count; i++)
        for (r = 0; r < decisions[i].row_count; r++)
            table->rows[table->row_count++] = &decisions[i].rows[r];
    name_prefix(table, table->first->kernel);
    find_distinct(table);
    find_fallback(table);
    return find_types(table, err);
}

/* Writing
 * -------------------------------------------------------------------------------------------------------------
 */

/* Text inside a comment or literal: nothing that could end either. */
static void put_plain(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(isprint((unsigned char)*text) && !(text[0] == '*' && text[1] == '/') ? *text : ' ', out);
}

static void put_literal(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (isprint((unsigned char)*text) && *text != '?')
            fputc(*text, out);
        else
            fprintf(out, "\\%03o", (unsigned char)*text);
    }
    fputc('"', out);
}

static void put_real(FILE *out, double value)
{
    char text[40];

    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void put_value(FILE *out, const struct value *value, enum field_type type)
{
    if (value->kind == VALUE_STRING)
        put_literal(out, value->string);
    else if (type == FIELD_REAL)
        put_real(out, value_real(value));
    else
        fprintf(out, "%" PRId64 "%s", value->integer, type == FIELD_LONG ? "LL" : "");
}

/* As the compiler's -D had it: strings are code. */
static void put_token(FILE *out, const struct value *value, enum field_type type)
{
    if (value->kind == VALUE_STRING)
        put_plain(out, value->string);
    else
        put_value(out, value, type);
}

static void put_problem(FILE *out, const struct table *table, const struct decision_row *row)
{
    size_t s;

    for (s = 0; s < table->first->size_count; s++)
        fprintf(out, " %s=%.15g", table->first->sizes[s], row->sizes[s]);
}

static void put_expressions(FILE *out, const struct decision *decision, const char *key)
{
    struct js_at list, at;
    const char *text;
    size_t i;

    if (!js_find(&list, &decision->launch, key))
        return;
    fprintf(out, " *   %-5s", key);
    for (i = 0; i < js_count(&list); i++) {
        at = js_element(&list, i);
        if (js_string(&text, &at, NULL))
            continue;
        fprintf(out, "%s", i ? "; " : " ");
        put_plain(out, text);
    }
    fprintf(out, "\n");
}

static void put_provenance(FILE *out, const struct table *table)
{
    const struct decision *decision;
    size_t i;

    fprintf(out, "/* Generated by occutune: the best configurations of kernel ");
    put_plain(out, table->first->kernel);
    fprintf(out, ".\n *\n");
    for (i = 0; i < table->decision_count; i++) {
        decision = &table->decisions[i];
        fprintf(out, " * ");
        put_plain(out, decision->device);
        fprintf(out, ": %s%s%s, driver ", decision->level, *decision->date ? " " : "", decision->date);
        put_plain(out, *decision->driver ? decision->driver : "unknown");
        fprintf(out, ", NVRTC ");
        put_plain(out, *decision->nvrtc ? decision->nvrtc : "unknown");
        fprintf(out, ", spec %s\n", decision->spec_hash);
    }
    fprintf(out, " *\n * The launch as the spec has it:\n");
    put_expressions(out, table->first, "grid");
    put_expressions(out, table->first, "block");
    fprintf(out, " */\n#ifndef OCCUTUNE_%s_H\n#define OCCUTUNE_%s_H\n\n", table->upper, table->upper);
}

static void put_macros(FILE *out, const struct table *table, size_t chosen)
{
    const struct decision_row *row = table->rows[chosen];
    const char *upper = table->upper;
    size_t p, o;

    fprintf(out, "/* 1. One configuration as macros: ");
    put_plain(out, row->device);
    put_problem(out, table, row);
    fprintf(out, ", %.6g ms", row->time_s * 1e3);
    if (!isnan(row->speedup))
        fprintf(out, ", %.3g times as fast as the default", row->speedup);
    fprintf(out, ". */\n");
    for (p = 0; p < table->first->parameter_count; p++) {
        fprintf(out, "#define %s_%s ", upper, table->first->parameters[p]);
        put_token(out, &row->values[p], table->types[p]);
        fprintf(out, "\n");
    }
    fprintf(out, "#define %s_BLOCK_X %u\n#define %s_BLOCK_Y %u\n#define %s_BLOCK_Z %u\n", upper,
            row->block[0], upper, row->block[1], upper, row->block[2]);
    fprintf(out, "#define %s_SHARED_DYNAMIC_BYTES %u\n#define %s_OPTIONS \"", upper,
            row->shared_dynamic_bytes, upper);
    for (o = 0; o < row->option_count; o++) {
        const char *text = row->options[o];

        fprintf(out, "%s", o ? " " : "");
        for (; *text; text++)
            fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    fprintf(out, "\"\n\n");
}

static void put_x_macro(FILE *out, const struct table *table)
{
    const struct decision_row *row;
    size_t v, p;

    fprintf(out, "/* 2. The distinct configurations, X(variant");
    for (p = 0; p < table->first->parameter_count; p++)
        fprintf(out, ", %s", table->first->parameters[p]);
    fprintf(out, "): for templates that are instantiated ahead. */\n#define %s_CONFIGURATIONS(X)",
            table->upper);
    for (v = 0; v < table->distinct_count; v++) {
        row = table->rows[table->distinct[v]];
        fprintf(out, " \\\n    X(%zu", v);
        for (p = 0; p < table->first->parameter_count; p++) {
            fprintf(out, ", ");
            put_token(out, &row->values[p], table->types[p]);
        }
        fprintf(out, ")");
    }
    fprintf(out, "\n#define %s_CONFIGURATION_COUNT %zu\n\n", table->upper, table->distinct_count);
}

static void put_struct(FILE *out, const struct table *table)
{
    static const char *const types[] = {[FIELD_INT] = "int ",
                                        [FIELD_LONG] = "long long ",
                                        [FIELD_REAL] = "double ",
                                        [FIELD_BOOL] = "int ",
                                        [FIELD_STRING] = "const char *"};
    size_t p;

    fprintf(out,
            "/* 3. All rows, and the choice among them at run time. */\n"
            "struct %s_configuration {\n"
            "    const char *device; /* as the driver names it */\n"
            "    int sm;             /* architecture: 90 for sm_90 */\n"
            "    double size[%zu];    /* of the problem:",
            table->lower, table->first->size_count ? table->first->size_count : 1);
    for (p = 0; p < table->first->size_count; p++)
        fprintf(out, " %s", table->first->sizes[p]);
    fprintf(out, " */\n"
                 "    double time_ms;\n"
                 "    int variant; /* its number in the list above */\n");
    for (p = 0; p < table->first->parameter_count; p++)
        fprintf(out, "    %s%s;\n", types[table->types[p]], table->first->parameters[p]);
    fprintf(out, "    unsigned block[3], shared_dynamic_bytes;\n"
                 "    const char *const *options; /* for NVRTC, `option_count` of them */\n"
                 "    int option_count;\n"
                 "};\n\n");
}

static void put_options(FILE *out, const struct table *table)
{
    size_t row, o;

    for (row = 0; row < table->row_count; row++) {
        fprintf(out, "static const char *const %s_options_%zu[] = {", table->lower, row);
        for (o = 0; o < table->rows[row]->option_count; o++) {
            put_literal(out, table->rows[row]->options[o]);
            fprintf(out, ", ");
        }
        fprintf(out, "0};\n");
    }
}

static void put_row(FILE *out, const struct table *table, size_t at)
{
    const struct decision_row *row = table->rows[at];
    size_t i;

    fprintf(out, "    {");
    put_literal(out, row->device);
    fprintf(out, ", %u, {", row->sm);
    for (i = 0; i < table->first->size_count; i++) {
        fprintf(out, "%s", i ? ", " : "");
        put_real(out, row->sizes[i]);
    }
    fprintf(out, "%s}, ", table->first->size_count ? "" : "0");
    put_real(out, row->time_s * 1e3);
    fprintf(out, ", %zu, ", table->variants[at]);
    for (i = 0; i < table->first->parameter_count; i++) {
        put_value(out, &row->values[i], table->types[i]);
        fprintf(out, ", ");
    }
    fprintf(out, "{%u, %u, %u}, %u, %s_options_%zu, %zu},\n", row->block[0], row->block[1], row->block[2],
            row->shared_dynamic_bytes, table->lower, at, row->option_count);
}

static void put_rows(FILE *out, const struct table *table)
{
    size_t row;

    put_options(out, table);
    fprintf(out, "static const struct %s_configuration %s_configurations[] = {\n", table->lower,
            table->lower);
    for (row = 0; row < table->row_count; row++)
        put_row(out, table, row);
    fprintf(out, "};\n\n");
}

/* The generated lookup compares names letter by letter, so that the header needs no other. Its logic stands
 * in a function of its own, where the names of problem sizes cannot meet its variables. */
static void put_nearest(FILE *out, const struct table *table)
{
    const char *name = table->lower;

    fprintf(out,
            "static inline const struct %s_configuration *%s_nearest(const char *device, int sm, const "
            "double *size)\n"
            "{\n"
            "    const int count = (int)(sizeof %s_configurations / sizeof %s_configurations[0]);\n"
            "    int best = -1, best_rank = 0, i, s;\n"
            "    double best_distance = 0;\n\n"
            "    for (i = 0; i < count; i++) {\n"
            "        const struct %s_configuration *row = &%s_configurations[i];\n"
            "        const char *a = row->device, *b = device;\n"
            "        double distance = 1;\n"
            "        int rank = sm != 0 && row->sm == sm;\n\n"
            "        for (; b && *a && *a == *b; a++, b++)\n"
            "            ;\n"
            "        if (b && *a == *b)\n"
            "            rank = 2;\n"
            "        for (s = 0; s < %zu; s++)\n"
            "            distance *= row->size[s] > size[s] ? row->size[s] / (size[s] > 0 ? size[s] : 1) : "
            "size[s] / row->size[s];\n",
            name, name, name, name, name, name, table->first->size_count);
    fprintf(out,
            "        if (rank && (rank > best_rank || (rank == best_rank && distance < best_distance))) {\n"
            "            best = i;\n"
            "            best_rank = rank;\n"
            "            best_distance = distance;\n"
            "        }\n"
            "    }\n"
            "    return &%s_configurations[best >= 0 ? best : %zu];\n"
            "}\n\n",
            name, table->fallback);
}

static void put_lookup(FILE *out, const struct table *table)
{
    size_t s;

    put_nearest(out, table);
    fprintf(out,
            "/* The row for a device (its name and architecture; null and 0 when unknown) and a problem: the "
            "device's own at\n"
            " * this size, else its nearest by ratio, else the same architecture's nearest, else the "
            "configuration that is\n"
            " * best over all. Never null. */\n"
            "static inline const struct %s_configuration *%s_configuration_for(const char *device, int sm",
            table->lower, table->lower);
    for (s = 0; s < table->first->size_count; s++)
        fprintf(out, ", double %s", table->first->sizes[s]);
    fprintf(out, ")\n{\n    const double problem_size[] = {");
    for (s = 0; s < table->first->size_count; s++)
        fprintf(out, "%s%s", s ? ", " : "", table->first->sizes[s]);
    fprintf(out, "%s};\n\n    return %s_nearest(device, sm, problem_size);\n}\n\n#endif\n",
            table->first->size_count ? "" : "0", table->lower);
}

int header_write(FILE *out, const struct decision *decisions, size_t count, size_t row, struct err *err)
{
    struct table table;
    int code = table_init(&table, decisions, count, err);

    if (!code && row >= table.row_count)
        code =
            err_set(err, ERR_USAGE, "there is no row %zu: the decisions have %zu", row + 1, table.row_count);
    if (!code) {
        put_provenance(out, &table);
        put_macros(out, &table, row);
        put_x_macro(out, &table);
        put_struct(out, &table);
        put_rows(out, &table);
        put_lookup(out, &table);
    }
    table_release(&table);
    return code;
}
