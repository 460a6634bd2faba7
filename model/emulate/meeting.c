#include "model/emulate/meeting.h"

/* Of their passes: blocks that work side by side share some with their neighbours alone. */
#define LEAST_SHARE 0.9

void meeting_find(struct emulate_result *result, const struct emulation *emulation)
{
    const unsigned *grid = emulation->launch->grid;
    const int below = emulate_sample_beside(result, 0, EMULATE_Y1),
              next = grid[0] > 1 ? emulate_sample_beside(result, 0, EMULATE_X1) : below;
    struct contention_common here, far;

    result->meeting = (struct emulate_meeting){0};
    if (next < 0 || next >= CONTENTION_BLOCKS || below >= CONTENTION_BLOCKS)
        return;
    here = contention_common(&emulation->contention, 1, (size_t)next + 1);
    if (here.share < LEAST_SHARE)
        return;
    far = below < 0 ? here : contention_common(&emulation->contention, 1, (size_t)below + 1);
    result->meeting = (struct emulate_meeting){
        .lines = here.lines,
        .share = here.share,
        .run = grid[0] > 1 && far.share < here.share / 2 ? grid[0] : (double)launch_blocks(emulation->launch),
    };
}
