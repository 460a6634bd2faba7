/* JSON as one line of text, written member by member into a buffer, without a tree of values: for what is written often.
 *
 *     js_line_object(&line, NULL);
 *     js_line_integer(&line, "id", 7);
 *     js_line_close(&line, '}');
 *     rc = js_line_end(&line, err);       line.text is {"id": 7}
 *
 * `key` is null for the root and for elements of a list. The text is what js_text() gives of the same values. Where memory
 * ends the rest is left out, and js_line_end() says so. Zeroed bytes are an empty line. */
#ifndef BASE_JSON_LINE_H
#define BASE_JSON_LINE_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct js_line {
    char *text; /* owned */
    size_t length, capacity;
    bool starved;
};
void js_line_begin(struct js_line *line);               /* anew, in the same memory */
void js_line_release(struct js_line *line);             /* it is empty then */
int js_line_end(struct js_line *line, struct err *err); /* ERR_MEMORY; a zero stands behind the text */

void js_line_object(struct js_line *line, const char *key);
void js_line_array(struct js_line *line, const char *key);
void js_line_close(struct js_line *line, char bracket); /* '}' or ']' */

void js_line_string(struct js_line *line, const char *key, const char *value);
void js_line_integer(struct js_line *line, const char *key, int64_t value);
void js_line_real(struct js_line *line, const char *key,
                  double value); /* 15 digits; null where it is not finite */
void js_line_bool(struct js_line *line, const char *key, bool value);
void js_line_exact(struct js_line *line, const char *key, double value); /* "0x1.8p+1": all bits */
void js_line_value(struct js_line *line, const char *key, const struct json *value);
void js_line_text(struct js_line *line, const char *key, const char *text, size_t length); /* JSON itself */

void js_line_more(struct js_line *line, const char *text, size_t length); /* of what js_line_text() began */

/* The values of a whole line, which is released; null when memory ended. */
struct json *js_line_tree(struct js_line *line);

/* An integer in decimal digits, and a zero behind them. Their number. */
enum { JS_INTEGER_BYTES = 24 };
size_t js_integer_text(char out[JS_INTEGER_BYTES], int64_t value);

/* The digits of a real as "%.*g" gives them, of at most 15, in the form in which 15 digits are written ("1e-05", "1980"):
 * what js_line_number() writes, with ".0" where nothing says that it is a real. */
enum { JS_NUMBER_BYTES = 40, JS_DIGITS_MOST = 15 };
void js_number(char out[JS_NUMBER_BYTES], double value, int digits);
void js_line_number(struct js_line *line, const char *key, const char *number);

#endif
