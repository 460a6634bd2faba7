/* The modifiers of SASS instructions as small numbers, the same on every architecture: what `.GE.AND`, `.FTZ`
 * or `.U64` of a listing become in `sass.mod[]`. */
#ifndef MODEL_SASS_MODIFIERS_H
#define MODEL_SASS_MODIFIERS_H

/* The index into `sass.mod[]`. A value is a number of the enum named, or 0 and 1. */
enum sass_mod {
    SASS_MOD_COMPARE,   /* enum sass_compare */
    SASS_MOD_BOOL,      /* enum sass_bool: how a compare combines with its predicate source */
    SASS_MOD_LUT,       /* 8-bit truth table of LOP3, PLOP3 (first of two) */
    SASS_MOD_LUT2,      /* second table of PLOP3 */
    SASS_MOD_SIGNED,    /* 1: .S32/.S64; integer compare, IMAD, SHF, VIMNMX: operands are signed */
    SASS_MOD_WIDE,      /* 1: IMAD.WIDE */
    SASS_MOD_HIGH,      /* 1: .HI (IMAD, SHF, LEA) */
    SASS_MOD_EXTENDED,  /* 1: .X or .EX: takes the carry predicates in */
    SASS_MOD_RIGHT,     /* 1: shift right (SHF.R), else left */
    SASS_MOD_WRAP,      /* 1: .W shift count modulo width, else clamped */
    SASS_MOD_SHIFT,     /* LEA: bits to shift */
    SASS_MOD_PERMUTE,   /* enum sass_permute: PRMT */
    SASS_MOD_TYPE,      /* enum sass_type: of the data (SHF, compare, atomic) */
    SASS_MOD_TO,        /* enum sass_type: a conversion's or MMA's result */
    SASS_MOD_FROM,      /* enum sass_type: a conversion's or MMA's source */
    SASS_MOD_ROUNDING,  /* enum sass_rounding */
    SASS_MOD_FTZ,       /* 1: denormals are flushed to zero */
    SASS_MOD_SATURATE,  /* 1: result clamped to [0, 1], integers to their range */
    SASS_MOD_RELU,      /* 1: negative results become zero */
    SASS_MOD_NAN,       /* 1: minimum and maximum return NaN when one source is NaN */
    SASS_MOD_FUNCTION,  /* enum sass_function: MUFU */
    SASS_MOD_ATOMIC,    /* enum sass_atomic */
    SASS_MOD_SHUFFLE,   /* enum sass_shuffle */
    SASS_MOD_VOTE,      /* enum sass_vote; BRA: ANY where all lanes go if one does */
    SASS_MOD_BARRIER,   /* enum sass_barrier: BAR */
    SASS_MOD_SCALE,     /* FMUL: 0 none, 1 .D2, 2 .D4, 3 .D8, 4 .M8, 5 .M4, 6 .M2 */
    SASS_MOD_SHAPE,     /* enum sass_shape: tensor operations */
    SASS_MOD_COLUMNS,   /* tensor operations of a warp group: columns of the result over 8, 1 to 32 */
    SASS_MOD_MATRICES,  /* LDSM, STSM: number of 8x8 matrices, 1, 2 or 4; TMA: dimensions, 1 to 5 */
    SASS_MOD_TRANSPOSE, /* 1: LDSM.T */
    SASS_MOD_BYPASS,    /* 1: LDGSTS past L1 (.BYPASS) */
    SASS_MOD_ORDER,     /* enum sass_order: of a memory access */
    SASS_MOD_SCOPE,     /* enum sass_scope: of an access or fence */
    SASS_MOD_EVICT,     /* enum sass_evict */
    SASS_MOD_PREFETCH,  /* L2 prefetch of a load: 0 none, 1 64 bytes, 2 128, 3 256 */
    SASS_MOD_SPARSE,    /* 1: tensor operation with structured sparsity (.SP) */
    SASS_MOD_VARIANT,   /* what else tells two uses of an operation apart: see its line in sass.def */
    SASS_MOD_COMMITS, /* tensor operations of a warp group: 1: ends a group that WARPGROUP.DEPBAR waits for */
    SASS_MOD_ARRIVALS, /* SYNCS.ARRIVE: twice an enum sass_arrivals, plus 1 where fewer are expected afterwards */
    SASS_MOD_COUNT
};

