/* SASS: the 128-bit machine instructions of sm_75 to sm_121, decoded so far that nobody else looks at bits.
 *
 * One table, sass.def, holds every operation: name, class, pipe and layout, keyed by opcode, form and
 * architecture. An instruction that is not in it has op SASS_UNKNOWN, is counted, and is never guessed. Every
 * bit that the decoder reads is marked; what remains stands in `unclaimed`, so that a modifier nobody knows
 * cannot pass unseen.
 *
 * Source of the encoding: probes compiled for each architecture and compared with the vendor's disassembler. */
#ifndef MODEL_SASS_H
#define MODEL_SASS_H

#include "base/err.h"
#include "model/sass/sass_modifiers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    SASS_RZ = 255,  /* register that reads zero and swallows writes; also means "no register" */
    SASS_URZ = 255, /* the same of the uniform registers, on every architecture */
    SASS_PT = 7,    /* predicate that is true; the same number for uniform predicates */
    SASS_NO_BARRIER = 7,
    SASS_BYTES = 16, /* per instruction */
    SASS_DESTINATIONS = 4,
    SASS_SOURCES = 8,
    SASS_ACCESSES = 2
};

enum sass_op {
    SASS_UNKNOWN,
#define SASS_OP(id, ...) SASS_##id,
#include "model/sass/sass.def"
    SASS_OP_COUNT
};

/* What an instruction is to the model; sass_class_text() gives the names used in profiles and reports. */
enum sass_class {
    SASS_CLASS_UNKNOWN,
    SASS_CLASS_FP32, /* add, multiply, fused multiply-add */
    SASS_CLASS_IMAD, /* integer multiply-add */
    SASS_CLASS_INT,  /* integer add, logic, shift, compare, select, move, permute */
    SASS_CLASS_FP16, /* packed half and bfloat16 */
    SASS_CLASS_FP64,
    SASS_CLASS_MUFU,    /* reciprocal, square root, exponential, ... */
    SASS_CLASS_CONVERT, /* between types, and the bit counts that share their pipe */
    SASS_CLASS_TENSOR,
    SASS_CLASS_UNIFORM, /* uniform datapath */
    SASS_CLASS_GLOBAL,  /* global and generic loads and stores */
    SASS_CLASS_SHARED,  /* shared loads and stores, matrix loads from shared memory */
    SASS_CLASS_LOCAL,
    SASS_CLASS_CONSTANT, /* loads through a register from a constant bank */
    SASS_CLASS_ATOMIC,   /* atomics and reductions on any memory */
    SASS_CLASS_SHUFFLE,  /* data between lanes: shuffle, match, transpose */
    SASS_CLASS_ASYNC,    /* asynchronous copies and tensor memory access */
    SASS_CLASS_TEXTURE,  /* textures and surfaces */
    SASS_CLASS_BARRIER,  /* barriers, fences */
    SASS_CLASS_CONTROL,  /* branches, calls, reconvergence */
    SASS_CLASS_MISC,     /* NOP, special registers, vote */
    SASS_CLASS_COUNT
};

/* The unit that executes it. Which units a class shares with another is for pair benchmarks to say. */
enum sass_pipe {
    SASS_PIPE_NONE,
    SASS_PIPE_FMA,       /* FP32 */
    SASS_PIPE_FMA_HEAVY, /* the half of it that multiplies integers */
    SASS_PIPE_ALU,
    SASS_PIPE_FP16,
    SASS_PIPE_FP64,
    SASS_PIPE_XU,
    SASS_PIPE_TENSOR,
    SASS_PIPE_UNIFORM,
    SASS_PIPE_LSU,
    SASS_PIPE_TEX,
    SASS_PIPE_BRANCH,
    SASS_PIPE_COUNT
};

enum sass_operand_kind {
    SASS_NONE,
    SASS_REGISTER,          /* R`index` to R`index + count - 1`; RZ reads zero in every part */
    SASS_UNIFORM_REGISTER,  /* UR`index`, likewise */
    SASS_PREDICATE,         /* P`index` */
    SASS_UNIFORM_PREDICATE, /* UP`index` */
    SASS_IMMEDIATE,         /* `value`: 32 bits as encoded; `count` 2: all 64, an integer sign-extended, a
                               double with these bits as its high half */
    SASS_CONSTANT,          /* c[`bank`][`value`], or c[UR`index`][`value`] when `bindless` */
    SASS_SPECIAL,           /* special register `value`, an enum sass_special */
    SASS_RECONVERGENCE,     /* B`index`: register of BSSY and BSYNC */
    SASS_SCOREBOARD,        /* SB`index` */
    SASS_LABEL              /* target of a branch: the instruction's `target` */
};

