#include "tuner/journal/record_check.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

static const char seal[] = "checksum";

/* 2 and 2.0 are one number, and digits that no double holds are none. */
static uint64_t hash_number(const struct js_at *at)
{
    char text[40];
    double value = 0;

    js_real(&value, at, NULL);
    snprintf(text, sizeof text, "%.15g", value);
    return hash_text(HASH_START, text);
}

/* The order of members means nothing: their hashes are added. */
static uint64_t hash_value(const struct js_at *at)
{
    const enum js_kind kind = js_kind(at);
    uint64_t hash = HASH_START, sum = 0;
    struct js_at member = {0};
    const char *text = "";
    bool truth = false;
    size_t i;

    switch (kind) {
    case JS_NULL:
        return hash_text(hash, "null");
    case JS_BOOL:
        js_bool(&truth, at, NULL);
        return hash_text(hash, truth ? "true" : "false");
    case JS_INTEGER:
    case JS_REAL:
        return hash_number(at);
    case JS_STRING:
        js_string(&text, at, NULL);
        return hash_text(hash_u64(hash, JS_STRING), text);
    case JS_ARRAY:
        for (i = 0; i < js_count(at); i++) {
            const struct js_at element = js_element(at, i);

            hash = hash_u64(hash, hash_value(&element));
        }
        return hash_u64(hash, JS_ARRAY);
    case JS_OBJECT:
        while (js_next(&member, at))
            if (strcmp(member.key, seal))
                sum += hash_u64(hash_value(&member), hash_text(HASH_START, member.key));
    }
    return hash_u64(sum, JS_OBJECT);
}

static void seal_text(char out[17], const char *key, const struct js_at *body)
{
    hash_hex(out, hash_text(hash_value(body), key));
}

int record_seal(struct json *body, const char *key)
{
    const struct js_at at = js_root(body, key);
    char text[17];

    seal_text(text, key, &at);
    return js_set_string(body, seal, text);
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

    *sealed = js_find(&at, record, seal);
    seal_text(wanted, record->key, record);
    if (*sealed && (js_string(&text, &at, NULL) || strcmp(text, wanted)))
        return fail(record, err, "its checksum does not fit what it holds");
    at = (struct js_at){0};
    while (js_next(&at, record))
        if (is_record(&at))
            return fail(&at, err, "stands inside another record");
    return 0;
}
