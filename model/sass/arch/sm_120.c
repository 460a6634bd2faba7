/* sm_120 to sm_121. Blackwell: GB20x, GB10. */
#include "model/sass/arch/rows.h"

const struct arch arch_sm_120 = {
    .first = 120,
    .last = 121,
    .encodings = ARCH_120,
    .lanes = {.fma = 128, .fma_heavy = 64, .alu = 64, .fp16 = 128, .fp64 = 2, .xu = 16, .lsu = 32, .tex = 16},
    .uniform_bits = 8,
    .addresses = ARCH_ADDRESSES_MOVED,
    .branches = ARCH_BRANCHES_56,
    .shared_reserved_bytes = 1024,
    .shared = ARCH_SHARED_WITH_RESERVED,
    .bank0 = {.block = 0x360,
              .grid = 0x370,
              .shared_window = ARCH_ABSENT,
              .local_window = 0x2f8,
              .stack = 0x37c,
              .descriptor = 0x358},
    .bulk_copies = true,
    .warp_groups = false,
};
