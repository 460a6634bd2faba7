/* Operations across lanes and on special registers, one function each: see struct alu. */
#ifndef MODEL_EMULATE_LANE_H
#define MODEL_EMULATE_LANE_H

#include "model/emulate/alu.h"

void op_s2r(struct alu *x);
void op_r2ur(struct alu *x);
void op_shfl(struct alu *x);
void op_vote(struct alu *x);
void op_match(struct alu *x);
void op_redux(struct alu *x);
void op_p2r(struct alu *x);
void op_b2r(struct alu *x);
void op_lepc(struct alu *x);
void op_elect(struct alu *x);
void op_setmaxreg(struct alu *x);

#endif
