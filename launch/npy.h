/* NumPy's .npy files, versions 1 to 3 (numpy/lib/format.py): little endian, C order, plain element types. */
#ifndef LAUNCH_NPY_H
#define LAUNCH_NPY_H

#include "launch/element.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct npy {
    enum element_type type; /* bool counts as uint8; two raw bytes (ml_dtypes) as bfloat16 */
    uint64_t count;         /* of elements, over all dimensions */
    size_t offset;          /* of the first element, in bytes */
};

/* Reads the header of a file's `bytes`; the elements are checked to be there. ERR_FORMAT with the remedy;
 * `name` opens the message. */
int npy_parse(struct npy *out, const unsigned char *bytes, size_t size, const char *name, struct err *err);

/* Maps a file read-only. The caller unmaps `*mapping` (`*bytes` long). */
int npy_map(struct npy *out, void **mapping, size_t *bytes, const char *path, struct err *err);

/* Hash of a file's type and elements. */
int npy_hash(uint64_t *out, const char *path, struct err *err);

#endif
