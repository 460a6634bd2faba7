// What the tests of the cubin reader look at: nvcc -arch=sm_XX -cubin -o resources-sm_XX.cubin resources.cu (CUDA 13.0).
__constant__ float table[64] = {1, 2, 3};
__device__ float global_value = 5;
__device__ int counters[100];

extern "C" __global__ void __launch_bounds__(128, 2) shares(float *p, const char *q, double d)
{
    __shared__ float s[300];

    s[threadIdx.x] = p[threadIdx.x] + table[threadIdx.x % 64] + global_value;
    __syncthreads();
    atomicAdd(&counters[threadIdx.x % 100], 1);
    p[threadIdx.x] = s[(threadIdx.x * 7) % 128] + d;
}

extern "C" __global__ void __launch_bounds__(1024) spills(float *p, int n)
{
    float a[128];

    for (int i = 0; i < 128; i++)
        a[i] = p[i * 32 + threadIdx.x];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 128; i++)
            a[i] = a[i] * a[(i + 1) % 128] + j;
    for (int i = 0; i < 128; i++)
        p[i * 32 + threadIdx.x] = a[i];
}

template <int n> __global__ void same(float *p)
{
    p[threadIdx.x] = n;
}
template __global__ void same<3>(float *);

extern "C" __global__ void also_same(float *p)
{
    p[threadIdx.x] = 3;
}

extern "C" __global__ void branches(int *p, int n)
{
    int v = p[threadIdx.x];

    switch (n) {
    case 0: v = v * 3 + p[1]; break;
    case 1: v = v ^ p[2]; break;
    case 2: v = __popc(v) + p[7]; break;
    case 3: v = v / (p[3] + 1); break;
    case 4: v = __clz(v) * p[4]; break;
    case 5: v = v % (p[5] | 1); break;
    default: v = 7;
    }
    p[threadIdx.x] = v;
}
