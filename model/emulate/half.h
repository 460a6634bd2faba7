/* Halves, FP16 and BF16 (SASS_TYPE_F16, _BF16 and their pairs), and arithmetic on pairs of them, one function
 * each: see struct alu. */
#ifndef MODEL_EMULATE_HALF_H
#define MODEL_EMULATE_HALF_H

#include "model/emulate/alu.h"

double half_value(enum sass_type type, uint16_t bits);
/* A value that a double holds to the last bit, rounded; what is beyond the largest one as `mode` says. */
uint16_t half_bits(enum sass_type type, double value, enum sass_rounding mode);

void op_hadd2(struct alu *x);
void op_hmul2(struct alu *x);
void op_hfma2(struct alu *x);
void op_hmnmx2(struct alu *x);
void op_vhmnmx(struct alu *x);
void op_hsetp2(struct alu *x);
void op_hset2(struct alu *x);

/* What an atomic makes of two pairs: their minima, maxima or sums. */
uint32_t combine_halves(uint32_t a, uint32_t b, enum sass_type type, enum sass_atomic how);

#endif