/* One enumerator a line would hide the tables. */
/* clang-format off */
/* The float codes; integers use F to GE and T. The second eight are also true when unordered. */
enum sass_compare {
    SASS_CMP_F, SASS_CMP_LT, SASS_CMP_EQ, SASS_CMP_LE, SASS_CMP_GT, SASS_CMP_NE, SASS_CMP_GE, SASS_CMP_NUM,
    SASS_CMP_NAN, SASS_CMP_LTU, SASS_CMP_EQU, SASS_CMP_LEU, SASS_CMP_GTU, SASS_CMP_NEU, SASS_CMP_GEU,
    SASS_CMP_T, SASS_CMP_MIN, SASS_CMP_MAX /* the last two: DSETP, which then tells which of two to take */
};
enum sass_bool { SASS_BOOL_AND, SASS_BOOL_OR, SASS_BOOL_XOR };
/* PRMT: how the selector is read */
enum sass_permute {
    SASS_PRMT_INDEX, SASS_PRMT_F4E, SASS_PRMT_B4E, SASS_PRMT_RC8, SASS_PRMT_ECL, SASS_PRMT_ECR,
    SASS_PRMT_RC16
};
enum sass_type {
    SASS_TYPE_NONE, SASS_TYPE_U8, SASS_TYPE_S8, SASS_TYPE_U16, SASS_TYPE_S16, SASS_TYPE_U32, SASS_TYPE_S32,
    SASS_TYPE_U64, SASS_TYPE_S64, SASS_TYPE_F16, SASS_TYPE_F16X2, SASS_TYPE_BF16, SASS_TYPE_BF16X2,
    SASS_TYPE_F32, SASS_TYPE_F64, SASS_TYPE_TF32, SASS_TYPE_U4, SASS_TYPE_S4, SASS_TYPE_B1, SASS_TYPE_E4M3,
    SASS_TYPE_E5M2, SASS_TYPE_E3M2, SASS_TYPE_E2M3, SASS_TYPE_E2M1, SASS_TYPE_E8M0, SASS_TYPE_F32X2, SASS_TYPE_F32X4,
    SASS_TYPE_U16X2, SASS_TYPE_S16X2, SASS_TYPE_U8X4, SASS_TYPE_S8X4, SASS_TYPE_F16X4, SASS_TYPE_F16X8,
    SASS_TYPE_BF16X4, SASS_TYPE_BF16X8, SASS_TYPE_U128
};
enum sass_rounding {
    SASS_ROUND_NEAR, SASS_ROUND_DOWN, SASS_ROUND_UP, SASS_ROUND_ZERO, SASS_ROUND_AWAY, SASS_ROUND_RANDOM
};
/* MUFU, in the order of its codes */
enum sass_function {
    SASS_MUFU_COS, SASS_MUFU_SIN, SASS_MUFU_EX2, SASS_MUFU_LG2, SASS_MUFU_RCP, SASS_MUFU_RSQ,
    SASS_MUFU_RCP64H, SASS_MUFU_RSQ64H, SASS_MUFU_SQRT, SASS_MUFU_TANH
};
enum sass_atomic {
    SASS_ATOMIC_ADD, SASS_ATOMIC_MIN, SASS_ATOMIC_MAX, SASS_ATOMIC_INC, SASS_ATOMIC_DEC, SASS_ATOMIC_AND,
    SASS_ATOMIC_OR, SASS_ATOMIC_XOR, SASS_ATOMIC_EXCH, SASS_ATOMIC_SAFEADD, SASS_ATOMIC_CAS,
    SASS_ATOMIC_CAST_SPIN, SASS_ATOMIC_POPC_INC, SASS_ATOMIC_ARRIVE
};
enum sass_shuffle { SASS_SHFL_IDX, SASS_SHFL_UP, SASS_SHFL_DOWN, SASS_SHFL_BFLY };
/* BRA: as its lanes say, all of them or none, where lanes of the mask are missing, where none is. */
enum sass_branch { SASS_BRANCH_EACH, SASS_BRANCH_UNANIMOUS, SASS_BRANCH_DIVERGED, SASS_BRANCH_CONVERGED };
enum sass_vote { SASS_VOTE_ALL, SASS_VOTE_ANY, SASS_VOTE_EQ };
enum sass_barrier {
    SASS_BAR_SYNC, SASS_BAR_ARRIVE, SASS_BAR_RED_POPC, SASS_BAR_RED_AND, SASS_BAR_RED_OR, SASS_BAR_SCAN,
    SASS_BAR_SYNCALL
};
enum sass_order { SASS_ORDER_WEAK, SASS_ORDER_CONSTANT, SASS_ORDER_STRONG, SASS_ORDER_MMIO };
enum sass_scope {
    SASS_SCOPE_NONE, SASS_SCOPE_CTA, SASS_SCOPE_SM, SASS_SCOPE_GPU, SASS_SCOPE_SYS, SASS_SCOPE_VC
};
enum sass_evict {
    SASS_EVICT_NORMAL, SASS_EVICT_FIRST, SASS_EVICT_LAST, SASS_EVICT_UNCHANGED, SASS_EVICT_NO_ALLOCATE,
    SASS_EVICT_LAST_USE
};
/* m x n x k of one tensor instruction */
enum sass_shape {
    SASS_SHAPE_NONE, SASS_M8N8K4, SASS_M8N8K16, SASS_M8N8K32, SASS_M8N8K64, SASS_M8N8K128, SASS_M16N8K4,
    SASS_M16N8K8, SASS_M16N8K16, SASS_M16N8K32, SASS_M16N8K64, SASS_M16N8K128, SASS_M16N8K256
};

