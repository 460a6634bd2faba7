/* Building JSON out of what base/json.c makes one by one. */
#include "base/json.h"

struct json *js_unless(int failed, struct json *value)
{
    if (!failed)
        return value;
    js_free(value);
    return NULL;
}

struct json *js_new_reals(const double *values, size_t count)
{
    struct json *list = js_new_array();
    int failed = 0;

    for (size_t i = 0; i < count && !failed; i++)
        failed = js_append(list, js_new_real(values[i]));
    return js_unless(failed, list);
}

struct json *js_new_counts(const unsigned *values, size_t count)
{
    struct json *list = js_new_array();
    int failed = 0;

    for (size_t i = 0; i < count && !failed; i++)
        failed = js_append(list, js_new_integer(values[i]));
    return js_unless(failed, list);
}

struct json *js_new_strings(const char *const *texts, size_t count)
{
    struct json *list = js_new_array();
    int failed = 0;

    for (size_t i = 0; i < count && !failed; i++)
        failed = js_append(list, js_new_string(texts[i]));
    return js_unless(failed, list);
}

int js_set_string(struct json *object, const char *key, const char *text)
{
    return js_set(object, key, js_new_string(text));
}

int js_set_integer(struct json *object, const char *key, int64_t value)
{
    return js_set(object, key, js_new_integer(value));
}

int js_set_real(struct json *object, const char *key, double value)
{
    return js_set(object, key, js_new_real(value));
}

int js_set_bool(struct json *object, const char *key, bool value)
{
    return js_set(object, key, js_new_bool(value));
}
