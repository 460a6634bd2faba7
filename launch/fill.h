/* What a buffer holds before a launch. Every element is a pure function of the fill and its index, so that
 * the host and any number of threads can produce any part of it. */
#ifndef LAUNCH_FILL_H
#define LAUNCH_FILL_H

#include "launch/element.h"
#include "base/err.h"
#include "launch/expr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fill_kind {
    FILL_CONSTANT,   /* a */
    FILL_UNIFORM,    /* [a, b) for reals (before they are rounded to the type), [a, b] for integers */
    FILL_NORMAL,     /* mean a, standard deviation b */
    FILL_EXPRESSION, /* of the element index i, with random(k) */
    FILL_FILE        /* a .npy file of the same type and count */
};

struct fill {
    enum fill_kind kind;
    uint64_t seed;
    double a, b;
    char *expression; /* FILL_EXPRESSION: the text, over the names below and `i` */
    char **names;     /* the names it may use, and their values (no strings) */
    struct value *values;
    size_t name_count;
    char *path;       /* FILL_FILE */
    uint64_t content; /* FILL_FILE: hash of its elements (npy_hash), which stands for the path in hashes */

    /* Made by fill_prepare: */
    struct expr *parsed;           /* its last slot is i */
    const unsigned char *elements; /* of the file, mapped read-only */
    void *mapping;
    size_t mapping_bytes;
};

/* Checks that range or constant fit the type, parses the expression or maps the file; `type` and `count` are
 * checked against the file's. Called once before fill_read. On failure the fill stays unprepared. */
int fill_prepare(struct fill *fill, enum element_type type, uint64_t count, struct err *err);

/* Writes elements first .. first + n - 1, as `type`, to `out`. Integers of an expression are cut to the width of
 * an integer type, which takes the nearest integer within its range of a normal fill; reals are rounded to nearest
 * even. Thread-safe. Fails only where an expression does or its value does not fit (the message names the index),
 * or memory ends. */
int fill_read(const struct fill *fill, enum element_type type, uint64_t first, uint64_t n, void *out,
              struct err *err);

/* What uniform and constant fills are made of, for whoever makes their elements elsewhere, on the GPU.
 * Element i comes of the random word r = hash_mix(stream + i * HASH_STEP). If `real` it is low + width * u,
 * where u is the upper 53 bits of r as a fraction in [0, 1), every operation rounded to nearest even, then to
 * the type; otherwise the lowest bytes of first + r % span. A constant has a span of 1. */
struct fill_recipe {
    uint64_t stream;
    bool real;
    double low, width;
    uint64_t first, span;
};

/* False for other kinds of fill. */
bool fill_recipe(struct fill_recipe *out, const struct fill *fill, enum element_type type);

/* Frees what it owns, prepared or not. */
void fill_release(struct fill *fill);

/* Continues `hash` over everything that decides the elements. */
uint64_t fill_hash(uint64_t hash, const struct fill *fill);

#endif
