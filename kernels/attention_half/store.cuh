// From sums in registers to the output, divided by the sums of weights.
__device__ __forceinline__ void store_pairs(unsigned short *output, int tokens, int head, int row, const float (&o)[SUMS],
                                            const float (&inverse)[2], int lane)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int token = row + 8 * h + lane / 4;
        word *to = (word *)(output + ((long long)head * tokens + token) * DIM) + lane % 4;

        if (token >= tokens)
            continue;
#pragma unroll
        for (int i = 0; i < DIM / 8; i++)
            to[4 * i] = pack(o[4 * i + 2 * h] * inverse[h], o[4 * i + 2 * h + 1] * inverse[h]);
    }
}

// The same to shared memory as the swizzle wants it: 16 bytes of a row lie at their number xor the row's.
__device__ __forceinline__ void place_pairs(word to, const float (&o)[SUMS], const float (&inverse)[2], int warp, int lane)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const word row = to + (warp * 16 + 8 * h + lane / 4) * WIDTH * 2 + lane % 4 * 4;

#pragma unroll
        for (int i = 0; i < DIM / 8; i++) {
            const word at = row + i / 8 * GROUP_M * WIDTH * 2 + (i % 8 ^ lane / 4) * 16;
            const word both = pack(o[4 * i + 2 * h] * inverse[h], o[4 * i + 2 * h + 1] * inverse[h]);

            asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(both) : "memory");
        }
    }
}

// Through shared memory, by the copy engine: `from` is free again when this returns in thread 0.
__device__ __forceinline__ void store_boxes(const TensorMap &map, word from, int head, int row, const float (&o)[SUMS],
                                            const float (&inverse)[2], int group, int thread)
{
    place_pairs(from, o, inverse, thread / 32, thread % 32);
    stores_seen_by_copies();
    named_sync(1 + CONSUMERS + group, GROUP_THREADS);
    if (thread == 0) {
#pragma unroll
        for (int box = 0; box < BOXES; box++)
            store_box(map, box * WIDTH, row, head, from + box * GROUP_M * WIDTH * 2);
        stores_commit();
        stores_read<0>();
    }
}
