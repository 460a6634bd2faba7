/* What the worker's own small kernels and their callers share. Read by the host's compiler and by NVRTC. */
#ifndef GPU_KERNELS_H
#define GPU_KERNELS_H

typedef unsigned long long word; /* 64 bits, as the device's atomics take them */

/* How the elements of a buffer are compared. */
enum element_kind { KIND_BITS, KIND_FLOAT16, KIND_BFLOAT16, KIND_FLOAT32, KIND_FLOAT64 };

/* What becomes of many elements that are compared as one. */
enum { REDUCE_SUM, REDUCE_MIN, REDUCE_MAX };

/* What a check found. All bits set means: nothing, so that one memset prepares many. */
struct found {
    word first;       /* lowest offending position: an element, or a byte */
    word worst_flips; /* the largest error ratio, as the inverted bits of a non-negative double */
};

/* Bytes that nobody may write: before and behind every buffer. */
struct guard {
    word start, bytes, seed;
};

/* One SM's clocks at one moment. */
struct stamp {
    word cycles, ns;
};

#endif
