/* The inside of variant_make: variant.c makes what is compiled, variant_launch.c what is launched. */
#ifndef SPACE_VARIANT_MAKER_H
#define SPACE_VARIANT_MAKER_H

#include "space/variant.h"

/* One variant in the making. Its functions return ERR_MEMORY with the error set, or ERR_USAGE with the
 * variant's outcome and message set. */
struct maker {
    struct variant *variant;
    const struct spec *spec;
    struct value *slots;
    const struct spec_size *sizes; /* of a reference, in place of the configuration's; see spec_reference */
    size_t size_count;
    struct err *err;
};

int make_launch(struct maker *maker, const struct spec_launch *from);
int make_arguments(struct maker *maker);
/* Leaves the arguments `passed`, which are passed in this order, and memory that others may reach: buffers are
 * hidden behind them, so that they are the same ones, and symbols stay. */
int choose_arguments(struct maker *maker, const size_t *passed, size_t count);

/* The configuration cannot be launched: its outcome, and why. */
/* "launch.grid[0]: "N - 4" is 0, expected 1 to 16"; an expression that is the number is not repeated. */
int make_unexpected(struct maker *maker, const char *place, const struct expr *expr, int64_t value,
                    const char *expected);
int make_unfit(struct maker *maker, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "launch.grid[1]": `before`, `name` and the index. It is written for each number of each variant, so without printf. */
void make_place(char *out, const char *before, const char *name, size_t index);
/* An expression that must be an integer in [low, high]. */
int make_integer(int64_t *out, struct maker *maker, const struct expr *expr, int64_t low, int64_t high,
                 const char *place);

#endif
