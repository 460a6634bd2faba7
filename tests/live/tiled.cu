// What the pretended driver runs is in tests/fake; this is only compiled.
struct alignas(64) map {
    char opaque[128];
};

extern "C" __global__ void tiled(const __grid_constant__ map in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in.opaque[i % 128] * BOX;
}

// As only an sm_90a has it: whoever compiles this for sm_90 fails.
extern "C" __global__ void grouped(const __grid_constant__ map in, float *out, int n)
{
    asm volatile("wgmma.fence.sync.aligned;");
    out[n - 1] = in.opaque[0];
}

struct job {
    const float *in;
    float *out;
    int n;
};

extern "C" __global__ void gathered(job a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < a.n)
        a.out[i] = a.in[i] * BOX;
}

extern "C" __global__ void copy(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}
