// What the kernels of test_random.c include: names of types, and instructions that CUDA C has no word for.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32, small;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef bool flag;

__constant__ u32 table[16] = {0, 1, 2, 3, 31, 32, 33, 255, 65535, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678, 7, 1000, 0xfffffffe};

#define INLINE static __device__ __forceinline__

INLINE u64 bits(u32 v) { return v; }
INLINE u64 bits(i32 v) { return (u32)v; }
INLINE u64 bits(u64 v) { return v; }
INLINE u64 bits(i64 v) { return v; }
INLINE u64 bits(flag v) { return v; }
INLINE u64 bits(f32 v) { return v == v ? __float_as_uint(v) : 0x7fffffff; }
INLINE u64 bits(f64 v) { return v == v ? __double_as_longlong(v) : 0x7fffffffffffffff; }

// A place of its own for every value, of 4096.
INLINE u32 place_of(u64 v) { return ((u32)v ^ (u32)(v >> 32) * 31) * 0x9e3779b1u >> 20; }

#define OF_ONE(name, instruction, type) \
    INLINE u32 name(type a) { u32 out; asm(instruction " %0, %1;" : "=r"(out) : "r"(a)); return out; }
#define OF_TWO(name, instruction, type) \
    INLINE type name(type a, u32 b) { type out; asm(instruction " %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b)); return out; }
#define OF_THREE(name, instruction, type) \
    INLINE type name(type a, u32 b, u32 c) { type out; asm(instruction " %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c)); return out; }

OF_ONE(ptx_bfind, "bfind.s32", i32)
OF_TWO(ptx_shl, "shl.b32", u32)
OF_TWO(ptx_shr, "shr.s32", i32)
OF_THREE(ptx_prmt_f4e, "prmt.b32.f4e", u32)
OF_THREE(ptx_prmt_rc16, "prmt.b32.rc16", u32)

INLINE u32 ptx_bfi(u32 a, u32 b, u32 at, u32 count)
{
    u32 out;

    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(out) : "r"(a), "r"(b), "r"(at), "r"(count));
    return out;
}

INLINE u64 ptx_chain_add(u64 a, u64 b, u64 c)
{
    u64 out;

    asm("{ .reg .u64 t; add.cc.u64 t, %1, %2; addc.u64 %0, %3, %1; }" : "=l"(out) : "l"(a), "l"(b), "l"(c));
    return out;
}

INLINE u64 ptx_chain_sub(u64 a, u64 b, u64 c)
{
    u64 out;

    asm("{ .reg .u64 t; sub.cc.u64 t, %1, %2; subc.u64 %0, %3, %2; }" : "=l"(out) : "l"(a), "l"(b), "l"(c));
    return out;
}

INLINE u64 ptx_chain_words(u32 a, u32 b, u32 c)
{
    u32 y, z;

    asm("{ .reg .u32 t; add.cc.u32 t, %2, %3; addc.cc.u32 %0, %3, %4; addc.u32 %1, %4, %2; }"
        : "=&r"(y), "=r"(z) : "r"(a), "r"(b), "r"(c));
    return (u64)z << 32 | y;
}

INLINE u32 ptx_chain_mad(u32 a, u32 b, u32 c)
{
    u32 out;

    asm("{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, %3; }" : "=r"(out) : "r"(a), "r"(b), "r"(c));
    return out;
}

INLINE u32 ptx_chain_high(u32 a, u32 b, u32 c)
{
    u32 out;

    asm("{ .reg .u32 t; mad.hi.cc.u32 t, %1, %2, %3; madc.lo.u32 %0, %1, %3, %2; }" : "=r"(out) : "r"(a), "r"(b), "r"(c));
    return out;
}
