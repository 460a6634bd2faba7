/* What a stream of the pretended driver does. */
#ifndef TESTS_FAKE_OP_H
#define TESTS_FAKE_OP_H

#include "fake.h"

#include <cuda.h>

enum fake_op_kind { OP_LAUNCH, OP_COPY, OP_SET, OP_EVENT };

struct fake_op {
    enum fake_op_kind kind;
    const struct fake_kernel *kernel;
    unsigned blocks;
    _Alignas(64) unsigned char parameters[FAKE_PARAMETERS][FAKE_PARAMETER_BYTES];
    struct fake_launch how;
    void *to;
    const void *from;
    size_t bytes;
    unsigned char byte;
    struct fake_event *event;
};

/* Runs now, or becomes a node of the graph being captured. */
CUresult fake_queue(struct fake_op op);

#endif
