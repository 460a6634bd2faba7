/* Child processes in a group of their own, which Ctrl-C for the controller does not reach. */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

struct spawn_move {
    int from, to; /* the descriptor `from` of this process is `to` in the child */
};

/* Starts `argv`, which ends with null, with no signal blocked, and SIGPIPE and SIGTERM as by default. Returns 0 or an errno. */
int spawn_apart(pid_t *pid, const char *path, char *const argv[], const struct spawn_move *moves,
                size_t count);

#endif
