/* The arguments of a launch, by kind.
 *
 * A kind is one row of ARGUMENT_KINDS and two files: argument_KIND.c here says what it is (struct
 * argument_ops: its bytes as a parameter, its hash, its JSON, what is checked), space/spec_KIND.c how a spec
 * writes it. No other code compares kinds: it asks argument_ops() or one of the questions below
 * (docs/howto-argument.md). */
#ifndef LAUNCH_ARGUMENT_H
#define LAUNCH_ARGUMENT_H

#include "base/err.h"
#include "base/json_line.h"
#include "launch/element.h"
#include "launch/fill.h"
#include "launch/tensor_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enumerator, and suffix of the files and of the rows argument_... and spec_.... */
#define ARGUMENT_KINDS(X)                                                                                    \
    X(SCALAR, scalar) /* `bytes`, passed by value; `pointers` in them are put in */                          \
    X(BUFFER, buffer) /* global memory; passed by address, unless it is `hidden` */                          \
    X(SYMBOL, symbol) /* a __constant__ or __device__ variable called `name`, set before the launch; \
                                 not passed */       \
    X(TENSOR_MAP, tensor_map) /* `tensor_map` of a buffer of the same launch; passed by value */

enum argument_kind {
#define KIND(name, suffix) ARGUMENT_##name,
    ARGUMENT_KINDS(KIND)
#undef KIND
        ARGUMENT_KIND_COUNT
};

enum role {
    ROLE_IN,     /* filled; the kernel leaves it as it finds it */
    ROLE_INOUT,  /* filled, and a result */
    ROLE_OUT,    /* a result */
    ROLE_SCRATCH /* the kernel's own between its thread blocks: neither filled nor a result */
};

bool role_is_filled(enum role role); /* before a launch */
bool role_is_result(enum role role); /* compared after one */

/* A result may be compared as a whole: as `kept` elements that many parts of it are reduced to. */
enum reduction { REDUCTION_NONE, REDUCTION_SUM, REDUCTION_MIN, REDUCTION_MAX, REDUCTION_COUNT };
extern const char *const reduction_texts[REDUCTION_COUNT]; /* null, "sum", "min", "max" */

/* 8 bytes of a struct that are the address of a buffer. */
struct argument_pointer {
    size_t offset; /* in the bytes */
    size_t buffer; /* which argument of the launch */
};

struct argument {
    enum argument_kind kind;
    char *name;                        /* buffers and symbols; others may have none */
    unsigned char *bytes;              /* scalar; owned */
    size_t size;                       /* scalar: its width in bytes */
    struct argument_pointer *pointers; /* scalar; owned */
    size_t pointer_count;
    enum element_type type;
    uint64_t count; /* buffers and symbols: elements */
    enum role role;
    struct fill fill;
    enum reduction reduction; /* buffer that is a result: how it is compared ... */
    uint64_t kept;            /* ... and as how many elements, of which `count` is a multiple; 0 without */
    bool hidden;              /* buffer: reached through other arguments alone, not passed itself */
    struct tensor_map *tensor_map; /* tensor map; owned */
};
void argument_release(struct argument *argument);

/* Where the launch runs: the GPU, or the emulator. */
struct argument_place {
    void *context;
    /* Address of the memory of argument `index`, a buffer. */
    uint64_t (*address)(void *context, size_t index);
    /* Writes the TENSOR_MAP_BYTES that stand for a tensor map there; `index` is its argument. */
    int (*tensor_map)(void *context, unsigned char *out, const struct tensor_map *map, size_t index,
                      struct err *err);
};

/* Where a kind's elements lie, if it has any. */
enum argument_memory {
    ARGUMENT_NO_MEMORY,   /* all there is of it is passed */
    ARGUMENT_OWN_MEMORY,  /* made for the launch; results are read there */
    ARGUMENT_CODE_MEMORY, /* a variable of the loaded code */
};

struct launch;

struct argument_ops {
    const char *text; /* in JSON */
    enum argument_memory memory;
    bool needs_bulk_copies; /* only architectures with cp.async.bulk have it */
    /* What is passed: 0 for nothing, else so many bytes, which `parameter` writes for argument `index`. */
    size_t (*parameter_bytes)(const struct argument *argument);
    int (*parameter)(unsigned char *out, const struct argument *argument, size_t index,
                     const struct argument_place *place, struct err *err);
    uint64_t (*hash)(uint64_t hash, const struct argument *argument); /* of all that decides its content */
    /* What can be wrong with it beside the other arguments: ERR_USAGE, "box[0]: ...". Null: nothing. */
    int (*check)(const struct argument *argument, const struct launch *launch, struct err *err);
    /* JSON beyond kind and name; launch_to_json() says how exact. */
    void (*write)(struct js_line *line, const struct argument *argument);
    int (*read)(struct argument *argument, const struct js_at *at, struct err *err);
};

const struct argument_ops *argument_ops(const struct argument *argument);

bool argument_is_buffer(const struct argument *argument); /* it has memory of its own */
bool argument_is_symbol(const struct argument *argument); /* it sets a variable of the code */
/* Bytes of its memory; UINT64_MAX where there are more. */
uint64_t argument_memory_bytes(const struct argument *argument);

#endif
