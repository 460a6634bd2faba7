// D += A B of a warpgroup: 64 rows of A and N rows of B, both K-major with 128-byte swizzle in shared memory.
#pragma once

#include "hopper.cuh"

__device__ __forceinline__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int N>
__device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

// Rows of 128 bytes, 8 of them 1,024 bytes apart.
__device__ __forceinline__ u64 smem_desc(const void *p)
{
    return (u64)(smem_u32(p) >> 4 & 0x3fff) | (u64)1 << 16 | (u64)64 << 32 | (u64)1 << 62;
}

#define R16(d, o)                                                                                                      \
    "+f"(d[o]), "+f"(d[o + 1]), "+f"(d[o + 2]), "+f"(d[o + 3]), "+f"(d[o + 4]), "+f"(d[o + 5]), "+f"(d[o + 6]),        \
        "+f"(d[o + 7]), "+f"(d[o + 8]), "+f"(d[o + 9]), "+f"(d[o + 10]), "+f"(d[o + 11]), "+f"(d[o + 12]),             \
        "+f"(d[o + 13]), "+f"(d[o + 14]), "+f"(d[o + 15])
#define L0 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define L1 L0 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define L2 L1 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define L3 L2 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define L4 L3 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"
#define L5 L4 ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
#define L6 L5 ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111"
#define L7 L6 ",%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

template <int N>
struct Wgmma;

#ifdef E4M3
#define SHAPE "k32.f32.e4m3.e4m3 {"
#define TAIL ", p, 1, 1;\n}"
#else
#define SHAPE "k16.f32.bf16.bf16 {"
#define TAIL ", p, 1, 1, 0, 0;\n}"
#endif
#define WGMMA(n, list, a, b, s, ...)                                                                                   \
    template <>                                                                                                        \
    struct Wgmma<n> {                                                                                                  \
        static __device__ __forceinline__ void mma(float (&d)[n / 2], u64 da, u64 db, int scale)                       \
        {                                                                                                              \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " s ", 0;\nwgmma.mma_async.sync.aligned.m64n" #n SHAPE list \
                         "}, " a ", " b TAIL                                                                           \
                         : __VA_ARGS__                                                                                 \
                         : "l"(da), "l"(db), "r"(scale));                                                              \
        }                                                                                                              \
    };
WGMMA(64, L1, "%32", "%33", "%34", R16(d, 0), R16(d, 16))
WGMMA(128, L3, "%64", "%65", "%66", R16(d, 0), R16(d, 16), R16(d, 32), R16(d, 48))
WGMMA(256, L7, "%128", "%129", "%130", R16(d, 0), R16(d, 16), R16(d, 32), R16(d, 48), R16(d, 64), R16(d, 80), R16(d, 96),
      R16(d, 112))

__device__ __forceinline__ u32 pack_bf16(float low, float high)
{
    u32 out;

    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
    return out;
}
