// For each query the squared distances of its 8 nearest points, in order.
#ifndef THREADS
#define THREADS 128
#define QUERIES 1
#define STAGE   0
#define METHOD  0
#define UNROLL  1
#endif
#define NEIGHBOURS 8
#define TILE       256

// The values of METHOD: a point nearer than the farthest kept is put in place by a loop that ends where it
// belongs,
#define METHOD_LOOP    0
#define METHOD_BRANCH  1 // by minima and maxima through all places,
#define METHOD_NETWORK 2 // and so is every point, nearer or not

__device__ __forceinline__ void keep(float *kept, float distance)
{
#if METHOD != METHOD_NETWORK
    if (distance >= kept[NEIGHBOURS - 1])
        return;
#endif
#if METHOD == METHOD_LOOP
    int k = NEIGHBOURS - 1;
    for (; k > 0 && kept[k - 1] > distance; k--)
        kept[k] = kept[k - 1];
    kept[k] = distance;
#else
#pragma unroll
    for (int k = 0; k < NEIGHBOURS; k++) {
        const float low = fminf(kept[k], distance);
        distance = fmaxf(kept[k], distance);
        kept[k] = low;
    }
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS)
    nearest(float *__restrict__ out, const float4 *__restrict__ queries, const float4 *__restrict__ points,
            int count)
{
    const int first = blockIdx.x * THREADS * QUERIES + threadIdx.x;
    float4 query[QUERIES];
    float kept[QUERIES][NEIGHBOURS];
#pragma unroll
    for (int q = 0; q < QUERIES; q++) {
        query[q] = queries[first + q * THREADS];
#pragma unroll
        for (int k = 0; k < NEIGHBOURS; k++)
            kept[q][k] = 1e30f;
    }
#if STAGE
    __shared__ float4 tile[TILE];
#endif
    for (int start = 0; start < count; start += TILE) {
#if STAGE
        __syncthreads();
        for (int k = threadIdx.x; k < TILE; k += THREADS)
            tile[k] = points[start + k];
        __syncthreads();
#else
        const float4 *tile = points + start;
#endif
#pragma unroll UNROLL
        for (int k = 0; k < TILE; k++) {
            const float4 point = tile[k];
#pragma unroll
            for (int q = 0; q < QUERIES; q++) {
                const float dx = point.x - query[q].x, dy = point.y - query[q].y, dz = point.z - query[q].z;
                keep(kept[q], fmaf(dx, dx, fmaf(dy, dy, dz * dz)));
            }
        }
    }
#pragma unroll
    for (int q = 0; q < QUERIES; q++)
#pragma unroll
        for (int k = 0; k < NEIGHBOURS; k++)
            out[(first + q * THREADS) * NEIGHBOURS + k] = kept[q][k];
}

// Picks the smallest distance above the last one 8 times; equal distances would need a count.
extern "C" __global__ void nearest_reference(float *__restrict__ out, const float4 *__restrict__ queries,
                                             const float4 *__restrict__ points, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 query = queries[i];
    float last = -1;
    for (int k = 0; k < NEIGHBOURS;) {
        float best = 1e30f;
        int times = 0;
        for (int j = 0; j < count; j++) {
            const float dx = points[j].x - query.x, dy = points[j].y - query.y, dz = points[j].z - query.z;
            const float distance = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
            if (distance > last && distance <= best) {
                times = distance == best ? times + 1 : 1;
                best = distance;
            }
        }
        for (; times > 0 && k < NEIGHBOURS; times--)
            out[i * NEIGHBOURS + k++] = best;
        last = best;
    }
}
