// Halves two buffers; a block takes both, or one of them by the place of its grid.
extern "C" __global__ void pairs(float4 *a, float4 *b, const float4 *c, const float4 *d, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 0; k < (FUSE ? 2 : 1); k++) {
        const bool second = FUSE ? k : blockIdx.y;
        const float4 v = (second ? d : c)[i];

        (second ? b : a)[i] = make_float4(v.x / 2, v.y / 2, v.z / 2, v.w / 2);
    }
}
