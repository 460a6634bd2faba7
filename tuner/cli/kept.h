/* The compiler and the GPUs that a command uses: its own, or in a session those that the command before has left. */
#ifndef TUNER_CLI_KEPT_H
#define TUNER_CLI_KEPT_H

#include "tuner/cli/cli.h"
#include "tuner/evaluate/environment.h"

/* What a session keeps open between commands. */
struct kept {
    struct environment *environment; /* null: nothing */
    char device[64];                 /* that it was opened for; "": all */
    unsigned jobs;
};

void kept_release(struct kept *kept);

/* Opens what `options` ask for, or lends what is kept where that is the same. Give it back with kept_return(), `well` where
 * the command went well: then a session keeps it, without what trials have left on the GPU. */
int kept_lend(struct environment **out, struct cli *cli, const struct environment_options *options,
              struct err *err);
void kept_return(struct environment *environment, struct cli *cli, bool well);

#endif
