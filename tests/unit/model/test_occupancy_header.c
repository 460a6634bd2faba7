/* The calculator against CUDA's own occupancy header, on every architecture it shares with ours: more than
 * 100,000 combinations of block, registers, shared memory, barriers and carve-out, no GPU needed. Built where
 * the toolkit has that header. */
#include "check.h"

#include "model/machine/occupancy.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wshadow"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop

static cudaOccDeviceProp properties_of(unsigned sm, const struct device_limits *limits)
{
    return (cudaOccDeviceProp){
        .computeMajor = (int)sm / 10,
        .computeMinor = (int)sm % 10,
        .maxThreadsPerBlock = (int)limits->threads_per_block,
        .maxThreadsPerMultiprocessor = (int)(limits->warps_per_sm * 32),
        .regsPerBlock = (int)limits->registers_per_block,
        .regsPerMultiprocessor = (int)limits->registers_per_sm,
        .warpSize = 32,
        .sharedMemPerBlock = limits->shared_per_block,
        .sharedMemPerMultiprocessor = limits->shared_per_sm,
        .numSms = 1,
        .sharedMemPerBlockOptin = limits->shared_per_block_optin,
        .reservedSharedMemPerBlock = limits->shared_reserved,
    };
}

static size_t compare(unsigned sm, const struct device_limits *limits, const struct occupancy_block *block)
{
    const cudaOccDeviceProp properties = properties_of(sm, limits);
    const cudaOccFuncAttributes attributes = {
        .maxThreadsPerBlock = 1024,
        .numRegs = (int)block->registers,
        .sharedSizeBytes = 0,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = block->shared,
        .numBlockBarriers = (int)block->barriers,
    };
    const cudaOccDeviceState state = {.carveoutConfig = block->carveout};
    struct occupancy occupancy;
    cudaOccResult result = {0};

    assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                             (int)block->threads, block->shared),
                     CUDA_OCC_SUCCESS);
    occupancy_of(&occupancy, limits, block);
    if ((int)occupancy.blocks != result.activeBlocksPerMultiprocessor)
        fail_msg("sm_%u, %u threads, %u registers, %u bytes, %u barriers, carve-out %d: %u blocks, the "
                 "header has %d",
                 sm, block->threads, block->registers, block->shared, block->barriers, block->carveout,
                 occupancy.blocks, result.activeBlocksPerMultiprocessor);
    return 1;
}

static void equal_to_the_header_everywhere(void **state)
{
    static const unsigned architectures[] = {75, 80, 86, 87, 89, 90, 100, 103, 120, 121};
    static const int carveouts[] = {-1, 0, 33, 50, 100};
    size_t compared = 0;

    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        struct device_limits limits;

        assert_int_equal(device_limits_of(&limits, architectures[a], NULL), 0);
        for (unsigned threads = 1; threads <= 1024; threads += 93)
            for (unsigned registers = 16; registers <= 255; registers += 17)
                for (unsigned shared = 0; shared <= limits.shared_per_block_optin; shared += 9973)
                    for (size_t c = 0; c < sizeof carveouts / sizeof *carveouts; c++) {
                        const struct occupancy_block block = {threads, registers,    shared,
                                                              c * 3,   carveouts[c], 0};

                        compared += compare(architectures[a], &limits, &block);
                    }
    }
    assert_true(compared > 100000);
}

int main(void)
{
    return RUN_TESTS(equal_to_the_header_everywhere);
}
