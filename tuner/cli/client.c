#include "tuner/cli/client.h"

#include "tuner/cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a command still has to write once nobody waits for its answer. */
static const struct timespec orderly_end = {.tv_nsec = 500 * 1000 * 1000};

/* On a thread of its own: where a client was killed nobody reads the answer, and nobody is left to stop the command that runs.
 * It is stopped as by Ctrl-C, and ended where that takes long: the journal is safe at any moment, workers end with their
 * controller. */
static void *watch_client(void *unused)
{
    struct pollfd answers = {
        .fd = STDOUT_FILENO}; /* no event is asked for: the end of the reader is always told */

    while (poll(&answers, 1, -1) < 0 && errno == EINTR)
        ;
    if (answers.revents & (POLLERR | POLLHUP)) {
        kill(getpid(), SIGTERM);
        nanosleep(&orderly_end, NULL);
        _exit(CLI_FAILED);
    }
    return unused;
}

int client_watch(struct err *err)
{
    pthread_t thread;
    const int rc = pthread_create(&thread, NULL, watch_client, NULL);

    if (rc)
        return err_set(err, ERR_SYSTEM, "a thread cannot be started: %s", strerror(rc));
    pthread_detach(thread);
    return 0;
}
