/* What kernels of others begin with, and use of each: NVRTC has none of these headers. */
#include <array>
#include <assert.h>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <float.h>
#include <functional>
#include <limits.h>
#include <limits>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tuple>
#include <type_traits>
#include <utility>

template <typename T> __device__ std::enable_if_t<std::is_floating_point<T>::value, T> twice(T x)
{
    return std::forward<T>(x) + x;
}

extern "C" __global__ void standard(const float *in, float *out, int32_t n)
{
    const uint64_t i = blockIdx.x * std::uint64_t(BLOCK) + threadIdx.x;
    const std::array<float, 2> both = {1, 2};
    const auto pair = std::make_tuple(1, std::plus<float>()(2, both[1]));
    size_t bytes = sizeof(float);
    std::ptrdiff_t distance = INT32_MAX;
    float copied;

    assert(n > 0);
    if (n == INT_MIN)
        printf("%zu\n", bytes);
    if (i >= UINT64_C(1) * n)
        return;
    memcpy(&copied, in + i, bytes);
    out[i] = twice(copied) + std::get<1>(pair) + std::sqrt(copied) + sinf(copied) + fmaxf(FLT_EPSILON, DBL_MIN) + M_PI +
             (copied < INFINITY) + std::numeric_limits<float>::lowest() + distance + abs(CHAR_MIN) + true;
}
