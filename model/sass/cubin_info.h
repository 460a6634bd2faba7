/* The records of `.nv.info` sections. Inside model/ only. */
#ifndef MODEL_CUBIN_INFO_H
#define MODEL_CUBIN_INFO_H

#include "model/sass/cubin.h"

/* Attributes that are read; the others are skipped. */
enum {
    INFO_MAX_THREADS = 0x05,
    INFO_PARAMETER_BANK = 0x0a,
    INFO_REQUIRED_THREADS = 0x10,
    INFO_FRAME_SIZE = 0x11,
    INFO_MIN_STACK_SIZE = 0x12,
    INFO_PARAMETER = 0x17,
    INFO_REGISTER_CAP = 0x1b,
    INFO_EXITS = 0x1c,
    INFO_MAX_STACK_SIZE = 0x23,
    INFO_REGISTER_COUNT = 0x2f,
    INFO_BRANCH_TARGETS = 0x34,
    INFO_CLUSTER = 0x3d,
    INFO_BARRIERS = 0x4c,
    INFO_ANNOTATIONS = 0x55
};

struct info_record {
    unsigned attribute;
    uint32_t value;               /* of the short formats */
    const unsigned char *payload; /* of the long format; null otherwise */
    size_t size;
};

struct info {
    const unsigned char *bytes;
    size_t size, at;
};

/* The next record; false at the end, or where a record reaches past it. */
bool info_next(struct info_record *out, struct info *info);

/* The k-th little-endian word of a payload; 0 past its end. */
uint32_t info_word(const struct info_record *record, size_t k);

/* Takes one record of `.nv.info.K` into kernel K. */
int info_take(struct cubin_kernel *kernel, const struct info_record *record, struct err *err);

#endif
