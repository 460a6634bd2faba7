/* What can become of a variant. An outcome is data, not an error: it is journalled, and never tried blindly
 * again. */
#ifndef LAUNCH_OUTCOME_H
#define LAUNCH_OUTCOME_H

enum outcome {
    OUTCOME_OK,         /* compiled, launched, verified, timed */
    OUTCOME_CONSTRAINT, /* outside the space's constraints */
    OUTCOME_LIMITS,     /* exact limits of the device: launch, registers, shared memory, barriers */
    OUTCOME_COMPILE,    /* the compiler refused it, or did not end */
    OUTCOME_LAUNCH,     /* the driver refused to load or launch it */
    OUTCOME_RUNTIME,    /* the kernel failed: illegal address, trap, ... */
    OUTCOME_TIMEOUT,    /* the kernel did not end before its deadline */
    OUTCOME_WRONG,      /* the result differs, an input was changed, or a write went past a buffer */
    OUTCOME_UNSTABLE,   /* results or times that do not settle */
    OUTCOME_PRUNED,     /* not timed: cut by a rule of the search */
    OUTCOME_SAME_CODE,  /* not timed: same machine code at the same launch as another */
    OUTCOME_SKIPPED,    /* not timed: the budget ended */
    OUTCOME_COUNT
};

/* "ok", "constraint", ...; and back (-1 for unknown text). */
const char *outcome_text(enum outcome outcome);
int outcome_parse(const char *text);

#endif
