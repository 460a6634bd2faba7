/* Integer, logic, shift, select and predicate operations, one function each: see struct alu. */
#ifndef MODEL_EMULATE_INTEGER_H
#define MODEL_EMULATE_INTEGER_H

#include "model/emulate/alu.h"

void op_mov(struct alu *x);
void op_sel(struct alu *x);
void op_iadd3(struct alu *x);
void op_iadd64(struct alu *x);
void op_imad(struct alu *x);
void op_lea(struct alu *x);
void op_lop3(struct alu *x);
void op_plop3(struct alu *x);
void op_shf(struct alu *x);
void op_prmt(struct alu *x);
void op_iabs(struct alu *x);
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

static inline uint64_t wide_source(const struct alu *x, unsigned k, unsigned lane)
{
    return x->s[k][0][lane] | (uint64_t)x->s[k][1][lane] << 32;
}

static inline bool integer_less(uint64_t a, uint64_t b, bool with_sign)
{
    return with_sign ? (int64_t)a < (int64_t)b : a < b;
}

/* Source `k` as a 64-bit number of the operation's type. */
static inline uint64_t integer_source(const struct alu *x, unsigned k, unsigned lane)
{
    if (is_wide(x))
        return wide_source(x, k, lane);
    return is_signed(x) ? (uint64_t)(int64_t)(int32_t)x->s[k][0][lane] : x->s[k][0][lane];
}

/* A bit for each lane whose words compare like that. */
uint32_t compare_words(enum sass_compare how, const uint32_t *a, const uint32_t *b, bool with_sign);
/* a AND, OR or XOR b, of predicates. */
uint32_t combine(enum sass_bool how, uint32_t a, uint32_t b);

#endif
