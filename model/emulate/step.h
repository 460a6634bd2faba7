/* A group of lanes, instruction by instruction. */
#ifndef MODEL_EMULATE_STEP_H
#define MODEL_EMULATE_STEP_H

#include "model/emulate/state.h"

/* What an instruction is to the emulator. */
enum kind {
    KIND_NOTHING, /* no effect on values: NOP, fences, waits for scoreboards */
    KIND_COMPUTE, /* a function of emulate/operations.c */
    KIND_CONTROL,
    KIND_ACCESS,
    KIND_PREDICATES, /* a register into all predicates */
    KIND_MBARRIER,
    KIND_UNKNOWN, /* results cannot be known */
    KIND_STOP     /* not decoded */
};

enum kind kind_of(const struct sass *i);

/* Executes the next needed instruction of a group, *at: STEP_NEXT and so on, or an error. */
int run_step(uint32_t *at, struct emulation *emulation, struct warp *warp, struct group *group);
/* Executes a group until it waits, ends, or has had its turn. 0, STEP_STOPPED or an error. */
int group_execute(struct emulation *emulation, struct warp *warp, struct group *group);

#endif
