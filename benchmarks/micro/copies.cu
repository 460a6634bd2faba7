// A copy with ELEMENTS elements a thread, 4 bytes each, a grid's width apart, so that every access of a warp is coalesced.
//   LOOP: 0 unrolled, 1 a loop of constant length, 2 a loop of a length known at run time
extern "C" __global__ void copy_elements(const unsigned *__restrict__ in, unsigned *__restrict__ out, unsigned elements)
{
    const unsigned step = gridDim.x * blockDim.x;
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;

#if LOOP == 0
#pragma unroll
    for (int k = 0; k < ELEMENTS; k++, at += step)
        out[at] = in[at];
#elif LOOP == 1
#pragma unroll 1
    for (int k = 0; k < ELEMENTS; k++, at += step)
        out[at] = in[at];
#else
#pragma unroll 1
    for (unsigned k = 0; k < elements; k++, at += step)
        out[at] = in[at];
#endif
}
