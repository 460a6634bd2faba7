#include "base/json.h"

#include "base/file.h"
#include "base/json_flat.h"
#include "base/json_line.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *inner(const struct json *json)
{
    return (json_t *)json;
}

static struct json *outer(json_t *json)
{
    return (struct json *)json;
}

static int parse_failed(const json_error_t *why, const char *name, struct err *err)
{
    const char *text =
        strstr(why->text, "JSON_ALLOW_NUL") ? "a text holds \\u0000, which ends it: remove it" : why->text;

    if (why->line <= 0)
        return err_set(err, ERR_USAGE, "%s: %s", name, text);
    return err_set(err, ERR_USAGE, "%s:%d:%d: %s", name, why->line, why->column, text);
}

/* Memory ------------------------------------------------------------------- */

/* Jansson says of a parse that ran out of memory that the text is wrong; and its lexer, which goes on when a
 * token could not grow, drops bytes of it or reads past its end. So its allocations are watched: the first
 * that fails is noted and is, like the few that follow, served from a reserve, and the text ends for the
 * parser. */

static json_malloc_t next_malloc;
static json_free_t next_free;

static _Thread_local struct {
    bool starved; /* an allocation failed since the parse began */
    char *reserve;
    size_t size, used;
} memory;

static void *watched_malloc(size_t size)
{
    enum { ALIGNMENT = 16 };
    void *got = memory.reserve && memory.starved ? NULL : next_malloc(size);

    if (got)
        return got;
    memory.starved = true;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > memory.size - memory.used)
        return NULL;
    got = memory.reserve + memory.used;
    memory.used += size;
    return got;
}

static void watched_free(void *old)
{
    const uintptr_t at = (uintptr_t)old, begin = (uintptr_t)memory.reserve;

    if (!memory.reserve || at < begin || at >= begin + memory.size)
        next_free(old);
}

/* Another user of Jansson in this process may have functions of his own: they stay the ones that allocate. */
__attribute__((constructor)) static void watch_memory(void)
{
    json_get_alloc_funcs(&next_malloc, &next_free);
    json_set_alloc_funcs(watched_malloc, watched_free);
}

struct feed {
    const char *text;
    size_t left;
};

/* A little at a time, so that little is parsed after the first failure. */
static size_t feed_parser(void *buffer, size_t capacity, void *context)
{
    enum { STEP = 256 };
    struct feed *feed = context;
    size_t size = capacity < STEP ? capacity : STEP;

    if (size > feed->left)
        size = feed->left;
    if (memory.starved)
        return 0;
    memcpy(buffer, feed->text, size);
    feed->text += size;
    feed->left -= size;
    return size;
}

/* The reserve holds what one step can ask for: the copies of a token that is as long as the text. */
static int parse(json_t **out, const char *text, size_t length, const char *name, struct err *err)
{
    struct feed feed = {text, length};
    json_error_t why;

    *out = NULL;
    memory.starved = false;
    memory.used = 0;
    memory.size = 4 * length + (1 << 16);
    memory.reserve = malloc(memory.size);
    if (!memory.reserve)
        return err_memory(err);
    *out = json_load_callback(feed_parser, &feed, JSON_REJECT_DUPLICATES, &why);
    if (memory.starved) {
        json_decref(*out);
        *out = NULL;
    }
    free(memory.reserve);
    memory.reserve = NULL;
    memory.size = 0;
    if (memory.starved)
        return err_memory(err);
    return *out ? 0 : parse_failed(&why, name, err);
}

/* Reading ------------------------------------------------------------------ */

/* Jansson passes over a zero byte behind a number. */
static int refuse_zero(const char *text, const char *zero, const char *name, struct err *err)
{
    size_t line = 1, column = 1;

    for (; text < zero; text++) {
        line += *text == '\n';
        column = *text == '\n' ? 1 : column + 1;
    }
    return err_set(err, ERR_USAGE, "%s:%zu:%zu: a zero byte", name, line, column);
}

int js_read_file(struct json **out, const char *path, struct err *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some editors put it before the text */
    char *text;
    size_t size, skipped;
    int rc = file_read_most(&text, &size, path, JS_FILE_BYTES_MOST, err);

    *out = NULL;
    if (rc)
        return rc;
    skipped = strncmp(text, mark, sizeof mark - 1) ? 0 : sizeof mark - 1;
    rc = js_read_text(out, text + skipped, size - skipped, path, err);
    free(text);
    return rc;
}

int js_read_text(struct json **out, const char *text, size_t length, const char *name, struct err *err)
{
    json_t *read;
    const char *zero = length ? memchr(text, '\0', length) : NULL;
    int rc = parse(&read, text, length, name, err);

    if (!rc && zero) {
        json_decref(read);
        read = NULL;
        rc = refuse_zero(text, zero, name, err);
    }
    *out = outer(read);
    return rc;
}

int js_read_flat(struct json **out, const char *text, size_t length, const char *name, struct err *err)
{
    struct flat *root;
    const int rc = flat_read(&root, text, length, name, err);

    *out = root ? flat_mark(root) : NULL;
    return rc;
}

void js_free(struct json *json)
{
    if (flat_of(json))
        flat_free((struct flat *)flat_of(json));
    else
        json_decref(inner(json));
}

struct js_at js_root(struct json *json, const char *name)
{
    return (struct js_at){.value = json, .key = name};
}

enum js_kind js_kind(const struct js_at *at)
{
    static const enum js_kind kinds[] = {
        [JSON_OBJECT] = JS_OBJECT,   [JSON_ARRAY] = JS_ARRAY, [JSON_STRING] = JS_STRING,
        [JSON_INTEGER] = JS_INTEGER, [JSON_REAL] = JS_REAL,   [JSON_TRUE] = JS_BOOL,
        [JSON_FALSE] = JS_BOOL,      [JSON_NULL] = JS_NULL,
    };

