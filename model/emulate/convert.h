/* Conversions and arithmetic on pairs of halves, one function each: see struct alu. */
#ifndef MODEL_EMULATE_CONVERT_H
#define MODEL_EMULATE_CONVERT_H

#include "model/emulate/alu.h"

void op_hadd2(struct alu *x);
void op_hmul2(struct alu *x);
void op_hfma2(struct alu *x);
void op_hmnmx2(struct alu *x);
void op_hsetp2(struct alu *x);
void op_hset2(struct alu *x);
void op_f2fp(struct alu *x);
void op_f2f(struct alu *x);
void op_frnd(struct alu *x);
void op_i2f(struct alu *x);
void op_f2i(struct alu *x);
void op_i2i(struct alu *x);

/* Sums of two pairs, as an atomic adds. */
uint32_t add_halves(uint32_t a, uint32_t b, enum sass_type type);

#endif
