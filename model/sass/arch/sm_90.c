/* sm_90. Hopper. */
#include "model/sass/arch/rows.h"

const struct arch arch_sm_90 = {
    .first = 90,
    .last = 90,
    .encodings = ARCH_90,
    .lanes =
        {.fma = 128, .fma_heavy = 64, .alu = 64, .fp16 = 128, .fp64 = 64, .xu = 16, .lsu = 32, .tex = 16},
    .uniform_bits = 6,
    .addresses = ARCH_ADDRESSES_DESCRIPTOR,
    .branches = ARCH_BRANCHES_56,
    .shared_reserved_bytes = 1024,
    .shared = ARCH_SHARED_WITH_RESERVED,
    .bank0 = {.block = 0x0,
              .grid = 0xc,
              .shared_window = ARCH_ABSENT,
              .local_window = 0x20,
              .parameters = 0x198,
              .cluster = 0x140,
              .stack = 0x28,
              .descriptor = 0x208},
    .limits =
        {
            {.sm = 90,
             .warps = 64,
             .blocks = 32,
             .shared_granule = 128,
             .optin_kb = 227,
             .unified_kb = 256,
             .barriers = 64,
             .carveouts_kb = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
        },
    .bulk_copies = true,
    .warp_groups = true,
    .specific_code = true,
};
