// For each point, whether the ray to its right crosses an odd number of edges. An edge is {x at its lower
// end, lower y, upper y, slope}.
#ifndef THREADS
#define THREADS 256
#define POINTS  1
#define EDGES   0
#define METHOD  0
#define UNROLL  1
#endif
#define COUNT 512

// The values of EDGES: where the edges are read,
#define EDGES_CONSTANT 0
#define EDGES_GLOBAL   1
#define EDGES_SHARED   2
// and of METHOD: how the crossings are counted.
#define METHOD_BRANCH 0
#define METHOD_LOGIC  1
#define METHOD_SIGN   2

__constant__ float4 edges[COUNT];

__device__ __forceinline__ float at(float4 edge, float y)
{
    return fmaf(edge.w, y - edge.y, edge.x);
}

__device__ __forceinline__ unsigned crosses(float4 edge, float2 point)
{
#if METHOD == METHOD_BRANCH
    if ((edge.y > point.y) != (edge.z > point.y))
        if (point.x < at(edge, point.y))
            return 1;
    return 0;
#elif METHOD == METHOD_LOGIC
    return ((edge.y > point.y) != (edge.z > point.y)) & (point.x < at(edge, point.y));
#else
    // the sign bits of differences: 1 where the point is above an end, and left of the edge
    const unsigned low = __float_as_uint(point.y - edge.y), high = __float_as_uint(point.y - edge.z);
    return ((low ^ high) & __float_as_uint(point.x - at(edge, point.y))) >> 31;
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS)
    point_in_polygon(int *__restrict__ inside, const float2 *__restrict__ points,
                     const float4 *__restrict__ list, int n)
{
    const int first = blockIdx.x * THREADS * POINTS + threadIdx.x;
    float2 point[POINTS];
    unsigned odd[POINTS] = {};
#if EDGES == EDGES_SHARED
    __shared__ float4 near[COUNT];
    for (int k = threadIdx.x; k < COUNT; k += THREADS)
        near[k] = list[k];
    __syncthreads();
#endif
#pragma unroll
    for (int p = 0; p < POINTS; p++)
        point[p] = first + p * THREADS < n ? points[first + p * THREADS] : make_float2(0, 0);
#pragma unroll UNROLL
    for (int k = 0; k < COUNT; k++) {
#if EDGES == EDGES_CONSTANT
        const float4 edge = edges[k];
#elif EDGES == EDGES_GLOBAL
        const float4 edge = list[k];
#else
        const float4 edge = near[k];
#endif
#pragma unroll
        for (int p = 0; p < POINTS; p++)
            odd[p] ^= crosses(edge, point[p]);
    }
#pragma unroll
    for (int p = 0; p < POINTS; p++)
        if (first + p * THREADS < n)
            inside[first + p * THREADS] = odd[p];
}

extern "C" __global__ void point_in_polygon_reference(int *__restrict__ inside,
                                                      const float2 *__restrict__ points,
                                                      const float4 *__restrict__ list, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int odd = 0;
    for (int k = 0; k < COUNT; k++)
        odd ^=
            (list[k].y > points[i].y) != (list[k].z > points[i].y) && points[i].x < at(list[k], points[i].y);
    inside[i] = odd;
}
