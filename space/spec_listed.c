/* The part of a spec that lists configurations one by one: `configurations`. */
#include "space/configuration.h"
#include "space/spec_reader.h"

#include <stdlib.h>

/* The choice that has the value at `at`. The search begins at `near`, since rows are mostly in order. */
static int find_choice(uint16_t *out, const struct spec_parameter *parameter, const struct js_at *at,
                       unsigned near, struct err *err)
{
    struct value value;
    char text[128];
    size_t choice;

    if (value_from_json(&value, at, err))
        return ERR_USAGE;
    for (size_t k = 0; k < parameter->value_count; k++) {
        choice = (near + k) % parameter->value_count;
        if (!value_equal(&value, &parameter->values[choice]))
            continue;
        *out = (uint16_t)choice;
        return 0;
    }
    value_quoted(text, sizeof text, &value);
    return js_fail(at, err, "%s is not among the values of %s", text, parameter->name);
}

static int read_row(struct reader *reader, const struct js_at *row)
{
    struct spec *spec = reader->spec;
    struct listing *listed = &spec->listed;
    uint16_t *choices = listed->rows + listed->count * listed->width;
    const uint16_t *above = listed->count ? choices - listed->width : NULL;
    struct js_at value;

    if (js_expect(row, JS_ARRAY, reader->err))
        return ERR_USAGE;
    if (js_count(row) != spec->parameter_count)
        return js_fail(row, reader->err,
                       "has %zu values; give one for each of the %zu parameters, in their order",
                       js_count(row), spec->parameter_count);
    for (size_t p = 0; p < spec->parameter_count; p++) {
        value = js_element(row, p);
        if (find_choice(&choices[p], &spec->parameters[p], &value, above ? above[p] : 0, reader->err))
            return ERR_USAGE;
    }
    listed->count++;
    return 0;
}

int read_listed(struct reader *reader)
{
    struct spec *spec = reader->spec;
    struct js_at list, row;

    if (!js_find(&list, &reader->root, "configurations"))
        return 0;
    if (js_expect(&list, JS_ARRAY, reader->err))
        return ERR_USAGE;
    if (js_count(&list) == 0)
        return js_fail(&list, reader->err,
                       "the list is empty; give at least one configuration, or remove it");
    spec->listed.given = true;
    spec->listed.width = (unsigned)spec->parameter_count;
    spec->listed.rows = calloc(js_count(&list) * spec->parameter_count, sizeof *spec->listed.rows);
    if (!spec->listed.rows)
        return err_memory(reader->err);
    for (size_t r = 0; r < js_count(&list); r++) {
        row = js_element(&list, r);
        if (read_row(reader, &row))
            return ERR_USAGE;
    }
    listed_sort(&spec->listed);
    return 0;
}
