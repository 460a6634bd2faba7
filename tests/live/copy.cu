// The pretended driver of the tests runs kernels by name, each with what it does wrong: see tests/fake. What stands here is
// only compiled; every kernel has code of its own, and so has each WORK.
#define KERNEL(name, k)                                                                                         \
    extern "C" __global__ void name(const float *in, float *out, int n)                                      \
    {                                                                                                        \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
                                                                                                             \
        if (i < n)                                                                                           \
            out[i] = in[i] * k + WORK;                                                                    \
    }

KERNEL(copy, 2)
KERNEL(slow, 3)
KERNEL(flip, 4)
KERNEL(beyond, 5)
KERNEL(scribble, 6)
KERNEL(illegal, 7)
KERNEL(crash, 8)
KERNEL(tires, 9)
KERNEL(brisk, 10)
KERNEL(idle, 11)
KERNEL(hot, 10)
KERNEL(sums, 12)
KERNEL(short_sums, 13)
KERNEL(first_sum, 14)
#ifdef BROKEN
#error this variant does not compile
#endif
