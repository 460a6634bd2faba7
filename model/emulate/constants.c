#include "model/emulate/constants.h"

#include "model/emulate/count.h"
#include "model/sass/arch/geometry.h"

#include <string.h>

enum { WORD = 4 };

enum { MARKED_MOST = 1 << 12 /* places of a record: as many lines as a bank has, four times over */ };

static bool is_beside(uint64_t address, uint64_t before)
{
    const uint64_t line = address / CONSTANT_LINE, last = before / CONSTANT_LINE;

    return line + 1 >= last && line <= last + 1;
}

void constants_pattern(struct pattern *pattern, const struct request *request)
{
    uint32_t far = 0;

    for (uint32_t left = request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);

        if (!is_beside(request->address[lane], pattern->address[lane]))
            far |= lane_bit(lane);
    }
    pattern->mask = request->mask;
    memcpy(pattern->address, request->address, sizeof pattern->address);
    pattern->cost = (struct cost){.wavefronts = count_blocks(request->address, request->mask, WORD, 1),
                                  .lines = count_blocks(request->address, far, WORD, CONSTANT_LINE)};
}

void constants_mark(struct emulation *emulation, const struct request *request)
{
    for (uint32_t left = request->mask; left; left &= left - 1) {
        const uint64_t line =
            request->address[__builtin_ctz(left)] / CONSTANT_LINE % (64 * EMULATE_CONSTANT_WORDS);

        emulation->result->constant_lines[line / 64] |= UINT64_C(1) << line % 64;
    }
}

void constants_mark_periods(struct emulation *emulation, struct request *request, const struct record *record,
                            uint64_t first, uint64_t count)
{
    const uint64_t inside = record_inside(record);
    uint64_t left = MARKED_MOST;

    for (uint64_t t = first; t < first + count && left; t++)
        for (uint64_t n = 0; n < inside && left; n++, left--) {
            record_address(request, record, t, n);
            constants_mark(emulation, request);
        }
}

uint64_t emulate_constant_bytes(const struct emulate_result *result)
{
    uint64_t lines = 0;

    for (unsigned w = 0; w < EMULATE_CONSTANT_WORDS; w++)
        lines += (uint64_t)__builtin_popcountll(result->constant_lines[w]);
    return lines * CONSTANT_LINE;
}
