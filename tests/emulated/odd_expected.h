/* What the kernels of odd.cu write, computed by plain C. */
#ifndef TESTS_EMULATED_ODD_EXPECTED_H
#define TESTS_EMULATED_ODD_EXPECTED_H

#include <stdint.h>

enum { N = 256, THREADS = 64, WARP = 32, PER_THREAD = 4, ODDS = 17 };

struct odd {
    const char *name;                                                     /* of the kernel */
    void (*compute)(uint32_t out[PER_THREAD], const uint32_t *in, int i); /* for thread i, of N words */
    unsigned first_sm;                                                    /* that it is compiled for */
};

extern const struct odd odds[ODDS];

#endif
