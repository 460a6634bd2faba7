/* JSON with the path of the offending field.
 *
 * Reading goes through cursors: a `struct js_at` names a value and how it was reached, lives on the caller's
 * stack, and borrows from its parent cursor and from the document, which must both outlive it. Errors read
 * `FILE: parameters.TILE_M[2]: message`. Documents and values are opaque; the JSON library, whose names begin
 * with json_, stays inside json.c. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json; /* a value, or the root of a document */

enum js_kind { JS_NULL, JS_BOOL, JS_INTEGER, JS_REAL, JS_STRING, JS_ARRAY, JS_OBJECT };

struct js_at {
    struct json *value;
    const struct js_at *parent; /* null at the root */
    const char *key;            /* member name, or the document's name at the root; null for an element */
    size_t index;               /* position of an element */
};

/* A file of JSON that a user writes is not larger (16 MiB); parsing takes some twenty times its size. */
#define JS_FILE_BYTES_MOST ((size_t)1 << 24)

/* Parses a file, or `length` bytes of text called `name` in messages. Duplicate members, NaN and trailing
 * text are errors with line and column (ERR_USAGE; ERR_SYSTEM where the file cannot be read; ERR_MEMORY).
 * `*out` is owned by the caller. */
int js_read_file(struct json **out, const char *path, struct err *err);
int js_read_text(struct json **out, const char *text, size_t length, const char *name, struct err *err);
void js_free(struct json *json); /* also null */

/* The same for a document that is only read, in a tenth of the time: nothing in it is set, copied or printed, but by
 * lines (base/json_line.h). Lists and objects
 * lie in one another 64 deep at most, and of members with one name the first is found. Errors say which byte. */
int js_read_flat(struct json **out, const char *text, size_t length, const char *name, struct err *err);

struct js_at js_root(struct json *json, const char *name);
/* JS_NULL also where there is no value, such as an element that a list does not have. */
enum js_kind js_kind(const struct js_at *at);

/* A member of an object. `js_member` makes its absence (or a value that is no object) an error; `js_find`
 * returns false and an empty cursor. */
int js_member(struct js_at *out, const struct js_at *object, const char *key, struct err *err);
bool js_find(struct js_at *out, const struct js_at *object, const char *key);

/* The number of elements or members; 0 for other values. Elements are visited by position; members in the
 * order in which they were written: `struct js_at m = {0}; while (js_next(&m, &object)) ...`, with `m.key`
 * borrowed from the document. */
size_t js_count(const struct js_at *at);
struct js_at js_element(const struct js_at *array, size_t index);
bool js_next(struct js_at *member, const struct js_at *object);

/* Typed values; a value of another type is an error that says what was expected and what stands there.
 * Strings are borrowed. `js_real` also takes integers; `js_integer` takes no reals. */
int js_string(const char **out, const struct js_at *at, struct err *err);
int js_integer(int64_t *out, const struct js_at *at, struct err *err);
int js_unsigned(uint64_t *out, const struct js_at *at, struct err *err);
int js_real(double *out, const struct js_at *at, struct err *err);
int js_bool(bool *out, const struct js_at *at, struct err *err);
int js_expect(const struct js_at *at, enum js_kind kind, struct err *err);

/* Refuses members that are not in the null-terminated list, and suggests the nearest allowed name. */
int js_only(const struct js_at *object, const char *const *allowed, struct err *err);

/* An error at this place: "FILE: path: message". */
int js_fail(const struct js_at *at, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the place ("FILE: parameters.X[2]") into `out`, cut to `size` bytes. */
void js_place(char *out, size_t size, const struct js_at *at);

/* Building. Constructors return null when memory ends; the setters steal `value`, return ERR_MEMORY when it
 * or what it is put into is null, or memory ends. Non-finite reals become null. */
struct json *js_new_object(void);
struct json *js_new_array(void);
struct json *js_new_string(const char *text);
struct json *js_new_integer(int64_t value);
struct json *js_new_real(double value);
struct json *js_new_bool(bool value);
struct json *js_new_null(void);
struct json *js_new_reals(const double *values, size_t count);
struct json *js_new_counts(const unsigned *values, size_t count);
struct json *js_new_strings(const char *const *texts, size_t count);
struct json *js_copy(const struct json *json); /* deep */
int js_set(struct json *object, const char *key, struct json *value);
int js_append(struct json *array, struct json *value);
/* The value; freed and null when making it `failed`: js_unless(js_set(object, ...) | js_set(object, ...), object). */
struct json *js_unless(int failed, struct json *value);
int js_set_string(struct json *object, const char *key, const char *text);
int js_set_integer(struct json *object, const char *key, int64_t value);
int js_set_real(struct json *object, const char *key, double value);
int js_set_bool(struct json *object, const char *key, bool value);

/* Text of a value: `JS_LINE` on one line in the order of insertion (journal records), `JS_PRETTY` indented
 * with sorted keys (decisions, profiles). The text is malloc'ed; null when memory ends. Reals have 15 digits. */
enum js_style { JS_LINE, JS_PRETTY };
char *js_text(const struct json *json, enum js_style style);

/* Writes JS_PRETTY text and a newline, as file_write() does. */
int js_write_file(const struct json *json, const char *path, struct err *err);

#endif
