__constant__ float factor;

extern "C" __global__ void scale(const float *x, float *y, int n)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;

    for (int i = first; i < first + ITEMS && i < n; i++)
        y[i] = factor * x[i];
}
