/* sm_75. Turing. */
#include "model/sass/arch/rows.h"

const struct arch arch_sm_75 = {
    .first = 75,
    .last = 75,
    .encodings = ARCH_75,
    .lanes = {.fma = 64, .fma_heavy = 64, .alu = 64, .fp16 = 64, .fp64 = 2, .xu = 16, .lsu = 32, .tex = 16},
    .uniform_bits = 6,
    .addresses = ARCH_ADDRESSES_PLAIN,
    .branches = ARCH_BRANCHES_48,
    .shared_reserved_bytes = 0,
    .shared = ARCH_SHARED_DECLARED,
    .bank0 = {.block = 0x0,
              .grid = 0xc,
              .shared_window = 0x18,
              .local_window = 0x20,
              .parameters = ARCH_ABSENT,
              .cluster = ARCH_ABSENT,
              .stack = 0x28,
              .descriptor = ARCH_ABSENT},
    .limits =
        {
            {.sm = 75,
             .warps = 32,
             .blocks = 16,
             .shared_granule = 256,
             .optin_kb = 64,
             .unified_kb = 96,
             .barriers = 0,
             .carveouts_kb = {32, 64}},
        },
    .bulk_copies = false,
    .warp_groups = false,
    .specific_code = false,
};
