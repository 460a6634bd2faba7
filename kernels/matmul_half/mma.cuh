// Tensor cores: C += A B for 64 rows of A and N columns of B (rows of B as it lies in memory), 16 deep, by a warpgroup.
//
// A thread holds N / 2 sums: of each 8 columns two neighbours at row lane / 4 of its warp's 16 rows, and two at 8 rows below.
#ifndef FP16
#define INPUT "bf16"
#else
#define INPUT "f16"
#endif

#define NAMES_0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define NAMES_1 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_2 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define NAMES_3 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_4 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define NAMES_5 ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES_6 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define NAMES_7 ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define NAMES_HALF "%0, %1, %2, %3, %4, %5, %6, %7"
#define SUMS_16(d, o)                                                                                                  \
    "+f"(d[o]), "+f"(d[o + 1]), "+f"(d[o + 2]), "+f"(d[o + 3]), "+f"(d[o + 4]), "+f"(d[o + 5]), "+f"(d[o + 6]),        \
        "+f"(d[o + 7]), "+f"(d[o + 8]), "+f"(d[o + 9]), "+f"(d[o + 10]), "+f"(d[o + 11]), "+f"(d[o + 12]),             \
        "+f"(d[o + 13]), "+f"(d[o + 14]), "+f"(d[o + 15])
#define TO_HALF NAMES_HALF
#define TO_1 NAMES_0
#define TO_2 TO_1 NAMES_1
#define TO_3 TO_2 NAMES_2
#define TO_4 TO_3 NAMES_3
#define TO_4_QUARTER TO_4 ", %64, %65, %66, %67"
#define TO_4_HALF TO_4 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define TO_5 TO_4 NAMES_4
#define TO_6 TO_5 NAMES_5
#define TO_7 TO_6 NAMES_6
#define TO_8 TO_7 NAMES_7
#define SUMS_HALF(d) "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define SUMS_1(d) SUMS_16(d, 0)
#define SUMS_2(d) SUMS_1(d), SUMS_16(d, 16)
#define SUMS_3(d) SUMS_2(d), SUMS_16(d, 32)
#define SUMS_4(d) SUMS_3(d), SUMS_16(d, 48)
#define SUMS_4_QUARTER(d) SUMS_4(d), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67])
#define SUMS_4_HALF(d)                                                                                                 \
    SUMS_4(d), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71])
#define SUMS_5(d) SUMS_4(d), SUMS_16(d, 64)
#define SUMS_6(d) SUMS_5(d), SUMS_16(d, 80)
#define SUMS_7(d) SUMS_6(d), SUMS_16(d, 96)
#define SUMS_8(d) SUMS_7(d), SUMS_16(d, 112)

template <int N>
struct Mma;

// `a` and `b` are descriptors of operands in shared memory; with `adds` 0 the sums begin anew.
#define MMA(n, parts, a_name, b_name, adds_name)                                                                       \
    template <>                                                                                                        \
    struct Mma<n> {                                                                                                    \
        static __device__ __forceinline__ void add(float (&d)[n / 2], address a, address b, int adds)                  \
        {                                                                                                              \
            asm volatile("{\n"                                                                                         \
                         ".reg .pred adds;\n"                                                                          \
                         "setp.ne.b32 adds, " adds_name ", 0;\n"                                                       \
                         "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." INPUT "." INPUT " {" TO_##parts             \
                         "}, " a_name ", " b_name ", adds, 1, 1, 0, 0;\n"                                              \
                         "}"                                                                                           \
                         : SUMS_##parts(d)                                                                             \
                         : "l"(a), "l"(b), "r"(adds));                                                                 \
        }                                                                                                              \
    };
MMA(16, HALF, "%8", "%9", "%10")
MMA(32, 1, "%16", "%17", "%18")
MMA(64, 2, "%32", "%33", "%34")
MMA(96, 3, "%48", "%49", "%50")
MMA(128, 4, "%64", "%65", "%66")
MMA(136, 4_QUARTER, "%68", "%69", "%70")
MMA(144, 4_HALF, "%72", "%73", "%74")
MMA(160, 5, "%80", "%81", "%82")
MMA(192, 6, "%96", "%97", "%98")
MMA(224, 7, "%112", "%113", "%114")
MMA(256, 8, "%128", "%129", "%130")

// Rows of 64 halves (128 bytes), eight of them in 1,024 bytes, swizzled over 128 bytes. The operand `bytes` further in shared memory is
// described by bytes / 16 more: 2 for the next step of k.
__device__ __forceinline__ address descriptor(word at)
{
    const address pattern_128 = (address)1 << 62, eight_rows = (address)(1024 >> 4) << 32, unused = (address)1 << 16;

    return pattern_128 | eight_rows | unused | (address)((at & 0x3ffff) >> 4);
}

__device__ __forceinline__ void mma_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void mma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int PENDING>
__device__ __forceinline__ void mma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}