/* Which part of a 32-bit source an operation takes; the whole is the rule. */
enum sass_part {
    SASS_PART_WHOLE,
    SASS_PART_H0,
    SASS_PART_H1,
    SASS_PART_B0,
    SASS_PART_B1,
    SASS_PART_B2,
    SASS_PART_B3,
    SASS_PART_H0_H0,
    SASS_PART_H1_H1
};

struct sass_operand {
    uint8_t kind;  /* enum sass_operand_kind */
    uint8_t index; /* of a register, predicate or barrier */
    uint8_t count; /* consecutive 32-bit registers, 1 for everything else */
    uint8_t bank;  /* of a constant */
    uint8_t part;  /* enum sass_part */
    bool negate;   /* arithmetic: minus (carried into IADD3.X: bitwise not); after the absolute value */
    bool absolute;
    bool invert; /* predicates and logic: not */
    bool bindless;
    bool reuse;     /* the operand collector keeps it, see register_reads.h */
    uint8_t port;   /* of a source register: bit of control.reuse that says so */
    uint64_t value; /* immediate, offset of a constant, number of a special register */
};

enum sass_space {
    SASS_SPACE_NONE,
    SASS_SPACE_GENERIC, /* LD, ST, ATOM: the address tells global, shared, local */
    SASS_SPACE_GLOBAL,
    SASS_SPACE_SHARED, /* of the own block, or of the cluster */
    SASS_SPACE_LOCAL,
    SASS_SPACE_CONSTANT,
    SASS_SPACE_TEXTURE, /* textures and surfaces: the address is not decoded */
    SASS_SPACE_TENSOR   /* tensor memory of sm_100 */
};

enum { SASS_READS = 1, SASS_WRITES = 2, SASS_ATOMICALLY = 4, SASS_PREFETCHES = 8 };

/* One memory access of an instruction. address = offset + R[index](64 or 32 bits, times scale) +
 * UR[uniform](64 or 32 bits). */
struct sass_access {
    uint8_t space;      /* enum sass_space */
    uint8_t access;     /* SASS_READS, SASS_WRITES, SASS_ATOMICALLY, SASS_PREFETCHES */
    uint8_t bytes;      /* per thread; 0 where only a descriptor in memory knows (tensor maps, textures) */
    bool sign;          /* narrower loads extend the sign */
    bool wide;          /* 64-bit address: registers index and index + 1 (.E); else 32-bit */
    uint8_t index;      /* address register or SASS_RZ */
    bool completes;     /* the register behind it names the mbarrier that is told of the bytes (STAS) */
    bool zero_extend;   /* the 32-bit register is added zero-extended to the 64-bit uniform base (.U32) */
    uint8_t scale;      /* factor of the register: 1, 4, 8 or 16 */
    uint8_t uniform;    /* uniform register added to the address, or SASS_URZ */
    bool uniform_wide;  /* it is a pair, 64 bits */
    uint8_t descriptor; /* uniform register pair with the memory descriptor (desc[UR]), or SASS_URZ */
    uint8_t bank;       /* of a constant load; its offset is `offset` plus index or uniform */
    int32_t offset;     /* bytes */
};

struct sass_control {
    uint8_t stall;         /* cycles before the next instruction of this warp may issue, 0 to 15 */
    bool yield;            /* the scheduler prefers another warp next */
    uint8_t write_barrier; /* scoreboard released when the result is there, 0 to 5, or SASS_NO_BARRIER */
    uint8_t read_barrier;  /* scoreboard released when the sources are read, likewise */
    uint8_t wait_mask;     /* scoreboards this instruction waits for, bit i = scoreboard i */
    uint8_t reuse;         /* bit i = operand slot i, as encoded */
};

/* A decoded instruction. Operands stand in the order of the assembler. Every slot that the operation has is
 * present, also where a listing leaves it out (RZ, PT), so `sources[k]` always means the same for an
 * operation and an emulator indexes without counting; sass_encodings.def names the slots of each. Of a
 * predicate that a modifier would have to ask for (carries without .X) the value is as encoded. */
struct sass {
    uint16_t op;     /* enum sass_op */
    uint16_t opcode; /* bits 0 to 11 and bit 91 as bit 12, as encoded */
    uint8_t sm;      /* architecture it was decoded for */
    uint32_t pc;     /* byte offset in the kernel's code */

    uint8_t guard; /* predicate that lets it execute, SASS_PT always */
    bool guard_negated;
    bool guard_uniform; /* the guard is a uniform predicate */

    uint8_t destination_count, source_count, access_count;
    struct sass_operand destinations[SASS_DESTINATIONS];
    struct sass_operand sources[SASS_SOURCES];
    struct sass_access accesses[SASS_ACCESSES]; /* LDGSTS: [0] reads global, [1] writes shared */
    uint8_t mod[SASS_MOD_COUNT];

