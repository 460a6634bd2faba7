#include "tuner/cli/ask_lines.h"

#include "space/configuration.h"

#include <string.h>

static struct json *sizes_json(const unsigned *sizes)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (int d = 0; d < 3 && !failed; d++)
        failed = js_append(list, js_new_integer(sizes[d]));
    return js_unless(failed, list);
}

struct json *ask_question(uint64_t number, const struct spec *spec, const unsigned *choices,
                          const struct variant *variant, const struct search_prediction *told)
{
    const struct launch *launch = &variant->launch;
    struct json *question = js_new_object(), *options = js_new_array();
    int failed = !question || !options;

    for (size_t o = 0; o < variant->option_count && !failed; o++)
        failed = js_append(options, js_new_string(variant->options[o]));
    failed = failed || js_set_integer(question, "number", (int64_t)number) ||
             js_set(question, "configuration", configuration_json(spec, choices));
    if (!failed && told->predicted)
        failed = js_set_real(question, "estimate_s", told->estimate_s) ||
                 js_set_real(question, "bound_s", told->bound_s);
    if (!failed)
        failed = js_set_string(question, "name", variant->name) | js_set(question, "options", options) |
                 js_set(question, "grid", sizes_json(launch->grid)) |
                 js_set(question, "block", sizes_json(launch->block)) |
                 js_set_integer(question, "shared_bytes", (int64_t)launch->shared_bytes);
    else
        js_free(options);
    return js_unless(failed, question);
}

int ask_answer(struct search_facts *out, const char *line, uint64_t number, struct err *err)
{
    static const char *const members[] = {"number", "time_s", "failed", NULL};
    struct json *json = NULL;
    struct js_at root, at;
    const char *reason;
    uint64_t answered = 0;
    int rc = js_read_text(&json, line, strlen(line), "answer", err);

    *out = (struct search_facts){.timed = true, .outcome = OUTCOME_RUNTIME};
    root = js_root(json, "answer");
    if (!rc)
        rc = js_only(&root, members, err);
    if (!rc && !(rc = js_member(&at, &root, "number", err)))
        rc = js_unsigned(&answered, &at, err);
    if (!rc && answered != number)
        rc = js_fail(&at, err, "is not the question that waits for an answer, %llu",
                     (unsigned long long)number);
    if (!rc && js_find(&at, &root, "failed"))
        rc = js_string(&reason, &at, err);
    else if (!rc && !(rc = js_member(&at, &root, "time_s", err))) {
        out->outcome = OUTCOME_OK;
        rc = js_real(&out->time_s, &at, err);
        if (!rc && !(out->time_s > 0))
            rc = js_fail(&at, err, "a time is above 0; of a configuration that fails say \"failed\" and why");
    }
    js_free(json);
    return rc;
}
