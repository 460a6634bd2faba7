/* The program that reads what this one writes, where that is served by lines: a session, `occutune ask`. */
#ifndef TUNER_CLI_CLIENT_H
#define TUNER_CLI_CLIENT_H

#include "base/err.h"

/* Lines that are longer are refused. */
enum { CLIENT_LINE_MOST = 1 << 20 };

/* From now on this program ends within a second of its client, also at work. ERR_SYSTEM. */
int client_watch(struct err *err);

#endif
