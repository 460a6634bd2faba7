#include "lines.h"
extern "C" __global__ void other(float *p) { p[threadIdx.x] *= 2.0f; }
extern "C" __global__ void k(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int j = 0; j < n; j++)
        s += in[i + j * 7] * half_of(s);
    out[i] = s;
}
