/* Expressions over named values: constraints, launch geometry, buffer lengths, metrics and fills. Parsed
 * once, evaluated often, without allocation.
 *
 * The language is Python's arithmetic: integers (64 bit), reals, true/false, quoted strings; + - * / // % **,
 * of integers << >> & |, comparisons (chained: 32 <= a*b <= 1024), x [not] in (1, 2), and/or/not, `x if c
 * else y`, parentheses; ceil_div, round_up, min, max, abs, sqrt, log2, sin, cos, floor, ceil; and in fills
 * random(k), a random integer in [0, 2^63) of the fill's seed. `/` gives an integer for an even quotient of
 * two integers, else a real; // and % round toward minus infinity. Errors, as of overflow, name the column. */
#ifndef LAUNCH_EXPR_H
#define LAUNCH_EXPR_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_INTEGER, VALUE_REAL, VALUE_BOOL, VALUE_STRING };

struct value {
    enum value_kind kind;
    union {
        int64_t integer; /* also 0 or 1 for VALUE_BOOL */
        double real;
        const char *string; /* borrowed */
    };
};

bool value_equal(const struct value *a, const struct value *b); /* 1 equals 1.0; true equals only true */
double value_real(const struct value *value);                   /* NaN for strings */

/* Writes the value as Kernel Tuner's record keys have it (Python's str): 16, 0.5, True, text. Returns the
 * length wanted, as snprintf does. */
int value_text(char *out, size_t size, const struct value *value);
/* The same for messages: text in quotes, so that "64" is none of the numbers. */
int value_quoted(char *out, size_t size, const struct value *value);

/* Whether text can name a value: an identifier, and no word of the language. */
bool expr_name(const char *text);

struct expr;

/* Parses `text`; `names[k]` is the name of slot k. Errors: "column 9: unknown name TILE_N; did you mean
 * TILE_M?". */
int expr_parse(struct expr **out, const char *text, const char *const *names, size_t name_count,
               struct err *err);
void expr_free(struct expr *expr); /* also null */

const char *expr_text(const struct expr *expr);       /* as it was written */
bool expr_uses(const struct expr *expr, size_t slot); /* does the value of this slot matter? */
bool expr_draws(const struct expr *expr);             /* does it call random()? */

/* Finds a wrong type before any evaluation, from the kinds of the slots. `out` is VALUE_BOOL, VALUE_STRING,
 * or VALUE_REAL for any number. After it, an evaluation fails only for values: overflow, division by zero, a
 * number that is no integer. */
int expr_check(enum value_kind *out, const struct expr *expr, const enum value_kind *kinds, struct err *err);

/* Evaluates with slots[k] for names[k]. `seed` is what random() draws from. Thread-safe: the expression does
 * not change. */
int expr_value(struct value *out, const struct expr *expr, const struct value *slots, uint64_t seed,
               struct err *err);

/* The same for `count` <= EXPR_COLUMN elements at once, where slots[running] is an integer that grows by 1
 * from one to the next. False when one of them fails or is no integer, or the expression has an operation
 * that few fills have: expr_value() says more. */
enum { EXPR_COLUMN = 64 };
bool expr_column(int64_t *out, const struct expr *expr, const struct value *slots, size_t running,
                 uint64_t seed, size_t count);

/* What an expression comes to when the slots from `first` on, up to `end`, have no values yet: its largest parts that use
 * slots before them and none of them. Where these parts have the same values, and no value in the same ones, so has the
 * expression, whatever the other slots hold. `out` holds expr_size() at least. */
#define EXPR_NO_SLOT SIZE_MAX
struct expr_part {
    const struct expr *expr;
    uint32_t node;
    size_t slot; /* which is the whole part, or EXPR_NO_SLOT */
};
size_t expr_size(const struct expr *expr);
int expr_parts(struct expr_part *out, size_t *count, const struct expr *expr, size_t first, size_t end,
               struct err *err);
int expr_part_value(struct value *out, const struct expr_part *part, const struct value *slots);

/* How many ceil_div() and round_up() it has; and whether the k-th of them divides evenly. False where that has no value. */
size_t expr_divisions(const struct expr *expr);
bool expr_divides(const struct expr *expr, size_t k, const struct value *slots);

int expr_integer(int64_t *out, const struct expr *expr, const struct value *slots, struct err *err);
int expr_real(double *out, const struct expr *expr, const struct value *slots, struct err *err);
int expr_bool(bool *out, const struct expr *expr, const struct value *slots, struct err *err);

#endif
