// c[i] = log(a[i]) / b[i], two elements a thread: some thirty instructions an element for 12 bytes, few enough
// to be bound by DRAM with and without fast-math. The pointers are aligned to 8 bytes, n is a multiple of
// 2 * BLOCK, a[i] > 0, b[i] is not 0.
extern "C" __global__ void __launch_bounds__(BLOCK)
    log_quotient(const float2 *__restrict__ a, const float2 *__restrict__ b, float2 *__restrict__ c)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const float2 x = a[i], y = b[i];
    c[i] = make_float2(logf(x.x) / y.x, logf(x.y) / y.y);
}

// The same in double precision, one element a thread.
extern "C" __global__ void log_quotient_reference(const float *__restrict__ a, const float *__restrict__ b,
                                                  float *__restrict__ c)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = (float)(log((double)a[i]) / (double)b[i]);
}
