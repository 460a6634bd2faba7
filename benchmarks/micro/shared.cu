// Shared memory kept busy: LENGTH accesses a pass, lane l at word l * spread (plus its place in a wide access).
//   WIDTH: bytes a lane and access, 4, 8 or 16
#include "clock.cuh"

#if WIDTH == 4
#define LOAD(v, p) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"((v)[0]) : "r"(p) : "memory")
#define STORE(p, v) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(p), "r"((v)[0]) : "memory")
#elif WIDTH == 8
#define LOAD(v, p) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"((v)[0]), "=r"((v)[1]) : "r"(p) : "memory")
#define STORE(p, v) asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(p), "r"((v)[0]), "r"((v)[1]) : "memory")
#else
#define LOAD(v, p)                                                                                                  \
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"                                                \
                 : "=r"((v)[0]), "=r"((v)[1]), "=r"((v)[2]), "=r"((v)[3])                                           \
                 : "r"(p)                                                                                           \
                 : "memory")
#define STORE(p, v)                                                                                                 \
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(p), "r"((v)[0]), "r"((v)[1]),            \
                 "r"((v)[2]), "r"((v)[3])                                                                           \
                 : "memory")
#endif

extern __shared__ unsigned words[];

#define BUSY(name, access)                                                                                          \
    extern "C" __global__ void name(unsigned *sink, long long *spans, int passes, unsigned spread, unsigned mask)   \
    {                                                                                                               \
        const unsigned base = (unsigned)__cvta_generic_to_shared(words);                                            \
        const unsigned p = base + (threadIdx.x % 32 * spread * WIDTH & mask);                                       \
        unsigned v[WIDTH / 4] = {threadIdx.x};                                                                      \
        const long long enter = clock_now();                                                                        \
        long long start = 0, stop = 0;                                                                              \
                                                                                                                    \
        _Pragma("unroll 1") for (int round = 0; round < 2; round++)                                                 \
        {                                                                                                           \
            __syncthreads();                                                                                        \
            start = clock_now();                                                                                    \
            _Pragma("unroll 1") for (int pass = 0; pass < passes; pass++)                                           \
            {                                                                                                       \
                _Pragma("unroll") for (int k = 0; k < LENGTH; k++) access;                                          \
            }                                                                                                       \
            stop = clock_now();                                                                                     \
        }                                                                                                           \
        sink[blockIdx.x * blockDim.x + threadIdx.x] = v[0];                                                         \
        span_keep(spans, enter, start, stop);                                                                              \
    }

BUSY(shared_read, LOAD(v, p))
BUSY(shared_write, STORE(p, v))
// Additions nobody waits for: all lanes to one word with spread 0, to neighbouring words with spread 1.
BUSY(shared_atomic, asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(p), "r"(passes) : "memory"))
