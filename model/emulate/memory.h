/* Memory as the emulated kernel sees it: global regions at deterministic addresses, answered by fills and
 * overlaid page by page, and the constant banks. */
#ifndef MODEL_EMULATE_MEMORY_H
#define MODEL_EMULATE_MEMORY_H

#include "base/err.h"
#include "launch/launch.h"
#include "model/sass/cubin.h"
#include "model/sass/sass.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PAGE_BYTES = 4096,
    PART_BYTES = 128 /* of a page, filled when the first of them is asked for */
};

/* Where windows and buffers lie. Any values do that keep them apart; those of a real GPU look alike. */
#define SHARED_WINDOW    UINT64_C(0x7f0100000000) /* generic addresses of shared memory */
#define LOCAL_WINDOW     UINT64_C(0x7f0200000000) /* and of the thread's local memory */
#define PARAMETER_WINDOW UINT64_C(0x7f0300000000) /* and of the kernel's parameters */
#define FOREIGN_CODE     UINT64_C(0x7f3000000000) /* functions whose code is not in the kernel's section */
#define GLOBAL_FIRST     UINT64_C(0x7f4000000000)
#define GLOBAL_GUARD     UINT64_C(0x200000)  /* least gap between two regions, and their alignment */
#define NEAR_MOST        (UINT64_C(1) << 36) /* bytes from a buffer to what may have been meant for it */
#define GLOBAL_MOST      (UINT64_C(1) << 39) /* bytes of a region: no GPU has that much memory */

struct page {
    struct page *next; /* of the region's */
    size_t number;
    unsigned char bytes[PAGE_BYTES];
    unsigned char unknown[PAGE_BYTES / 8]; /* bit b of byte i: byte 8 i + b holds an unknown value */
    uint32_t filled;                       /* bit b: part b holds what it should */
    bool tainted;                          /* some bit of `unknown` is set */
    bool written;                          /* differs from the initial contents */
};

struct region {
    const char *name; /* of the argument or variable; borrowed */
    uint64_t address, bytes;
    bool passed;                  /* an argument of the launch, which its author knows by name */
    const struct fill *fill;      /* initial contents, or */
    const unsigned char *initial; /* bytes of a variable in the cubin; null for zeros */
    enum element_type type;       /* of the fill's elements */
    struct page **pages;
    uint64_t fills; /* parts of pages filled so far, dropped ones included */
    size_t page_count;
    struct page *taken; /* those of `pages` that there are */
};

struct constant_bank {
    unsigned char *bytes;
    bool *known; /* per 4-byte word; null when all is */
    size_t size;
};

struct emulate_memory {
    struct region *regions; /* ascending addresses */
    size_t region_count;
    size_t last;         /* region of the last access */
    uint64_t *arguments; /* address of each argument that is a buffer or a variable in global memory */
    uint64_t *symbols;   /* address of each symbol of the cubin in global memory, else 0 */
    struct constant_bank banks[CUBIN_BANKS];
    bool written; /* some page was since stores were dropped last */
};

struct arch;

struct emulate_target {
    const struct arch *arch;
    const struct cubin *cubin;
    const struct cubin_kernel *kernel;
    const struct launch *launch;
};

int memory_init(struct emulate_memory *out, const struct emulate_target *target, unsigned stack_bytes,
                struct err *err);
void memory_release(struct emulate_memory *memory);
/* Where the loader puts a symbol: a variable, a function of the kernel's own section by its code offset, or,
 * from FOREIGN_CODE on, one whose code is elsewhere (printf; all calls of a cubin made with -G or -rdc). */
uint64_t symbol_address(const struct emulate_memory *memory, const struct cubin *cubin,
                        const struct cubin_kernel *kernel, const struct cubin_symbol *symbol);
/* The symbol of such a function, or null. */
const struct cubin_symbol *foreign_symbol(const struct cubin *cubin, uint64_t address);
/* Drops every store. */
void memory_forget(struct emulate_memory *memory);
/* Pages filled so far, dropped ones included: what reading initial contents cost. */
uint64_t memory_fills(const struct emulate_memory *memory);

/* The region that holds all of [address, address + bytes), or null. */
struct region *memory_region(struct emulate_memory *memory, uint64_t address, unsigned bytes);
/* The argument nearest to an address outside all regions; null when none is as near as NEAR_MOST. */
const struct region *memory_nearest(const struct emulate_memory *memory, uint64_t address);
/* Its page at `offset` bytes, of which the part there is filled. Errors are ERR_MEMORY and those of the fill. */
int region_page(struct page **out, struct region *region, uint64_t offset, struct err *err);
void page_taint(struct page *page, size_t first, size_t bytes, bool unknown);
bool page_unknown(const struct page *page, size_t first, size_t bytes);

/* A word of a constant bank; false when it cannot be known. */
bool constant_word(const struct emulate_memory *memory, unsigned bank, uint64_t offset, uint32_t *out);

#endif
