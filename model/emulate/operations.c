/* Which function computes what. What is not here is a memory or control instruction, or is not emulated: its
 * results are unknown. */
#include "model/emulate/alu.h"
#include "model/emulate/convert.h"
#include "model/emulate/float.h"
#include "model/emulate/half.h"
#include "model/emulate/integer.h"
#include "model/emulate/lane.h"
#include "model/emulate/packed.h"

#define OP(id, function, kind) [SASS_##id] = {op_##function, MODIFIERS_##kind, false}
/* On the vector and on the uniform datapath. */
#define BOTH(id, function, kind) OP(id, function, kind), OP(U##id, function, kind)
#define ACROSS(id, function)     [SASS_##id] = {op_##function, MODIFIERS_NONE, true}

const struct operation operations[SASS_OP_COUNT] = {
    BOTH(FADD, fadd, FLOAT),
    BOTH(FMUL, fmul, FLOAT),
    BOTH(FFMA, ffma, FLOAT),
    BOTH(FMNMX, fmnmx, FLOAT),
    OP(FMNMX3, fmnmx3, FLOAT),
    BOTH(FSEL, fsel, FLOAT),
    OP(FSET, fset, FLOAT),
    BOTH(FSETP, fsetp, FLOAT),
    OP(FCHK, fchk, FLOAT),
    OP(MUFU, mufu, FLOAT),

    BOTH(MOV, mov, NONE),
    BOTH(SEL, sel, NONE),
    BOTH(IADD3, iadd3, NONE),
    OP(IADD64, iadd64, NONE),
    BOTH(ISETP, isetp, INT),
    BOTH(LOP3, lop3, LOGIC),
    BOTH(PLOP3, plop3, NONE),
    BOTH(LEA, lea, NONE),
    BOTH(SHF, shf, NONE),
    BOTH(PRMT, prmt, NONE),
    BOTH(IABS, iabs, NONE),
    BOTH(IMNMX, imnmx, INT),
    BOTH(VIMNMX, imnmx, INT),
    OP(VIMNMX3, vimnmx3, INT),
    OP(VIADD, viadd, INT),
    OP(VIADDMNMX, viaddmnmx, INT),
    OP(VABSDIFF, vabsdiff, NONE),
    OP(VABSDIFF4, vabsdiff4, NONE),
    BOTH(SGXT, sgxt, NONE),
    BOTH(BMSK, bmsk, NONE),
    BOTH(IMAD, imad, INT),
    OP(IDP, idp, INT),
    BOTH(FLO, flo, LOGIC),
    BOTH(BREV, brev, NONE),
    BOTH(POPC, popc, LOGIC),
    OP(UIADD3_64, iadd64, NONE),

    OP(DADD, dadd, DOUBLE),
    OP(DMUL, dmul, DOUBLE),
    OP(DFMA, dfma, DOUBLE),
    OP(DSETP, dsetp, DOUBLE),

    OP(HADD2, hadd2, HALVES),
    OP(HMUL2, hmul2, HALVES),
    OP(HFMA2, hfma2, HALVES),
    OP(HFMA2_MMA, hfma2, HALVES),
    OP(HMNMX2, hmnmx2, HALVES),
    OP(VHMNMX, vhmnmx, HALVES),
    OP(HSET2, hset2, HALVES),
    OP(HSETP2, hsetp2, HALVES),

    OP(F2F, f2f, FLOAT),
    BOTH(F2I, f2i, FLOAT),
    BOTH(FRND, frnd, FLOAT),
    OP(F2FP, f2fp, FLOAT),
    BOTH(I2F, i2f, INT),
    BOTH(I2FP, i2f, INT),
    OP(I2I, i2i, INT),

    OP(S2R, s2r, NONE),
    OP(CS2R, s2r, NONE),
    OP(S2UR, s2r, NONE),
    OP(CS2UR, s2r, NONE),
    OP(R2UR, r2ur, NONE),
    OP(P2R, p2r, NONE),
    OP(UP2UR, p2r, NONE),
    OP(B2R, b2r, NONE),
    OP(LEPC, lepc, NONE),
    OP(USETMAXREG, setmaxreg, NONE),
    ACROSS(ELECT, elect),
    ACROSS(SHFL, shfl),
    ACROSS(VOTE, vote),
    ACROSS(VOTEU, vote),
    ACROSS(MATCH, match),
    ACROSS(REDUX, redux),
    ACROSS(CREDUX, redux),
};
