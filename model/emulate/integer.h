/* Integer, logic, shift, select and predicate operations, one function each: see struct alu. */
#ifndef MODEL_EMULATE_INTEGER_H
#define MODEL_EMULATE_INTEGER_H

#include "model/emulate/alu.h"

void op_mov(struct alu *x);
void op_sel(struct alu *x);
void op_iadd3(struct alu *x);
void op_iadd64(struct alu *x);
void op_imad(struct alu *x);
void op_idp(struct alu *x);
void op_lea(struct alu *x);
void op_lop3(struct alu *x);
void op_plop3(struct alu *x);
void op_shf(struct alu *x);
void op_prmt(struct alu *x);
void op_iabs(struct alu *x);
void op_imnmx(struct alu *x);
void op_vimnmx3(struct alu *x);
void op_viadd(struct alu *x);
void op_viaddmnmx(struct alu *x);
void op_vabsdiff(struct alu *x);
void op_vabsdiff4(struct alu *x);
void op_sgxt(struct alu *x);
void op_bmsk(struct alu *x);
void op_isetp(struct alu *x);
void op_popc(struct alu *x);
void op_brev(struct alu *x);
void op_flo(struct alu *x);

static inline enum sass_type type_of(const struct alu *x)
{
    return (enum sass_type)x->i->mod[SASS_MOD_TYPE];
}

/* Operations say it in one of two modifiers. */
static inline bool is_signed(const struct alu *x)
{
    return x->i->mod[SASS_MOD_SIGNED] || type_of(x) == SASS_TYPE_S32 || type_of(x) == SASS_TYPE_S64;
}

static inline bool is_wide(const struct alu *x)
{
    return type_of(x) == SASS_TYPE_U64 || type_of(x) == SASS_TYPE_S64;
}

/* a AND, OR or XOR b, of predicates. */
uint32_t combine(enum sass_bool how, uint32_t a, uint32_t b);

#endif
