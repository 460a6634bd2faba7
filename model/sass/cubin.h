/* Cubins: what ptxas says of the kernels it compiled, read from the ELF file without any CUDA library.
 *
 * A cubin is opened whole and checked whole: every offset and size is inside the image before it is used, so
 * hostile bytes give ERR_FORMAT with the section and offset, never a crash. All pointers below point into the
 * struct's own copy of the image or its own tables and live until cubin_release(). Records and sections that
 * this reader does not know are skipped.
 *
 * Layout of the file: machine 190, one `.text.K`, `.nv.info.K`, `.nv.constant0.K`, `.nv.shared.K` per kernel
 * K, and `.nv.info`, `.nv.constantN`, `.nv.global`, `.nv.global.init` for all. Names are matched exactly:
 * `.nv.merc.*` and `.nv.capmerc.*` hold second copies. */
#ifndef MODEL_CUBIN_H
#define MODEL_CUBIN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUBIN_REGISTERS_UNCAPPED = 255, /* register_cap when nothing caps the registers */
    CUBIN_BANKS = 18                /* constant banks c[0] to c[17] */
};

/* What one kernel takes of the machine: plain data, so that tests and the occupancy calculator write
 * literals. Bytes of shared memory are those of one thread block, of local memory those of one thread. */
struct cubin_resources {
    unsigned sm;                    /* 75, 80, 86, 89, 90, 100, 120, ... */
    unsigned registers;             /* 32-bit registers per thread */
    unsigned shared_bytes;          /* static shared memory the kernel declares, without the reserved part */
    unsigned shared_reserved_bytes; /* what the system keeps per block (struct arch); 0: unknown */
    unsigned local_bytes;           /* stack frame per thread, callees included: local arrays and spills */
    unsigned constant_bytes;        /* size of the kernel's own bank c[0] */
    unsigned barriers;              /* highest named barrier + 1; 0 when the kernel has no barrier */
    unsigned register_cap;          /* cap in force, or CUBIN_REGISTERS_UNCAPPED */
    unsigned max_threads[3];        /* of __launch_bounds__; 0 where nothing is said */
    unsigned required_threads[3];   /* of .reqntid; 0 where nothing is said */
    unsigned cluster[3];            /* of __cluster_dims__; 0 where nothing is said */
    unsigned spill_instructions;    /* loads and stores that ptxas marks as spills */
};

struct cubin_parameter {
    unsigned offset; /* bytes from the first parameter: it stands at c[0][parameter_base + offset] */
    unsigned bytes;
};

/* The initial contents of a constant bank. c[0] is written by the driver (its layout is the emulator's
 * business) and stands here only with its size. Its bytes are zero, and so are those of a bank where `bytes` is null. */
struct cubin_bank {
    const unsigned char *bytes;
    size_t size; /* 0 where the kernel has no such bank */
};

/* A variable in global memory (`__device__`, string literals, tables of the math library), or in constant or
 * shared memory. */
enum cubin_space { CUBIN_GLOBAL, CUBIN_CONSTANT, CUBIN_SHARED, CUBIN_CODE, CUBIN_ELSEWHERE };

struct cubin_symbol {
    const char *name; /* "" for the symbol of a section */
    enum cubin_space space;
    unsigned bank;              /* of a constant */
    uint64_t value;             /* offset in its section */
    uint64_t size;              /* bytes */
    unsigned section;           /* index of its section, 0 where it is defined elsewhere */
    const unsigned char *bytes; /* initial contents, null where they are zero or unknown */
};

/* A place that the loader patches with `symbol + addend`. */
enum cubin_relocation_kind {
    CUBIN_RELOC_64,      /* 64-bit address */
    CUBIN_RELOC_32,      /* 32-bit address */
    CUBIN_RELOC_32_LOW,  /* low half of the address into the 32-bit immediate of the instruction there */
    CUBIN_RELOC_32_HIGH, /* high half, likewise */
    CUBIN_RELOC_OTHER
};

struct cubin_relocation {
    enum cubin_relocation_kind kind;
    unsigned type;    /* the number in the file */
    unsigned section; /* index of the section it patches: compare with cubin_kernel.section, bank_section[] */
    uint64_t offset;  /* bytes into that section */
    uint64_t addend;
    const struct cubin_symbol *symbol;
};

struct cubin_branch {
    uint32_t from, to; /* byte offsets in the code */
};

/* One kernel: its code begins with the kernel itself; device functions that were not inlined follow. */
struct cubin_kernel {
    const char *name; /* as the driver looks it up: mangled unless extern "C" */
    struct cubin_resources resources;
    const unsigned char *code; /* 16 bytes per instruction */
    size_t code_bytes;         /* a multiple of 16, padding included */
    uint64_t code_hash;        /* of the code bytes alone: kernels of equal code and other name hash alike */
    unsigned section;          /* index of .text.K */

    unsigned parameter_base;  /* offset of the first parameter in c[0] */
    unsigned parameter_bytes; /* of all parameters with padding */
    struct cubin_parameter *parameters;
    size_t parameter_count;

    struct cubin_bank banks[CUBIN_BANKS];
    unsigned bank_section[CUBIN_BANKS]; /* index of the section, 0 where absent */

    uint32_t *spills; /* byte offsets in `code` of the instructions that spill, ascending */
    size_t spill_count;
    uint32_t *exits; /* byte offsets of EXIT, as ptxas lists them */
    size_t exit_count;
    struct cubin_branch *branches; /* where indirect branches (BRX) may go */
    size_t branch_count;
};

struct cubin {
    unsigned sm;
    struct cubin_kernel *kernels; /* in the order of their names' sections */
    size_t kernel_count;
    struct cubin_symbol *symbols; /* the file's table, same indices */
    size_t symbol_count;
    struct cubin_relocation *relocations;
    size_t relocation_count;
    unsigned char *image;
    size_t image_bytes;
};

/* Reads a cubin from memory (the bytes are copied) or from a file; `name` stands before messages. Errors:
 * ERR_FORMAT when the bytes are no cubin (a fatbin, PTX, a host object, a truncated file), ERR_SYSTEM when
 * the file cannot be read, ERR_MEMORY. */
int cubin_init(struct cubin *out, const void *bytes, size_t size, const char *name, struct err *err);
int cubin_read(struct cubin *out, const char *path, struct err *err);
void cubin_release(struct cubin *cubin);

/* The kernel called `name`, or the only one when name is null. ERR_USAGE lists the names that exist. */
int cubin_find(const struct cubin_kernel **out, const struct cubin *cubin, const char *name, struct err *err);

#endif
