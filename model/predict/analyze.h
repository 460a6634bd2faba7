/* What to expect of a variant, from its machine code and its launch alone: occupancy, emulation, traffic,
 * latency, and the prediction that follows. Pure: no GPU, no files, any number of threads at once.
 *
 *   cubin -> decode -> occupancy -> emulate a sample of blocks -> traffic -> demands --> predict
 *                                                             \-> replay  -> latency -/
 *
 * A variant that the model cannot read is refused with a reason and, where there is one, the offset of the
 * instruction; it is never guessed at. */
#ifndef MODEL_PREDICT_ANALYZE_H
#define MODEL_PREDICT_ANALYZE_H

#include "base/err.h"
#include "launch/launch.h"
#include "model/sass/cubin.h"
#include "model/predict/demands.h"
#include "model/emulate/emulate.h"
#include "model/machine/machine.h"
#include "model/machine/occupancy.h"
#include "model/memory/tables.h"
#include "model/memory/traffic.h"
#include "model/predict/predict.h"
#include "model/predict/schedule.h"
#include "model/sass/lines.h"
#include "model/sass/sass.h"
#include "model/warp/replay_code.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Warp instructions that reading one variant may emulate one by one: less than a second of a core, where most
 * variants take some thousands. Counted in instructions, so that what is predicted does not depend on how
 * fast or busy the machine is. One block may take EMULATE_FIRST_TIMES as many; a variant beyond is left without a
 * prediction, and its reason names the budget. */
enum { EXPECT_BUDGET = 1 << 20 };

struct analyze_options {
    bool warm;                         /* the launch before left its data in L2; false: L2 was flushed */
    bool account;                      /* also fill `account`: which instructions cost the path its time */
    uint64_t budget;                   /* warp instructions to emulate at most; 0: EXPECT_BUDGET */
    double core_limit_s, wall_limit_s; /* for the emulation; 0: none. See struct emulate_options */
    const atomic_bool *stop;           /* set from outside, it ends the work early: a refusal. Null: never */
};

struct analysis {
    bool predicted;    /* else `reason` says why not */
    bool borrows;      /* `code` and `emulation` are another's */
    char reason[1024]; /* one line */
    bool at_code;      /* it happened at the instruction at offset `pc` */
    uint32_t pc;

    struct sass_code code;           /* decoded */
    struct occupancy occupancy;      /* had */
    struct occupancy_block block;    /* what a block takes */
    unsigned local_bytes;            /* what a thread takes of local memory */
    struct emulate_result emulation; /* of the sample */
    struct traffic traffic;
    struct demands demands;
    struct tables_misses tables;  /* of constant memory; all 0 where the profile says nothing of them */
    struct imbalance imbalance;   /* all 1 where blocks and warps are equal, but for too_few */
    double waited[REPLAY_CAUSES]; /* cycles of the latency bound by cause, mean over warps */
    double waited_shared, waited_l1, waited_l2, waited_dram; /* those of REPLAY_SLOT by where the data was */
    double path_cycles;                                      /* a warp's own path, mean over warps */
    double replace_cycles;                                   /* from the end of a block to its successor */
    double barrier_cycles;                                   /* of one barrier */
    struct replay_account account;                           /* mean over warps; empty unless asked for */
    struct lines lines;         /* with it: of the source, where the code has them */
    struct predict_input input; /* what the prediction was made from */
    struct prediction prediction;
    double in_step_s, apart_s; /* the estimate where warps walk through tables in constant memory together,
                                  and where no two of them do */
    double mbarrier_share;     /* of the time of the simulated warps, waiting at mbarriers */
    double copying_share;      /* of the time, in which an SM's copy engine is busy */
    double storing_share; /* of the time, in which tensor cores have nothing to do while results are stored */
    double held;          /* share of the time that a place for a block on an SM holds one (schedule_held) */
    double achieved;      /* occupancy, a share: theoretical x imbalance x held */
};

/* `launch` is prepared (launch_prepare); everything is borrowed for the call. What the model cannot do is a
 * refusal in *out, not an error; errors are ERR_MEMORY, and ERR_SYSTEM where a fill cannot be read. Release
 * *out in either case. */
int analyze(struct analysis *out, const struct machine *machine, const struct cubin *cubin,
            const struct cubin_kernel *kernel, const struct launch *launch,
            const struct analyze_options *options, struct err *err);
/* The same of code that was analyzed before, with another machine of equal limits: what `from` decoded and emulated is
 * borrowed, and `from` outlives `out`. */
int analyze_again(struct analysis *out, const struct analysis *from, const struct machine *machine,
                  const struct launch *launch, const struct analyze_options *options, struct err *err);

void analysis_release(struct analysis *analysis);

#endif