enum { SASS_CCTL_IVALL = 5 }; /* CCTL by SASS_MOD_VARIANT: L1 drops all that it has */

/* SYNCS by SASS_MOD_VARIANT: what is done with an mbarrier */
enum sass_syncs {
    SASS_SYNCS_ARRIVE, SASS_SYNCS_TEST = 2, SASS_SYNCS_TRY_WAIT, SASS_SYNCS_EXCHANGE, SASS_SYNCS_CONTROL
};
/* SYNCS.ARRIVE: arrivals and transaction bytes, each a number or the register */
enum sass_arrivals {
    SASS_ARRIVE_1_BYTES_R, SASS_ARRIVE_1, SASS_ARRIVE_BYTES_1, SASS_ARRIVE_BYTES_R, SASS_ARRIVE_BYTES_COME, SASS_ARRIVE_R
};
/* ARRIVES by SASS_MOD_VARIANT: once earlier copies are done, an arrival, or none on balance */
enum sass_copies_arrive { SASS_COPIES_ARRIVE = 1, SASS_COPIES_PENDING };
enum { SASS_WARPGROUP_WAITS = 1 }; /* WARPGROUP by SASS_MOD_VARIANT: until at most so many groups are left */
/* Bits of SASS_MOD_VARIANT of UBLKCP and UTMALDG */
enum { SASS_BULK_MULTICAST = 4, SASS_BULK_IM2COL = 8 };

/* Special registers, as numbered by the machine (the same on all architectures). */
enum sass_special {
    SASS_SR_LANEID = 0x00, SASS_SR_VIRTID = 0x03, SASS_SR_TID = 0x20, SASS_SR_TID_X, SASS_SR_TID_Y, SASS_SR_TID_Z,
    SASS_SR_CTAID_X = 0x25, SASS_SR_CTAID_Y, SASS_SR_CTAID_Z, SASS_SR_NTID, SASS_SR_LWINHI = 0x2e, SASS_SR_SWINHI,
    SASS_SR_SWINLO, SASS_SR_SWINSZ, SASS_SR_SMEMSZ, SASS_SR_LWINLO = 0x34, SASS_SR_LWINSZ, SASS_SR_EQMASK = 0x38,
    SASS_SR_LTMASK, SASS_SR_LEMASK, SASS_SR_GTMASK, SASS_SR_GEMASK, SASS_SR_VIRTUALSMID = 0x43,
    SASS_SR_CLOCKLO = 0x50, SASS_SR_CLOCKHI, SASS_SR_GLOBALTIMERLO, SASS_SR_GLOBALTIMERHI,
    SASS_SR_CGACTAID = 0x88, SASS_SR_CGASIZE = 0x8a, SASS_SR_ZERO = 0xff
};
/* clang-format on */

#endif
