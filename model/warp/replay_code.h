/* Machine code for replay: the control fields of the instructions and the paths an emulation saw, as the
 * abstract list that latency.h replays.
 *
 * A scoreboard is a slot, LDGSTS is a copy, LDGDEPBAR a commit, DEPBAR.LE a counted wait. A load's latency is
 * that of the levels its data comes from, in the shares that traffic estimates, and the serialisation of its
 * further sectors or wavefronts. A branch that ends a straight run of the path was taken. */
#ifndef MODEL_REPLAY_CODE_H
#define MODEL_REPLAY_CODE_H

#include "base/err.h"
#include "model/emulate/emulate.h"
#include "model/warp/latency.h"
#include "model/machine/machine.h"
#include "model/sass/register_reads.h"
#include "model/sass/sass.h"
#include "model/memory/traffic.h"

#include <stddef.h>

struct replay_code {
    struct replay_op *ops;            /* one per instruction, tag = its index; owned */
    bool *barriers;                   /* instructions at which the warps of a block meet; owned */
    uint8_t (*reads)[REGISTER_BANKS]; /* of the register file; all 0 where banks do not matter; owned */
    size_t count;
    double taken_stall;    /* least stall of a taken branch */
    double barrier_cycles; /* from the arrival of a block's warps, all at once, until they go on */
    double barrier_alone;  /* the same for a block of one warp */
    unsigned loads_per_warp;
    struct products products; /* none issued */
    unsigned assumptions;     /* enum predict_assumption, or-ed */
    uint32_t missing_pc; /* offset of the instruction for which the profile lacks a latency (ERR_MISSING) */
};

/* Everything is borrowed for the call only. ERR_MISSING names a latency that the profile lacks and the
 * instruction that needs it, ERR_MEMORY. */
int replay_code_init(struct replay_code *out, const struct machine *machine, const struct sass_code *code,
                     const struct traffic *traffic, unsigned warps_per_block, struct err *err);
void replay_code_release(struct replay_code *code);

/* What the instructions of a path cost it, by index; all zero at the start, added up. */
struct replay_account {
    double *waited; /* cycles for which an instruction was held back beyond its predecessor's stall count */
    double *blamed; /* cycles for which others waited for this instruction's result */
    size_t count;
};

int replay_account_init(struct replay_account *out, size_t count, struct err *err);
void replay_account_release(struct replay_account *account);

/* Replays one path from cycle 0 to its end. `account` may be null. ERR_MISSING for a path that was too long to
 * keep; ERR_MEMORY. */
int replay_path(struct replay *out, const struct replay_code *code, const struct emulate_path *path,
                struct replay_account *account, struct err *err);

#endif
