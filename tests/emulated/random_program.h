/* A random program: statements, each an expression of what went before it, in a loop or not. Every thread computes all
 * of them. */
#ifndef TESTS_EMULATED_RANDOM_PROGRAM_H
#define TESTS_EMULATED_RANDOM_PROGRAM_H

#include "random_operations.h"

#include <stddef.h>

enum { STATEMENTS = 24, BLOCKS = 4, BLOCK_THREADS = 64, ALL_THREADS = BLOCKS * BLOCK_THREADS, PLACES = 4096 };

/* What a program is given, each with its type, whether all threads of a block have the same, and its text in CUDA;
 * what has none is an argument of the kernel. */
#define PROGRAM_INPUTS(X)                                                                                    \
    X(s0, i32, true, NULL)                                                                                   \
    X(s1, u32, true, NULL)                                                                                   \
    X(l0, i64, true, NULL)                                                                                   \
    X(l1, u64, true, NULL)                                                                                   \
    X(e0, f32, true, NULL)                                                                                   \
    X(c0, f64, true, NULL)                                                                                   \
    X(block, u32, true, "blockIdx.x")                                                                        \
    X(grid, i32, true, "(i32)gridDim.x")                                                                     \
    X(h0, small, true, "(i16)s1")                                                                            \
    X(q0, flag, true, "s0 > 5")                                                                              \
    X(t, u32, false, "threadIdx.x")                                                                          \
    X(i, i32, false, "(i32)(blockIdx.x * blockDim.x + threadIdx.x)")                                         \
    X(x0, u32, false, "in[i]")                                                                               \
    X(x1, u32, false, "in[(i + 1) % INPUTS]")                                                                \
    X(y0, i32, false, "(i32)in[(i + 2) % INPUTS]")                                                           \
    X(y1, i32, false, "(i32)in[(i + 3) % INPUTS]")                                                           \
    X(w0, u64, false, "((const u64 *)in)[i % (INPUTS / 2)]")                                                 \
    X(z0, i64, false, "(i64)((u64)x0 << 32 | in[(i + 4) % INPUTS])")                                         \
    X(h1, small, false, "(i16)x1")                                                                           \
    X(q1, flag, false, "x0 < x1")                                                                            \
    X(f0, f32, false, "(f32)y0 * 0x1p-12f")                                                                  \
    X(f1, f32, false, "__uint_as_float(x1 & 0xff7fffff)")                                                    \
    X(d0, f64, false, "(f64)z0 * 0x1p-20")

enum {
#define INDEX(name, type, uniform, text) SLOT_##name,
    PROGRAM_INPUTS(INDEX)
#undef INDEX
        SLOT_k, /* how often the loop around an expression has gone round */
    SLOT_FIRST, /* of the statements' results */
    SLOTS = SLOT_FIRST + STATEMENTS,
    SCALARS = SLOT_block, /* the first of them are the kernel's arguments */
    NODES = 1 << 13
};

/* A constant, the value of a slot, or an operation on other nodes. */
struct node {
    enum value_type type;
    const struct operation_kind *operation; /* null: a slot or a constant */
    int slot;                               /* -1: a constant */
    uint64_t bits;
    unsigned operands[OPERANDS];
};

/* slot = value; `rounds` times & 7, if it loops: slot = body. */
struct statement {
    bool uniform, loops;
    unsigned value, rounds, body; /* nodes */
};

struct slot {
    char name[8];
    enum value_type type;
    bool uniform;
    const char *text;
};

struct program {
    uint64_t seed, at;
    struct slot slots[SLOTS];
    unsigned slot_count;
    struct statement statements[STATEMENTS];
    struct node nodes[NODES];
    unsigned node_count;
    uint64_t scalars[SCALARS];
};

void program_make(struct program *program, uint64_t seed);

/* The kernel `random_program` in CUDA; one of its statements; the values of all of that statement. */
void program_print(FILE *file, const struct program *program);
void statement_print(FILE *file, const struct program *program, unsigned statement);
void values_print(FILE *file, const struct program *program, unsigned statement, const uint32_t *in,
                  const uint64_t *slots);

/* A node's value, of the slots that it reads, and all slots of one thread, as bits. */
uint64_t node_compute(const struct program *program, unsigned node, const uint32_t *in,
                      const uint64_t *slots);
void program_compute(uint64_t slots[SLOTS], const struct program *program, const uint32_t *in,
                     unsigned thread);

#endif
