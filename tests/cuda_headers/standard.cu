/* What kernels of others begin with, and use of each: NVRTC has none of these headers. */
#include <algorithm>
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
#include <cuda/std/cstdint>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <exception>
#include <float.h>
#include <functional>
#include <initializer_list>
#include <limits.h>
#include <limits>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdexcept>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tuple>
#include <type_traits>
#include <utility>

/* Types of 64 bits are nvcc's on Linux. */
template <typename T, typename U> constexpr bool same = std::is_same<T, U>::value;
static_assert(same<uint64_t, unsigned long> && same<std::int64_t, long> && same<cuda::std::uintptr_t, unsigned long>);
static_assert(same<int_fast16_t, long> && same<intmax_t, long> && same<size_t, unsigned long> && same<ptrdiff_t, long>);
static_assert(same<decltype(INT64_MAX), long> && same<decltype(SIZE_MAX), unsigned long> && same<decltype(INT64_C(1)), long>);
static_assert(same<int32_t, int> && same<std::uint8_t, unsigned char>);

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
    int most = std::max({1, 2, n});

    for (int k : {1, 2})
        most = std::clamp(std::min(k, n), 1, most);
    assert(n > 0);
    if (n == INT_MIN)
        printf("%zu\n", bytes);
    if (i >= UINT64_C(1) * n)
        return;
    memcpy(&copied, in + i, bytes);
    out[i] = twice(copied) + std::get<1>(pair) + std::sqrt(copied) + sinf(copied) + fmaxf(FLT_EPSILON, DBL_MIN) + M_PI +
             (copied < INFINITY) + std::numeric_limits<float>::lowest() + distance + abs(CHAR_MIN) + true + most;
}
