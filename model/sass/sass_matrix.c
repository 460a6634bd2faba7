#include "model/sass/sass_matrix.h"

enum { WARPS = 4, GROUP_ROWS = 64, REGISTER_FORM = 6, ROW_BYTES = 32 /* of a factor, whatever its type */ };

static const struct {
    uint8_t m, n;
    uint16_t k;
} shapes[] = {
    [SASS_M8N8K4] = {8, 8, 4},     [SASS_M8N8K16] = {8, 8, 16},     [SASS_M8N8K32] = {8, 8, 32},
    [SASS_M8N8K64] = {8, 8, 64},   [SASS_M8N8K128] = {8, 8, 128},   [SASS_M16N8K4] = {16, 8, 4},
    [SASS_M16N8K8] = {16, 8, 8},   [SASS_M16N8K16] = {16, 8, 16},   [SASS_M16N8K32] = {16, 8, 32},
    [SASS_M16N8K64] = {16, 8, 64}, [SASS_M16N8K128] = {16, 8, 128}, [SASS_M16N8K256] = {16, 8, 256},
};

static enum sass_factor factor_of(enum sass_type type)
{
    switch (type) {
    case SASS_TYPE_TF32:
        return SASS_FACTOR_TF32;
    case SASS_TYPE_U8:
    case SASS_TYPE_S8:
        return SASS_FACTOR_S8;
    case SASS_TYPE_U4:
    case SASS_TYPE_S4:
        return SASS_FACTOR_S4;
    case SASS_TYPE_E4M3:
    case SASS_TYPE_E5M2:
    case SASS_TYPE_E3M2:
    case SASS_TYPE_E2M3:
    case SASS_TYPE_E2M1:
        return SASS_FACTOR_F8;
    default:
        return SASS_FACTOR_F16;
    }
}

static bool read_group(struct sass_matrix *out, const struct sass *i)
{
    static const unsigned depths[SASS_FACTOR_COUNT] = {[SASS_FACTOR_F16] = 16,
                                                       [SASS_FACTOR_TF32] = 8,
                                                       [SASS_FACTOR_F8] = 32,
                                                       [SASS_FACTOR_S8] = 32,
                                                       [SASS_FACTOR_B1] = 256};

    out->group = true;
    out->registers = (i->opcode >> 9 & 7) == REGISTER_FORM;
    out->m = GROUP_ROWS / WARPS;
    out->n = 8u * i->mod[SASS_MOD_COLUMNS];
    out->k = depths[out->factor] << out->sparse;
    return out->n > 0;
}

static bool read_shape(struct sass_matrix *out, unsigned shape)
{
    if (!shape || shape >= sizeof shapes / sizeof shapes[0])
        return false;
    out->m = shapes[shape].m;
    out->n = shapes[shape].n;
    out->k = shapes[shape].k;
    return true;
}

bool sass_matrix(struct sass_matrix *out, const struct sass *i)
{
    *out = (struct sass_matrix){.factor = factor_of((enum sass_type)i->mod[SASS_MOD_FROM]),
                                .sparse = i->mod[SASS_MOD_SPARSE]};
    switch (i->op) {
    case SASS_BGMMA:
        out->factor = SASS_FACTOR_B1;
        return read_group(out, i);
    case SASS_HGMMA:
    case SASS_IGMMA:
    case SASS_QGMMA:
        return read_group(out, i);
    case SASS_BMMA:
        out->factor = SASS_FACTOR_B1;
        break;
    case SASS_DMMA:
        out->factor = SASS_FACTOR_F64;
        break;
    case SASS_HMMA:
    case SASS_IMMA:
    case SASS_QMMA:
        break;
    default:
        return false;
    }
    return read_shape(out, i->mod[SASS_MOD_SHAPE]);
}

double sass_matrix_work(const struct sass_matrix *matrix)
{
    return (double)matrix->m * matrix->n * matrix->k / (matrix->sparse ? 2 : 1);
}

double sass_matrix_shared_bytes(const struct sass_matrix *matrix)
{
    const double first = matrix->registers ? 0 : GROUP_ROWS, second = matrix->n << matrix->sparse;

    return matrix->group ? (first + second) * ROW_BYTES / WARPS : 0;
}
