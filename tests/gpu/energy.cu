/* Work for tests of energy: one kernel that moves memory, one that multiplies. */

extern "C" __global__ void move(float4 *out, const float4 *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

extern "C" __global__ void multiply(float4 *out, const float4 *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 x = in[i % n];
    float a = x.x, b = x.y, c = x.z, d = x.w;

    for (int k = 0; k < 4096; k++) {
        a = a * x.y + x.z;
        b = b * x.z + x.w;
        c = c * x.w + x.x;
        d = d * x.x + x.y;
    }
    out[i % n] = make_float4(a, b, c, d);
}
