// Tiles of groups of rows, whose sizes are loaded: COLUMNS tiles to a row, each of which reads its row and its column of the
// group's matrix. Blocks without a tile leave.
#define COLUMNS 8
#define PIECE   2048

extern "C" __global__ void __launch_bounds__(64) grouped(float *out, const float *rows, const float *columns,
                                                         const int *offset, int groups)
{
    int before = 0, group = 0, row;

    for (; group < groups; group++) {
        const int tiles = (offset[group + 1] - offset[group]) * COLUMNS;

        if ((int)blockIdx.x < before + tiles)
            break;
        before += tiles;
    }
    if (group == groups)
        return;
    row = offset[group] + (blockIdx.x - before) / COLUMNS;

    const float *a = rows + row * PIECE, *b = columns + (group * COLUMNS + (blockIdx.x - before) % COLUMNS) * PIECE;
    float sum = 0;

#pragma unroll 1
    for (int k = threadIdx.x; k < PIECE; k += 64)
        sum += a[k] * b[k];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// A product with a matrix of which each row has some pieces, 8 to 39 of 64, by a list: 16 blocks, one of each row of the matrix,
// read those pieces of one tile of the other factor.
#define LISTS 16
#define SLOTS 64

extern "C" __global__ void __launch_bounds__(64) listed(float *out, const float *tiles, const float *pieces,
                                                        const int *count, const int *column)
{
    const int row = blockIdx.x % LISTS, tile = blockIdx.x / LISTS;
    float sum = 0;

#pragma unroll 1
    for (int slot = row * SLOTS; slot < row * SLOTS + count[row]; slot++)
#pragma unroll 1
        for (int k = threadIdx.x; k < 512; k += 64)
            sum += tiles[(tile * SLOTS + column[slot]) * 512 + k] * pieces[slot * 512 + k];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
