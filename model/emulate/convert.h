/* Conversions between numbers, one function each: see struct alu. */
#ifndef MODEL_EMULATE_CONVERT_H
#define MODEL_EMULATE_CONVERT_H

#include "model/emulate/alu.h"

void op_f2fp(struct alu *x);
void op_f2f(struct alu *x);
void op_frnd(struct alu *x);
void op_i2f(struct alu *x);
void op_f2i(struct alu *x);
void op_i2i(struct alu *x);

#endif
