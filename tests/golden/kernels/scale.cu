// y[i] = a * x[i], a thread doing ITEMS elements.
extern "C" __global__ void scale(float *y, const float *x, float a, int n)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;

    for (int i = first; i < first + ITEMS && i < n; i++)
        y[i] = a * x[i];
}
