/* FP32 and special functions (float.c) and FP64 (double.c), one function each: see struct alu. */
#ifndef MODEL_EMULATE_FLOAT_H
#define MODEL_EMULATE_FLOAT_H

#include "model/emulate/alu.h"
#include "model/emulate/integer.h"

#include <string.h>

void op_fadd(struct alu *x);
void op_fmul(struct alu *x);
void op_ffma(struct alu *x);
void op_fsetp(struct alu *x);
void op_fset(struct alu *x);
void op_fsel(struct alu *x);
void op_fmnmx(struct alu *x);
void op_fmnmx3(struct alu *x);
void op_fchk(struct alu *x);
void op_dadd(struct alu *x);
void op_dmul(struct alu *x);
void op_dfma(struct alu *x);
void op_dsetp(struct alu *x);
void op_mufu(struct alu *x);

static inline float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A denormal float to the zero of its sign. */
static inline uint32_t flush(uint32_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

double add_to_odd(double a, double b);
float round_to_float(double value, enum sass_rounding mode);
double round_to_integral(double value, enum sass_rounding mode);
bool compare_float(enum sass_compare how, double a, double b);
/* What a comparison of lanes sets its two predicates to. */
void set_compared(struct alu *x, uint32_t is);

#endif
