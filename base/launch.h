/* What a launch is: geometry and arguments of one kernel, with every value fixed. Plain data, made by
 * space/variant, executed by gpu/ on a GPU and by model/emulate on the host: both read buffers through
 * fill_read, so both see the same bytes. */
#ifndef BASE_LAUNCH_H
#define BASE_LAUNCH_H

#include "base/err.h"
#include "base/expr.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum element_type {
    ELEMENT_INT8,
    ELEMENT_UINT8,
    ELEMENT_INT16,
    ELEMENT_UINT16,
    ELEMENT_INT32,
    ELEMENT_UINT32,
    ELEMENT_INT64,
    ELEMENT_UINT64,
    ELEMENT_FLOAT16,
    ELEMENT_BFLOAT16,
    ELEMENT_FLOAT32,
    ELEMENT_FLOAT64,
    ELEMENT_TYPE_COUNT
};

const char *element_text(enum element_type type); /* "int8" ... "float16", "bfloat16", "float32", "float64" */
int element_parse(const char *text);              /* -1 when unknown */
size_t element_size(enum element_type type);      /* bytes */

enum fill_kind {
    FILL_CONSTANT,   /* a */
    FILL_UNIFORM,    /* [a, b) for reals, [a, b] for integers */
    FILL_NORMAL,     /* mean a, standard deviation b */
    FILL_EXPRESSION, /* of the element index i, with random(k) */
    FILL_FILE        /* a .npy file of the same type and count */
};

/* Every element is a pure function of the fill and its index. */
struct fill {
    enum fill_kind kind;
    uint64_t seed;
    double a, b;
    char *expression; /* FILL_EXPRESSION: the text, over `i` and the names below */
    char **names;     /* the names it may use, and their values */
    struct value *values;
    size_t name_count;
    struct expr *parsed;         /* of `expression`; the last slot is i */
    char *path;                  /* FILL_FILE */
    const unsigned char *mapped; /* its elements, mapped read-only by fill_prepare */
    size_t mapped_bytes;
};

/* Parses the expression or maps the file; `type` and `count` are checked against a file's. Called once before
 * fill_read. */
int fill_prepare(struct fill *fill, enum element_type type, uint64_t count, struct err *err);

/* Writes elements first .. first + n - 1, as `type`, to `out`. Integers are cut to the type's width; reals
 * are rounded to nearest even. Thread-safe. Fails only where an expression does (message names the index). */
int fill_read(const struct fill *fill, enum element_type type, uint64_t first, uint64_t n, void *out,
              struct err *err);
void fill_release(struct fill *fill);

enum argument_kind {
    ARGUMENT_SCALAR, /* `bytes`, `size` of them, passed by value */
    ARGUMENT_BUFFER, /* global memory; passed by address */
    ARGUMENT_SYMBOL  /* a __constant__ or __device__ variable called `name`, set before the launch; not passed
                      */
};

enum role { ROLE_IN, ROLE_INOUT, ROLE_OUT };

struct argument {
    enum argument_kind kind;
    char *name;           /* buffers and symbols; scalars may have none */
    unsigned char *bytes; /* scalar */
    size_t size;          /* scalar: its width in bytes */
    enum element_type type;
    uint64_t count; /* buffers and symbols: elements */
    enum role role;
    struct fill fill;
};

struct launch {
    unsigned grid[3], block[3]; /* all at least 1 */
    unsigned shared_bytes;      /* dynamic shared memory of a block */
    int carveout; /* preferred share of the unified cache for shared memory in per cent, or -1 */
    struct argument *arguments; /* in the kernel's order; symbols anywhere */
    size_t argument_count;
};

void launch_init(struct launch *launch); /* grid and block 1, carve-out -1 */
void launch_release(struct launch *launch);

/* fill_prepare for every argument that has a fill; the message names the argument. */
int launch_prepare(struct launch *launch, struct err *err);

uint64_t launch_threads(const struct launch *launch); /* threads of a block */
uint64_t launch_blocks(const struct launch *launch);  /* thread blocks of the grid */

/* Hash of everything that can change what a launch does or how long it takes: geometry, arguments, fills,
 * seeds. */
uint64_t launch_hash(const struct launch *launch);
/* Hash of the arguments alone: launches with the same one can share buffers. */
uint64_t launch_arguments_hash(const struct launch *launch);

/* For the protocol between controller and worker. A file fill travels as its path. */
struct json *launch_to_json(const struct launch *launch); /* null when memory ends */
int launch_from_json(struct launch *out, const struct js_at *at, struct err *err);

#endif
