// Where the n-th of many places lies.
#pragma once

// A bijection of 32 bits without visible order.
static __device__ __forceinline__ unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static __device__ __forceinline__ unsigned ordered(unsigned x)
{
    return x;
}
