/* What the pretended GPU is, and what it accepts. */
#include "fake.h"

#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fake_word(const char *list, int ordinal, size_t *length)
{
    const char *word = getenv(list);

    for (; word && ordinal > 0 && strchr(word, ','); ordinal--)
        word = strchr(word, ',') + 1;
    *length = word ? strcspn(word, ",") : 0;
    return word;
}

CUresult cuInit(unsigned flags)
{
    return getenv("FAKE_NO_DEVICE") ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult result, const char **name)
{
    *name = result == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult result, const char **text)
{
    *text =
        result == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "another error";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    *count = getenv("FAKE_DEVICES") ? atoi(getenv("FAKE_DEVICES")) : 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    size_t length;
    const char *word = fake_word("FAKE_NAME", device, &length);

    memset(name, 0, (size_t)size);
    memcpy(name, word ? word : "Pretended GPU", word ? length : sizeof "Pretended GPU");
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
    snprintf(id, (size_t)size, "0000:%02X:00.0", device + 1);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    *bytes = (size_t)1 << 30;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    size_t length;
    const char *word;

    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        word = fake_word("FAKE_MAJOR", device, &length);
        *value = word ? atoi(word) : 9;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = FAKE_SMS;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        *value = getenv("FAKE_EXCLUSIVE") ? CU_COMPUTEMODE_EXCLUSIVE_PROCESS : CU_COMPUTEMODE_DEFAULT;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        *value = 1 << 16;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* One or two dimensions of 4-byte elements are enough here. What the driver refuses is refused. */
CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *dimensions, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct fake_map map = {.address = address, .rank = rank, .stride = rank > 1 ? strides[0] : 0};
    cuuint32_t d;

    (void)interleave, (void)promotion, (void)fill;
    if (type != CU_TENSOR_MAP_DATA_TYPE_FLOAT32 || rank < 1 || rank > 2 || (uintptr_t)address % 16 ||
        (rank > 1 && strides[0] % 16) || box[0] * 4 % 16 ||
        (swizzle == CU_TENSOR_MAP_SWIZZLE_128B && box[0] * 4 > 128))
        return CUDA_ERROR_INVALID_VALUE;
    for (d = 0; d < rank; d++) {
        if (!box[d] || box[d] > 256 || steps[d] != 1)
            return CUDA_ERROR_INVALID_VALUE;
        map.dimensions[d] = dimensions[d];
        map.box[d] = box[d];
    }
    memset(out, 0, sizeof *out);
    memcpy(out, &map, sizeof map);
    return CUDA_SUCCESS;
}
