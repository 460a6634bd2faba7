/* Workers that Slurm starts: steps of the allocation that this process is in, or a job that gets one. */
#ifndef TUNER_CLI_SLURM_H
#define TUNER_CLI_SLURM_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether this process runs inside an allocation. */
bool slurm_is_inside(void);

/* The commands of `count` workers, on the nodes of the allocation in turn; each has its part of its node's cores and
 * GPUs to itself. Each is malloc'ed. */
int slurm_commands(char **commands, size_t count, struct err *err);

/* Submits a job of `count` tasks whose script runs this very command line again, inside its allocation; `answer` is what
 * sbatch says. */
int slurm_submit(char *answer, size_t size, size_t count, struct err *err);

#endif
