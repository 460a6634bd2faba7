/* Streams on which texts of others, from specs, journals and compilers, cannot move a terminal's cursor or
 * more. */
#ifndef TUNER_CLI_PLAIN_H
#define TUNER_CLI_PLAIN_H

#include <stdio.h>

/* A stream that writes to `to`, which must outlive it, control characters as \u001b (as JSON has them, so
 * that JSON stays what it is), but for line ends and tabs. What fails there fails here. Null when memory
 * ends. */
FILE *plain_open(FILE *to);

#endif
