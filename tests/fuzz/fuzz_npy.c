/* Reads any bytes as an .npy file; the elements it promises must be there. */
#include "fuzz.h"

#include "launch/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct npy npy;

    if (!npy_parse(&npy, bytes, size, "fuzz.npy", NULL) &&
        (npy.offset > size || npy.count > (size - npy.offset) / element_size(npy.type)))
        abort();
    return 0;
}
