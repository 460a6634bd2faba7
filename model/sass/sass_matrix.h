/* The work of a tensor instruction, from its encoding. */
#ifndef MODEL_SASS_MATRIX_H
#define MODEL_SASS_MATRIX_H

#include "model/sass/sass.h"

/* Types of factors that tensor cores multiply at one rate. */
enum sass_factor {
    SASS_FACTOR_F16, /* and BF16 */
    SASS_FACTOR_TF32,
    SASS_FACTOR_F8, /* E4M3, E5M2, and the narrower ones that the same instructions take */
    SASS_FACTOR_S8, /* and U8 */
    SASS_FACTOR_S4, /* and U4 */
    SASS_FACTOR_B1,
    SASS_FACTOR_F64,
    SASS_FACTOR_COUNT
};

struct sass_matrix {
    unsigned m, n, k; /* of the result's rows, what this warp computes: 16 of a warp group's 64 */
    enum sass_factor factor;
    bool sparse;
    bool group;     /* of a warp group: HGMMA, IGMMA, BGMMA, QGMMA */
    bool registers; /* of a group: the first factor comes from registers, not from shared memory */
};

/* False where the encoding does not say the shape: HMMA.884, OMMA, and what is no such instruction. */
bool sass_matrix(struct sass_matrix *out, const struct sass *instruction);

/* Multiply-adds of the warp that the tensor core does: of a sparse one half of them are left out. */
double sass_matrix_work(const struct sass_matrix *matrix);

/* Bytes that a warp's part of a warp group's factors takes from shared memory, 0 for others: a group reads
 * the second factor, and unless it is in registers the first, once for each instruction, also where the one
 * before had the same (benchmarks/micro/groups.c). */
double sass_matrix_shared_bytes(const struct sass_matrix *matrix);

#endif
