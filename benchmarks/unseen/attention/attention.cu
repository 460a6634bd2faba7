// out = softmax(Q K^T / sqrt(D)) V for each head: LANES threads share a query, keys and values pass through
// shared memory KEYS at a time, and the maximum is corrected as it grows.
#ifndef THREADS
#define THREADS 128
#define LANES   4
#define KEYS    16
#define BATCH   1
#define FAST    0
#endif
#define D       64
#define PER     (D / LANES)
#define QUERIES (THREADS / LANES)

__device__ __forceinline__ float exponential(float x)
{
    return FAST ? __expf(x) : expf(x);
}

// Element d of a lane: vectors of four with the lanes between, so that a warp's reads lie side by side.
__device__ __forceinline__ int place(int lane, int d)
{
    return PER >= 4 ? (d / 4 * LANES + lane) * 4 + d % 4 : lane * PER + d;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    attention(float *__restrict__ out, const float *__restrict__ q, const float *__restrict__ k,
              const float *__restrict__ v, int length)
{
    __shared__ __align__(16) float keys[KEYS][D], values[KEYS][D];
    const long long head = (long long)blockIdx.y * length * D;
    const int query = blockIdx.x * QUERIES + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    float mine[PER], sum[PER] = {}, largest = -1e30f, total = 0;
#pragma unroll
    for (int d = 0; d < PER; d++)
        mine[d] = q[head + query * D + place(lane, d)] * 0.125f;

    for (int start = 0; start < length; start += KEYS) {
        __syncthreads();
        for (int at = threadIdx.x * 4; at < KEYS * D; at += THREADS * 4) {
            *(float4 *)&keys[0][at] = *(const float4 *)&k[head + start * D + at];
            *(float4 *)&values[0][at] = *(const float4 *)&v[head + start * D + at];
        }
        __syncthreads();
        for (int first = 0; first < KEYS; first += BATCH) {
            float score[BATCH], top = largest;
#pragma unroll
            for (int b = 0; b < BATCH; b++) {
                score[b] = 0;
#pragma unroll
                for (int d = 0; d < PER; d++)
                    score[b] = fmaf(mine[d], keys[first + b][place(lane, d)], score[b]);
#pragma unroll
                for (int s = LANES / 2; s > 0; s /= 2)
                    score[b] += __shfl_xor_sync(0xffffffff, score[b], s);
                top = fmaxf(top, score[b]);
            }
            const float shrink = exponential(largest - top);
            largest = top;
            total *= shrink;
#pragma unroll
            for (int d = 0; d < PER; d++)
                sum[d] *= shrink;
#pragma unroll
            for (int b = 0; b < BATCH; b++) {
                const float weight = exponential(score[b] - largest);
                total += weight;
#pragma unroll
                for (int d = 0; d < PER; d++)
                    sum[d] = fmaf(weight, values[first + b][place(lane, d)], sum[d]);
            }
        }
    }
#pragma unroll
    for (int d = 0; d < PER; d++)
        out[head + query * D + place(lane, d)] = sum[d] / total;
}

// A block of D threads a query; the scores are computed twice.
extern "C" __global__ void attention_reference(float *__restrict__ out, const float *__restrict__ q,
                                               const float *__restrict__ k, const float *__restrict__ v,
                                               int length)
{
    __shared__ float scores[4096], largest;
    const long long head = (long long)blockIdx.y * length * D;
    const int query = blockIdx.x;
    for (int j = threadIdx.x; j < length; j += D) {
        float score = 0;
        for (int d = 0; d < D; d++)
            score += q[head + query * D + d] * k[head + j * D + d];
        scores[j] = score * 0.125f;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        largest = scores[0];
        for (int j = 1; j < length; j++)
            largest = fmaxf(largest, scores[j]);
    }
    __syncthreads();
    float sum = 0, total = 0;
    for (int j = 0; j < length; j++) {
        const float weight = expf(scores[j] - largest);
        total += weight;
        sum += weight * v[head + j * D + threadIdx.x];
    }
    out[head + query * D + threadIdx.x] = sum / total;
}
