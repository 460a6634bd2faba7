#include "tuner/journal/record_check.h"

#include "base/hash.h"

#include <string.h>

static uint64_t checksum(const char *key, uint64_t body)
{
    return hash_text(body, key);
}

void record_seal(struct seal *body, const char *key)
{
    char text[17];

    hash_hex(text, checksum(key, seal_object(body->sum)));
    js_line_string(body->line, SEAL_MEMBER, text);
}

static bool is_record(const struct js_at *at)
{
    struct js_at found;

    return js_kind(at) == JS_OBJECT && (js_find(&found, at, "time") || js_find(&found, at, "__error__") ||
                                        js_find(&found, at, "outcome"));
}

static int fail(const struct js_at *at, struct err *err, const char *why)
{
    char place[512];

    js_place(place, sizeof place, at);
    return err_set(err, ERR_FORMAT, "%s: %s", place, why);
}

int record_check(bool *sealed, const struct js_at *record, struct err *err)
{
    struct js_at at = {0};
    const char *text;
    char wanted[17];

    *sealed = js_find(&at, record, SEAL_MEMBER);
    hash_hex(wanted, checksum(record->key, seal_value(record)));
    if (*sealed && (js_string(&text, &at, NULL) || strcmp(text, wanted)))
        return fail(record, err, "its checksum does not fit what it holds");
    at = (struct js_at){0};
    while (js_next(&at, record))
        if (is_record(&at))
            return fail(&at, err, "stands inside another record");
    return 0;
}
