#include "model/emulate/peek.h"

enum { PEEK_LEAST = 128, PEEK_MOST = 8192 };

static bool has_read(const uint64_t *first, const bool *wanted, size_t regions)
{
    for (size_t r = 0; r < regions; r++)
        if (wanted[r] && !first[r])
            return false;
    return true;
}

int peek_reach(uint64_t *instructions, uint64_t *first, struct emulation *emulation,
               const unsigned position[3], const bool *wanted, struct err *err)
{
    for (*instructions = PEEK_LEAST; *instructions <= PEEK_MOST; *instructions *= 2) {
        const int rc = emulation_peek(first, emulation, position, *instructions, NULL, err);

        if (rc || has_read(first, wanted, emulation->memory.region_count))
            return rc;
    }
    *instructions = 0;
    return 0;
}
