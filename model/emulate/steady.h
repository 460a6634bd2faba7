/* Loops in steady state, sliced mode only: a loop that goes the same way again and again while its registers
 * advance by constants is not executed to its end but extrapolated.
 *
 * A period of one or a few iterations is found from the registers needed at the loop's head. Two periods are
 * then recorded: the addresses of every access and the operands of everything that sets a predicate, with
 * what they advance by. From these follows, exactly, for how many periods no comparison can turn out
 * otherwise. That all else is as steady as it looks is rehearsed at the end of that range and at points
 * between: registers are set to what is expected there, a period is executed without being counted, and
 * every recorded operand, the path and the registers must come out as expected; else the loop is executed
 * one by one.
 *
 * A loop inside a loop that is recorded or rehearsed is extrapolated, too, if it was before: its periods are
 * then a few records of the loop around it (emulate/fold.c). So a nest costs a few iterations of each of its
 * loops, whatever their trip counts. */
#ifndef MODEL_EMULATE_STEADY_H
#define MODEL_EMULATE_STEADY_H

#include "model/emulate/access.h"
#include "model/emulate/alu.h"

int steady_open(struct steady **out, struct err *err);
void steady_close(struct steady *steady);
/* Another warp begins. */
void steady_reset(struct steady *steady);

/* The group took a backward branch and is at its target now; `repeats` iterations in a row went the same way.
 * May advance the group's registers by many iterations. */
int steady_back_edge(struct emulation *emulation, struct warp *warp, struct group *group, uint32_t branch,
                     uint64_t repeats);

/* To be called for what they name while steady_listens(). */
bool steady_listens(const struct steady *steady);
/* `wanted`: what is read there is needed, so the address must not move; or what is written, which is a state
 * that registers do not show, unless it is a word of the plain stack: those are watched like registers. */
void steady_access(struct steady *steady, const struct request *request, bool wanted, bool is_stack);
/* A tensor copy: what its bytes in global memory depend on. */
void steady_copy(struct steady *steady, const struct sass *i, const uint64_t values[LANES]);
/* What it compares, of the lanes for which that is known. */
void steady_compute(struct steady *steady, const struct alu *x, uint32_t known);
void steady_run(struct steady *steady, uint32_t first, uint32_t end);

#endif
