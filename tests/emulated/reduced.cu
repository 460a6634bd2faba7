// Each block adds `pieces` pieces of PIECE bytes to an own 64 KB (FAR 0) or, once, to what nobody else touches (FAR 1).
extern "C" __global__ void reduced(char *out, int pieces)
{
    extern __shared__ __align__(128) char stage[];
    const unsigned from = (unsigned)__cvta_generic_to_shared(stage);

    for (unsigned i = threadIdx.x; i < 65536 / 4; i += 32)
        ((unsigned *)stage)[i] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
        char *own = out + (size_t)blockIdx.x * (FAR ? pieces * PIECE : 65536);

#pragma unroll 1
        for (int k = 0; k < pieces; k++) {
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add." TYPE " [%0], [%1], %2;" ::"l"(
                             own + (FAR ? k * PIECE : k * PIECE % 65536)),
                         "r"(from + k * PIECE % 65536), "r"(PIECE)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 32;" ::: "memory");
        }
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
