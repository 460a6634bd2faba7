// A FIR filter of 64 taps over many channels, warp specialised: PRODUCERS warps bring samples into a ring of stages, the
// others filter; the two meet at named barriers, a pair a stage.
#define TAPS      64
#define CHUNK     (CONSUMERS * 32 * PER_THREAD)
#define SPAN      (CHUNK + TAPS)
#define ALL       ((PRODUCERS + CONSUMERS) * 32)

__constant__ float taps[TAPS];

__device__ __forceinline__ void bar_sync(int id) { asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(ALL) : "memory"); }
__device__ __forceinline__ void bar_arrive(int id)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "n"(ALL) : "memory");
}

extern "C" __global__ void __launch_bounds__(ALL)
    fir(float *__restrict__ out, const float *__restrict__ in, int length, int chunks)
{
    __shared__ __align__(16) float ring[STAGES][SPAN];
    const int warp = threadIdx.x / 32;
    const float *from = in + (size_t)blockIdx.y * (length + TAPS) + (size_t)blockIdx.x * chunks * CHUNK;
    float *to = out + (size_t)blockIdx.y * length + (size_t)blockIdx.x * chunks * CHUNK;

    if (warp < PRODUCERS) {
        for (int c = 0; c < chunks; c++) {
            const int stage = c % STAGES;
            if (c >= STAGES)
                bar_sync(1 + STAGES + stage); // empty
#if ASYNC
            for (int i = threadIdx.x * 4; i < SPAN; i += PRODUCERS * 128)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                                 (unsigned)__cvta_generic_to_shared(&ring[stage][i])),
                             "l"(from + (size_t)c * CHUNK + i));
            asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
#else
#pragma unroll 4
            for (int i = threadIdx.x * 4; i < SPAN; i += PRODUCERS * 128)
                *(float4 *)&ring[stage][i] = *(const float4 *)(from + (size_t)c * CHUNK + i);
#endif
            asm volatile("membar.cta;" ::: "memory");
            bar_arrive(1 + stage); // full
        }
        return;
    }
    const int me = threadIdx.x - PRODUCERS * 32;
    for (int c = 0; c < chunks; c++) {
        const int stage = c % STAGES;
        bar_sync(1 + stage);
        float sum[PER_THREAD] = {};
#if PER_THREAD >= 4
        // A window of registers slides over the samples.
        float window[PER_THREAD + 4];
        const float4 *s = (const float4 *)&ring[stage][me * PER_THREAD];
#pragma unroll
        for (int i = 0; i < PER_THREAD / 4; i++)
            *(float4 *)&window[i * 4] = s[i];
#pragma unroll
        for (int t = 0; t < TAPS; t += 4) {
            *(float4 *)&window[PER_THREAD] = s[(PER_THREAD + t) / 4];
#pragma unroll
            for (int k = 0; k < 4; k++)
#pragma unroll
                for (int p = 0; p < PER_THREAD; p++)
                    sum[p] = fmaf(taps[t + k], window[p + k], sum[p]);
#pragma unroll
            for (int p = 0; p < PER_THREAD; p++)
                window[p] = window[p + 4];
        }
#else
#pragma unroll 16
        for (int t = 0; t < TAPS; t++)
#pragma unroll
            for (int p = 0; p < PER_THREAD; p++)
                sum[p] = fmaf(taps[t], ring[stage][me * PER_THREAD + p + t], sum[p]);
#endif
#pragma unroll
        for (int p = 0; p < PER_THREAD; p++)
            to[(size_t)c * CHUNK + me * PER_THREAD + p] = sum[p];
        if (c + STAGES < chunks)
            bar_arrive(1 + STAGES + stage);
    }
}

extern "C" __global__ void fir_reference(float *out, const float *in, int length, int chunks)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < TAPS; t++)
        sum = fmaf(taps[t], in[(size_t)blockIdx.y * (length + TAPS) + i + t], sum);
    out[(size_t)blockIdx.y * length + i] = sum;
}
