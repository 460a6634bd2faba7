/* sm_86 to sm_87. Ampere: GA10x, Orin. */
#include "model/sass/arch/rows.h"

const struct arch arch_sm_86 = {
    .first = 86,
    .last = 87,
    .encodings = ARCH_86,
    .lanes = {.fma = 128, .fma_heavy = 64, .alu = 64, .fp16 = 128, .fp64 = 2, .xu = 16, .lsu = 32, .tex = 16},
    .uniform_bits = 6,
    .addresses = ARCH_ADDRESSES_DESCRIPTOR,
    .branches = ARCH_BRANCHES_48,
    .shared_reserved_bytes = 1024,
    .shared = ARCH_SHARED_DECLARED,
    .bank0 = {.block = 0x0,
              .grid = 0xc,
              .shared_window = 0x18,
              .local_window = 0x20,
              .stack = 0x28,
              .descriptor = 0x118},
    .bulk_copies = false,
    .warp_groups = false,
};
