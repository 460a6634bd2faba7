/* Types of 64 bits are a long, as nvcc's are on Linux: libcu++ makes them a long long under NVRTC, another type to pointers, overloads
 * and templates. Its own have other names while it is read. Where they are known before this is read, they stay what they are. */
#pragma once
#include <cuda/std/climits>
#if defined(INT64_MAX) || defined(_CUDA_PIPELINE_HELPERS_H_) || defined(_CUDA_AWBARRIER_HELPERS_H_) ||       \
    !defined(_LIBCUDACXX_ABI_NAMESPACE)
#include <cuda/std/cstdint>
#else
#define OCCUTUNE_STDINT /* gpu/compile_serve.c asks for it */
#define int64_t         libcudacxx_int64_t
#define int_fast16_t    libcudacxx_int_fast16_t
#define int_fast32_t    libcudacxx_int_fast32_t
#define int_fast64_t    libcudacxx_int_fast64_t
#define int_least64_t   libcudacxx_int_least64_t
#define intmax_t        libcudacxx_intmax_t
#define intptr_t        libcudacxx_intptr_t
#define uint64_t        libcudacxx_uint64_t
#define uint_fast16_t   libcudacxx_uint_fast16_t
#define uint_fast32_t   libcudacxx_uint_fast32_t
#define uint_fast64_t   libcudacxx_uint_fast64_t
#define uint_least64_t  libcudacxx_uint_least64_t
#define uintmax_t       libcudacxx_uintmax_t
#define uintptr_t       libcudacxx_uintptr_t
#include <cuda/std/cstdint>
#undef int64_t
#undef int_fast16_t
#undef int_fast32_t
#undef int_fast64_t
#undef int_least64_t
#undef intmax_t
#undef intptr_t
#undef uint64_t
#undef uint_fast16_t
#undef uint_fast32_t
#undef uint_fast64_t
#undef uint_least64_t
#undef uintmax_t
#undef uintptr_t
typedef long int64_t, int_fast16_t, int_fast32_t, int_fast64_t, int_least64_t, intmax_t, intptr_t;
typedef unsigned long uint64_t, uint_fast16_t, uint_fast32_t, uint_fast64_t, uint_least64_t, uintmax_t,
    uintptr_t;
namespace cuda
{
namespace std
{
inline namespace _LIBCUDACXX_ABI_NAMESPACE
{
using ::int64_t;
using ::int_fast16_t;
using ::int_fast32_t;
using ::int_fast64_t;
using ::int_least64_t;
using ::intmax_t;
using ::intptr_t;
using ::uint64_t;
using ::uint_fast16_t;
using ::uint_fast32_t;
using ::uint_fast64_t;
using ::uint_least64_t;
using ::uintmax_t;
using ::uintptr_t;
} // namespace _LIBCUDACXX_ABI_NAMESPACE
} // namespace std
} // namespace cuda
#undef INT64_MIN
#undef INT64_MAX
#undef UINT64_MAX
#undef INT_FAST16_MIN
#undef INT_FAST16_MAX
#undef UINT_FAST16_MAX
#undef INT_FAST32_MIN
#undef INT_FAST32_MAX
#undef UINT_FAST32_MAX
#define INT64_MIN       (-INT64_MAX - 1)
#define INT64_MAX       0x7fffffffffffffffL
#define UINT64_MAX      0xffffffffffffffffUL
#define INT_FAST16_MIN  INT64_MIN
#define INT_FAST16_MAX  INT64_MAX
#define UINT_FAST16_MAX UINT64_MAX
#define INT_FAST32_MIN  INT64_MIN
#define INT_FAST32_MAX  INT64_MAX
#define UINT_FAST32_MAX UINT64_MAX
#endif