    bool has_target;
    int64_t target; /* byte offset in the code, of a direct branch, call, BSSY; without has_target (BRX, BRXU,
                       RET) what the address in a register is added to */

    struct sass_control control;
    uint8_t unclaimed_bits; /* how many set bits no field claims */
    uint64_t unclaimed[2];  /* and which: low and high word */
    uint64_t word[2];       /* as encoded, for listings */
};

/* What the table says of an operation. */
struct sass_info {
    const char *name; /* "FFMA" */
    enum sass_class class;
    enum sass_pipe pipe;
    uint8_t fixed_latency; /* cycles after which ptxas lets a dependent instruction of the same class issue;
                              0 when a scoreboard tells */
};

/* Decodes one instruction (16 little-endian bytes at code offset `pc`) for architecture `sm`. Never fails:
 * what the table does not have becomes SASS_UNKNOWN with guard and control field only. */
void sass_decode(struct sass *out, const unsigned char bytes[SASS_BYTES], uint32_t pc, unsigned sm);

const struct sass_info *sass_info(enum sass_op op);

/* Cycles for which one instruction of a warp keeps the pipe of its sub-partition busy, at least 1: 32 lanes
 * over the pipe's width (CUDA C++ Programming Guide, arithmetic throughput per SM over four sub-partitions).
 * 0 where it is not known. */
unsigned sass_issue_interval(const struct sass *instruction);

/* Whether a predicate says if it executes. */
static inline bool sass_is_guarded(const struct sass *instruction)
{
    return instruction->guard != SASS_PT || instruction->guard_negated;
}

/* Whether the instruction can leave the straight line: branch, call, return, exit. */
bool sass_is_jump(const struct sass *instruction);

/* How many registers from `index` on an access reads: of the address, and with STAS of the mbarrier. */
static inline unsigned sass_address_registers(const struct sass_access *access)
{
    return access->wide || access->completes ? 2 : 1;
}

/* Whether it is a bulk copy or reduction between global and shared memory: accesses [0] and [1], of no bytes;
 * the sources are where to, where from, and the number of 16-byte units. From shared memory to that of a block
 * of the cluster ([0] to [1]) it is one as well. */
bool sass_is_bulk(const struct sass *instruction);
/* Whether it is the latter. */
static inline bool sass_is_bulk_across(const struct sass *instruction)
{
    return sass_is_bulk(instruction) && instruction->accesses[0].space == SASS_SPACE_SHARED;
}

/* Whether it copies a box of a tensor between global and shared memory, or reduces into it: accesses [0] and
 * [1], of no bytes; the sources are uniform registers: where in shared memory, the mbarrier of a load, the
 * coordinates, innermost first; the address of the tensor map; of a load that goes to several blocks, which
 * ones. */
static inline bool sass_is_tensor_copy(const struct sass *instruction)
{
    return instruction->op == SASS_UTMALDG || instruction->op == SASS_UTMASTG ||
           instruction->op == SASS_UTMAREDG;
}

/* Whether the copy engine does it: either of these. */
static inline bool sass_copies_in_bulk(const struct sass *instruction)
{
    return sass_is_bulk(instruction) || sass_is_tensor_copy(instruction);
}

/* Whether it loads from constant memory at a place of each lane's own: LDC with a register. */
bool sass_indexes_constants(const struct sass *instruction);

/* A memory fence beyond the thread block: the warp goes on when its stores can be seen there. */
bool sass_fences_gpu(const struct sass *instruction);

const char *sass_class_text(enum sass_class class); /* "fp32", "imad", ... */
const char *sass_pipe_text(enum sass_pipe pipe);    /* "fma", "alu", ... */

/* The code of a kernel. */
struct sass_code {
    struct sass *instructions;
    size_t count;                                  /* padding after the last reachable end left out */
    size_t unknown;                                /* instructions with op SASS_UNKNOWN */
    size_t unclaimed;                              /* instructions with unclaimed bits */
    size_t spill_loads, spill_stores, spill_bytes; /* marked by ptxas: bytes per thread, loads and stores */
    unsigned sm;
};

struct cubin_kernel;
int sass_read(struct sass_code *out, const struct cubin_kernel *kernel, struct err *err);
void sass_release(struct sass_code *code);

/* Writes one line without newline: `@!P0 FFMA.FTZ R1, R2.reuse, -R3, c[0x0][0x160]`; cut to `size` bytes. */
void sass_text(char *out, size_t size, const struct sass *instruction);

/* The control field as five columns, `B0--3--:R1:W-:Y:S04`: scoreboards waited for, read and write
 * scoreboard set, yield, stall. */
void sass_control_text(char out[32], const struct sass_control *control);

#endif
