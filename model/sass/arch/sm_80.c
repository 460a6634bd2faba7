/* sm_80. Ampere, GA100. */
#include "model/sass/arch/rows.h"

const struct arch arch_sm_80 = {
    .first = 80,
    .last = 80,
    .encodings = ARCH_80,
    .lanes = {.fma = 64, .fma_heavy = 64, .alu = 64, .fp16 = 128, .fp64 = 32, .xu = 16, .lsu = 32, .tex = 16},
    .uniform_bits = 6,
    .addresses = ARCH_ADDRESSES_DESCRIPTOR,
    .branches = ARCH_BRANCHES_48,
    .shared_reserved_bytes = 1024,
    .shared = ARCH_SHARED_DECLARED,
    .bank0 = {.block = 0x0,
              .grid = 0xc,
              .shared_window = 0x18,
              .local_window = 0x20,
              .parameters = ARCH_ABSENT,
              .cluster = ARCH_ABSENT,
              .stack = 0x28,
              .descriptor = 0x118},
    .limits =
        {
            {.sm = 80,
             .warps = 64,
             .blocks = 32,
             .shared_granule = 128,
             .optin_kb = 163,
             .unified_kb = 192,
             .barriers = 0,
             .carveouts_kb = {0, 8, 16, 32, 64, 100, 132, 164}},
        },
    .bulk_copies = false,
    .warp_groups = false,
    .specific_code = false,
};
