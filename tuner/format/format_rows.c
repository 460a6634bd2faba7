/* What is best for each problem size, as a JSON list: for programs that want no more of a decision. */
#include "tuner/format/format.h"

#include <stdlib.h>

static struct json *row_json(const struct decision *decision, const struct js_at *problem)
{
    struct json *object = js_new_object();
    struct js_at best, sizes;

    return js_unless(!js_find(&best, problem, "best") || !js_find(&sizes, problem, "problem") ||
                         js_set_string(object, "device", decision->device) ||
                         js_set(object, "problem", js_copy(sizes.value)) ||
                         js_set(object, "best", js_copy(best.value)),
                     object);
}

static int write_rows(FILE *out, const struct format_input *in, struct err *err)
{
    struct json *list = js_new_array();
    char *text = NULL;
    bool failed = !list;

    for (size_t d = 0; d < in->decision_count; d++)
        for (size_t p = 0; p < js_count(&in->decisions[d].problems) && !failed; p++)
            failed = js_append(list, row_json(&in->decisions[d], &in->decisions[d].problem_at[p]));
    if (!failed)
        text = js_text(list, JS_PRETTY);
    js_free(list);
    if (!text)
        return err_memory(err);
    fprintf(out, "%s\n", text);
    free(text);
    return 0;
}

const struct format format_rows = {.name = "rows", .file = "-", .reads_decision = true, .write = write_rows};
