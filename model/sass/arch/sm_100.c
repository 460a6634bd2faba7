/* sm_100. Blackwell, GB100. */
#include "model/sass/arch/rows.h"

const struct arch arch_sm_100 = {
    .first = 100,
    .last = 100,
    .encodings = ARCH_100,
    .lanes =
        {.fma = 128, .fma_heavy = 64, .alu = 64, .fp16 = 128, .fp64 = 64, .xu = 16, .lsu = 32, .tex = 16},
    .uniform_bits = 8,
    .addresses = ARCH_ADDRESSES_MOVED,
    .branches = ARCH_BRANCHES_56,
    .shared_reserved_bytes = 1024,
    .shared = ARCH_SHARED_WITH_RESERVED,
    .bank0 = {.block = 0x360,
              .grid = 0x370,
              .shared_window = ARCH_ABSENT,
              .local_window = 0x2f8,
              .parameters = 0x348,
              .cluster = ARCH_ABSENT,
              .stack = 0x37c,
              .descriptor = 0x358},
    .limits =
        {
            {.sm = 100,
             .warps = 64,
             .blocks = 32,
             .shared_granule = 128,
             .optin_kb = 227,
             .unified_kb = 256,
             .barriers = 64,
             .carveouts_kb = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
        },
    .bulk_copies = true,
    .warp_groups = false,
    .specific_code = true,
};
