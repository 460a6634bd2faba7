// Tensor cores: what matmul_half's mma.cuh lacks. More widths, and products whose left operand is in registers.
#define SUMS_8_FROM(d, o)                                                                                                   \
    "+f"(d[o]), "+f"(d[o + 1]), "+f"(d[o + 2]), "+f"(d[o + 3]), "+f"(d[o + 4]), "+f"(d[o + 5]), "+f"(d[o + 6]),        \
        "+f"(d[o + 7])
#define TO_2_HALF TO_2 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define TO_3_HALF TO_3 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define TO_5_HALF TO_5 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define SUMS_2_HALF(d) SUMS_2(d), SUMS_8_FROM(d, 32)
#define SUMS_3_HALF(d) SUMS_3(d), SUMS_8_FROM(d, 48)
#define SUMS_5_HALF(d) SUMS_5(d), SUMS_8_FROM(d, 80)

MMA(80, 2_HALF, "%40", "%41", "%42")
MMA(112, 3_HALF, "%56", "%57", "%58")
MMA(176, 5_HALF, "%88", "%89", "%90")

// A in registers: of the 16 columns, two neighbours at row lane / 4, two at 8 rows below, and the same 8 columns further. B as it is
// described by `columns_descriptor`.
template <int N>
struct MmaOfRegisters;

#define MMA_OF_REGISTERS(n, parts, a0, a1, a2, a3, b_name)                                                             \
    template <>                                                                                                        \
    struct MmaOfRegisters<n> {                                                                                         \
        static __device__ __forceinline__ void add(float (&d)[n / 2], const word *a, address b)                        \
        {                                                                                                              \
            asm volatile("{\n"                                                                                         \
                         ".reg .pred adds;\n"                                                                          \
                         "setp.eq.u32 adds, 0, 0;\n"                                                                   \
                         "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." INPUT "." INPUT " {" TO_##parts "}, {" a0   \
                         ", " a1 ", " a2 ", " a3 "}, " b_name ", adds, 1, 1, 1;\n"                                     \
                         "}"                                                                                           \
                         : SUMS_##parts(d)                                                                             \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                                        \
        }                                                                                                              \
    };
MMA_OF_REGISTERS(64, 2, "%32", "%33", "%34", "%35", "%36")
MMA_OF_REGISTERS(128, 4, "%64", "%65", "%66", "%67", "%68")

// B with its columns side by side in memory: rows of 64 halves, eight of them in 1,024 bytes, swizzled over 128 bytes; `bytes` from
// one 64 columns to the next. 16 rows further is 2,048 / 16 more.
__device__ __forceinline__ address columns_descriptor(word at, word bytes)
{
    const address pattern_128 = (address)1 << 62, eight_rows = (address)(1024 >> 4) << 32;

    return pattern_128 | eight_rows | (address)(bytes >> 4) << 16 | (address)((at & 0x3ffff) >> 4);
}

// The compiler moves no use of these registers to before this place: the tensor cores write them until a group was waited for.
template <int N>
__device__ __forceinline__ void written(float (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

// What `sum` is computed from is computed before this place, and what comes after it waits no earlier: without a store in between, the
// compiler waits for products first and computes then. Nobody reads what is stored.
__device__ __forceinline__ void computed(float sum, word spare)
{
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(spare), "f"(sum) : "memory");
}
