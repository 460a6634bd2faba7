/* Integer operations of words and of packed bytes and halves, one function each: see struct alu. */
#ifndef MODEL_EMULATE_PACKED_H
#define MODEL_EMULATE_PACKED_H

#include "model/emulate/integer.h"

void op_idp(struct alu *x);
void op_imnmx(struct alu *x);
void op_vimnmx3(struct alu *x);
void op_viadd(struct alu *x);
void op_viaddmnmx(struct alu *x);
void op_vabsdiff(struct alu *x);
void op_vabsdiff4(struct alu *x);

#endif
