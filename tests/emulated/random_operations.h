/* Operations of random programs: what stands for each in CUDA, and what it computes. */
#ifndef TESTS_EMULATED_RANDOM_OPERATIONS_H
#define TESTS_EMULATED_RANDOM_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { INPUTS = 256, TABLE = 16, OPERANDS = 3 };

/* Types have in CUDA the names that end these. */
enum value_type {
    TYPE_none,
    TYPE_u32,
    TYPE_i32,
    TYPE_u64,
    TYPE_i64,
    TYPE_f32,
    TYPE_f64,
    TYPE_flag,
    TYPE_small, /* an int of 16 bits */
    VALUE_TYPES
};

extern const char *const type_names[VALUE_TYPES];

struct operation_kind {
    const char *name;
    const char *body; /* what a function of that name returns in CUDA, of its operands a, b and c */
    enum value_type result, operands[OPERANDS];
    bool loads;  /* its first operand is `in`, which is not among those above */
    bool costly; /* long code */
    uint64_t (*compute)(const uint32_t *in, const uint64_t *operands);
};

extern const struct operation_kind operation_kinds[];
extern const unsigned operation_count;

/* Functions, in CUDA, that compute them. */
void operations_print(FILE *file);

/* A value as its bits, zeros above those of its type, and back; an i32 and a `small` as 32 bits; a NaN is one. */
uint64_t bits_f32(float value);
uint64_t bits_f64(double value);
float f32_of_bits(uint64_t bits);
double f64_of_bits(uint64_t bits);

#endif
