#include "tuner/decision/header_table.h"

#include "base/hash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_parameter(const struct decision *decision, const char *word, size_t length)
{
    for (size_t p = 0; p < decision->parameter_count; p++)
        if (strlen(decision->parameters[p]) == length && !memcmp(decision->parameters[p], word, length))
            return true;
    return false;
}

static void put_letter(struct header_table *table, size_t *used, char letter)
{
    if (*used + 1 < sizeof table->lower)
        table->lower[(*used)++] = is_letter(letter) ? (char)tolower((unsigned char)letter) : '_';
}

/* The words among template arguments, each behind a '_', but for parameters: what stands for a value does not tell one
 * kernel from another. */
static void put_arguments(struct header_table *table, size_t *used, const char *at)
{
    size_t length, k;

    for (; *at; at += length ? length : 1) {
        for (length = 0; is_letter(at[length]); length++)
            ;
        if (!length || is_parameter(table->first, at, length))
            continue;
        put_letter(table, used, '_');
        for (k = 0; k < length; k++)
            put_letter(table, used, at[k]);
    }
}

/* The kernel's name as an identifier, and a number for what two names that give the same one differ in. */
static void name_prefix(struct header_table *table)
{
    const char *kernel = table->first->kernel;
    size_t used = 0;

    table->mark = (unsigned)(hash_text(HASH_START, kernel) & 0x7fffffff);
    if (isdigit((unsigned char)kernel[0]))
        put_letter(table, &used, '_');
    for (; *kernel && *kernel != '<'; kernel++)
        put_letter(table, &used, *kernel);
    put_arguments(table, &used, kernel);
    for (size_t k = 0; k < used; k++)
        table->upper[k] = (char)toupper((unsigned char)table->lower[k]);
}

static bool same_names(const char *const *a, size_t a_count, const char *const *b, size_t b_count)
{
    for (size_t i = 0; a_count == b_count && i < a_count; i++)
        if (strcmp(a[i], b[i]))
            return false;
    return a_count == b_count;
}

static int check_alike(const struct header_table *table, struct err *err)
{
    const struct decision *first = table->first, *other;

    for (size_t i = 1; i < table->decision_count; i++) {
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

static bool same_values(const struct header_table *table, size_t a, size_t b)
{
    for (size_t p = 0; p < table->first->parameter_count; p++)
        if (!value_equal(&table->rows[a]->values[p], &table->rows[b]->values[p]))
            return false;
    return true;
}

static void find_distinct(struct header_table *table)
{
    size_t v;

    for (size_t row = 0; row < table->row_count; row++) {
        for (v = 0; v < table->distinct_count && !same_values(table, row, table->distinct[v]); v++)
            ;
        if (v == table->distinct_count)
            table->distinct[table->distinct_count++] = row;
        table->variants[row] = v;
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

/* The file that a row is of. */
static const char *path_of(const struct header_table *table, size_t row)
{
    const struct decision *from = table->decisions;

    while (row >= from->row_count)
        row -= (from++)->row_count;
    return from->path;
}

/* The type that holds a parameter in every row; numbers widen to each other, other mixtures are refused. */
static int find_types(struct header_table *table, struct err *err)
{
    enum field_type type;

    for (size_t p = 0; p < table->first->parameter_count; p++) {
        table->types[p] = type_of(&table->first->defaults[p]);
        for (size_t row = 0; row < table->row_count; row++) {
            type = type_of(&table->rows[row]->values[p]);
            if ((type > FIELD_REAL || table->types[p] > FIELD_REAL) && type != table->types[p])
                return err_set(err, ERR_USAGE,
                               "%s: parameter %s has values of different kinds: a header cannot hold them",
                               path_of(table, row), table->first->parameters[p]);
            if (type > table->types[p])
                table->types[p] = type;
        }
    }
    return 0;
}

/* Why a macro cannot hold this code, as its tokens and as one argument among others; null: it can. */
static const char *code_fault(const char *code)
{
    char quote = '\0';
    int open = 0;

    for (const char *at = code; *at; at++) {
        if (!strncmp(at, "\?\?", 2) && strchr("=/'()!<>-", at[2]) && at[2])
            return "it holds a trigraph";
        if (quote) {
            if (*at == '\\' && at[1])
                at++;
            else if (*at == quote)
                quote = '\0';
            continue;
        }
        if (*at == '"' || *at == '\'')
            quote = *at;
        if (!strncmp(at, "//", 2) || !strncmp(at, "/*", 2))
            return "it holds a comment";
        if (*at == '#' || (unsigned char)*at > 126)
            return "it holds what no macro can, outside of a text";
        open += (*at == '(') - (*at == ')');
        if (open < 0)
            break;
    }
    return quote ? "a quotation mark has no end" : open ? "its parentheses are not in pairs" : NULL;
}

static int check_code(const struct header_table *table, struct err *err)
{
    const struct value *value;
    const char *fault;

    for (size_t row = 0; row < table->row_count; row++)
        for (size_t p = 0; p < table->first->parameter_count; p++) {
            value = &table->rows[row]->values[p];
            fault = value->kind == VALUE_STRING ? code_fault(value->string) : NULL;
            if (fault)
                return err_set(err, ERR_USAGE,
                               "%s: parameter %s: the value %.200s cannot be a macro: %s: write it otherwise",
                               path_of(table, row), table->first->parameters[p], value->string, fault);
        }
    return 0;
}

void header_table_release(struct header_table *table)
{
    free(table->rows);
    free(table->variants);
    free(table->distinct);
    free(table->types);
}

int header_table_init(struct header_table *table, const struct decision *decisions, size_t count,
                      struct err *err)
{
    size_t i, r, total = 0;
    int rc;

    *table = (struct header_table){.decisions = decisions, .decision_count = count, .first = &decisions[0]};
    for (i = 0; i < count; i++)
        total += decisions[i].row_count;
    if (!total)
        return err_set(err, ERR_USAGE, "%s: has no winner to make a header of", decisions[0].path);
    rc = check_alike(table, err);
    if (rc)
        return rc;
    table->rows = calloc(total, sizeof *table->rows);
    table->variants = calloc(total, sizeof *table->variants);
    table->distinct = calloc(total, sizeof *table->distinct);
    table->types = calloc(table->first->parameter_count + 1, sizeof *table->types);
    if (!table->rows || !table->variants || !table->distinct || !table->types)
        return err_memory(err);
    for (i = 0; i < count; i++)
        for (r = 0; r < decisions[i].row_count; r++)
            table->rows[table->row_count++] = &decisions[i].rows[r];
    name_prefix(table);
    find_distinct(table);
    table->fallback = decision_overall(table->rows, table->row_count, table->first->parameters,
                                       table->first->parameter_count);
    rc = find_types(table, err);
    return rc ? rc : check_code(table, err);
}
