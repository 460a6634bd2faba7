// Products of 16 x 8 x 16 by single warps (mma.sync) of random factors, which stay in registers.
enum { TILES = 4 };

extern "C" __global__ void warp_products(const unsigned *in, float *sink, int passes)
{
    unsigned a[TILES][4], b[TILES][2];
    float d[TILES][4] = {};

    for (int t = 0; t < TILES; t++) {
        for (int k = 0; k < 4; k++)
            a[t][k] = in[threadIdx.x * 6 * TILES + t * 6 + k];
        for (int k = 0; k < 2; k++)
            b[t][k] = in[threadIdx.x * 6 * TILES + t * 6 + 4 + k];
    }
#pragma unroll 1
    for (int pass = 0; pass < passes; pass++)
#pragma unroll
        for (int k = 0; k < TILES; k++)
#pragma unroll
            for (int t = 0; t < TILES; t++) {
                const unsigned *const with = a[(t + k) % TILES];

                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(d[t][0]), "+f"(d[t][1]), "+f"(d[t][2]), "+f"(d[t][3])
                             : "r"(with[0]), "r"(with[1]), "r"(with[2]), "r"(with[3]), "r"(b[t][0]), "r"(b[t][1]));
            }
    float sum = 0;

    for (int t = 0; t < TILES; t++)
        for (int k = 0; k < 4; k++)
            sum += d[t][k];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