    if (!at->value)
        return JS_NULL;
    return flat_of(at->value) ? flat_of(at->value)->kind : kinds[json_typeof(inner(at->value))];
}

bool js_find(struct js_at *out, const struct js_at *object, const char *key)
{
    const struct flat *flat = flat_of(object->value), *found = flat ? flat_member(flat, key) : NULL;

    *out = (struct js_at){.parent = object, .key = key};
    if (flat)
        out->value = found ? flat_mark(found) : NULL;
    else
        out->value = outer(json_object_get(inner(object->value), key));
    return out->value != NULL;
}

size_t js_count(const struct js_at *at)
{
    const json_t *value = inner(at->value);
    const struct flat *flat = flat_of(at->value);

    if (flat)
        return flat->kind == JS_ARRAY || flat->kind == JS_OBJECT ? flat->count : 0;
    return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

struct js_at js_element(const struct js_at *array, size_t index)
{
    const struct flat *flat = flat_of(array->value);
    struct js_at at = {.parent = array, .index = index};

    if (!flat)
        at.value = outer(json_array_get(inner(array->value), index));
    else if (flat->kind == JS_ARRAY && index < flat->count)
        at.value = flat_mark(&flat->items[index]);
    return at;
}

static bool next_flat(struct js_at *member, const struct js_at *object, const struct flat *flat)
{
    const struct flat *next = member->value ? flat_of(member->value) + 1 : flat->items;
    const bool found = flat->kind == JS_OBJECT && next < flat->items + flat->count;

    *member = (struct js_at){.parent = object};
    if (found) {
        member->value = flat_mark(next);
        member->key = next->key;
    }
    return found;
}

bool js_next(struct js_at *member, const struct js_at *object)
{
    json_t *inside = inner(object->value);
    void *place;

    if (flat_of(object->value))
        return next_flat(member, object, flat_of(object->value));
    place = member->value ? json_object_iter_next(inside, json_object_key_to_iter(member->key))
                          : json_object_iter(inside);
    *member = (struct js_at){.value = outer(json_object_iter_value(place)), .parent = object};
    if (place)
        member->key = json_object_iter_key(place);
    return place != NULL;
}

int js_string(const char **out, const struct js_at *at, struct err *err)
{
    *out = NULL;
    if (js_expect(at, JS_STRING, err))
        return ERR_USAGE;
    *out = flat_of(at->value) ? flat_of(at->value)->text : json_string_value(inner(at->value));
    return 0;
}

int js_integer(int64_t *out, const struct js_at *at, struct err *err)
{
    *out = 0;
    if (js_expect(at, JS_INTEGER, err))
        return ERR_USAGE;
    *out = flat_of(at->value) ? flat_of(at->value)->integer : json_integer_value(inner(at->value));
    return 0;
}

static double number_of(const struct json *value)
{
    const struct flat *flat = flat_of(value);

    if (!flat)
        return json_number_value(inner(value));
    return flat->kind == JS_INTEGER ? (double)flat->integer : flat->real;
}

int js_real(double *out, const struct js_at *at, struct err *err)
{
    *out = 0;
    if (js_expect(at, JS_REAL, err))
        return ERR_USAGE;
    *out = number_of(at->value);
    return 0;
}

int js_bool(bool *out, const struct js_at *at, struct err *err)
{
    *out = false;
    if (js_expect(at, JS_BOOL, err))
        return ERR_USAGE;
    *out = flat_of(at->value) ? flat_of(at->value)->truth : json_is_true(inner(at->value));
    return 0;
}

/* Building ----------------------------------------------------------------- */

struct json *js_new_object(void)
{
    return outer(json_object());
}

struct json *js_new_array(void)
{
    return outer(json_array());
}

struct json *js_new_string(const char *text)
{
    return outer(json_string(text));
}

struct json *js_new_integer(int64_t value)
{
    return outer(json_integer(value));
}

struct json *js_new_real(double value)
{
    return outer(isfinite(value) ? json_real(value) : json_null());
}

struct json *js_new_bool(bool value)
{
    return outer(json_boolean(value));
}

struct json *js_new_null(void)
{
    return outer(json_null());
}

struct json *js_copy(const struct json *json)
{
    return outer(json_deep_copy(inner(json)));
}

int js_set(struct json *object, const char *key, struct json *value)
{
    return json_object_set_new(inner(object), key, inner(value)) ? ERR_MEMORY : 0;
}

int js_append(struct json *array, struct json *value)
{
    return json_array_append_new(inner(array), inner(value)) ? ERR_MEMORY : 0;
}

static char *line_text(const struct json *json)
{
    struct js_line line = {.starved = !json};

    if (json)
        js_line_value(&line, NULL, json);
    if (!js_line_end(&line, NULL))
        return line.text;
    js_line_release(&line);
    return NULL;
}

char *js_text(const struct json *json, enum js_style style)
{
    const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(15) | JSON_INDENT(2) | JSON_SORT_KEYS;
    char *text;

    if (style == JS_LINE)
        return line_text(json);
    memory.starved = false; /* of a failure, Jansson forgets bytes */
    text = json_dumps(inner(json), flags);
    if (memory.starved) {
        free(text);
        return NULL;
    }
    return text;
}

int js_write_file(const struct json *json, const char *path, struct err *err)
{
    char *text = js_text(json, JS_PRETTY);
    size_t length;
    int rc;

    if (!text)
        return err_memory(err);
    length = strlen(text);
    text[length] = '\n'; /* in the place of the end mark */
    rc = file_write(path, text, length + 1, err);
    free(text);
    return rc;
}
