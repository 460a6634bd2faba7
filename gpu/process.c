#include "gpu/process.h"

#include "base/clock.h"
#include "base/place.h"
#include "base/spawn.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static int find_executable(char *out, const char *executable, struct err *err)
{
    static const char *const above[] = {"..", "../.."}; /* installed; what benchmarks build */
    const char *named = executable ? executable : getenv("OCCUTUNE_WORKER");
    char own[PATH_BYTES - 64] = "";

    if (named && *named) {
        snprintf(out, PATH_BYTES, "%s", named);
        if (!access(out, X_OK))
            return 0;
        return err_set(err, ERR_MISSING, "%s: not an executable file; set OCCUTUNE_WORKER to occutune-worker",
                       out);
    }
    for (size_t i = 0; i < sizeof above / sizeof *above && place_own(own, sizeof own); i++) {
        snprintf(out, PATH_BYTES, "%s/%s/libexec/occutune/occutune-worker", own, above[i]);
        if (!access(out, X_OK))
            return 0;
    }
    snprintf(out, PATH_BYTES, "%s", OCCUTUNE_LIBEXEC "/occutune-worker");
    if (!access(out, X_OK))
        return 0;
    return err_set(
        err, ERR_MISSING,
        "occutune-worker was found neither in libexec/occutune of the two folders above %s nor in %s; set "
        "OCCUTUNE_WORKER to it",
        own, OCCUTUNE_LIBEXEC);
}

static int start(pid_t *pid, const char *path, const char *what, const char *argument, int child_end)
{
    char controller[16];
    char *argv[] = {(char *)path, (char *)what, (char *)argument, controller, NULL};
    /* What a kernel prints must not end up in the controller's results: standard output becomes standard error. */
    const struct spawn_move moves[] = {{STDERR_FILENO, STDOUT_FILENO}, {child_end, PROCESS_FD}};

    snprintf(controller, sizeof controller, "%ld", (long)getpid());
    return spawn_apart(pid, path, argv, moves, 2);
}

int process_start(struct process *out, const char *executable, const char *what, const char *argument,
                  struct err *err)
{
    char path[PATH_BYTES];
    int ends[2], rc;

    memset(out, 0, sizeof *out);
    rc = find_executable(path, executable, err);
    if (rc)
        return rc;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_set(err, ERR_SYSTEM, "socketpair: %s", strerror(errno));
    rc = start(&out->pid, path, what, argument, ends[1]);
    close(ends[1]);
    if (rc) {
        close(ends[0]);
        out->pid = 0;
        return err_set(err, ERR_SYSTEM, "%s: cannot be started: %s", path, strerror(rc));
    }
    out->fd = ends[0];
    return 0;
}

int process_kill(struct process *process)
{
    int status = 0;

    if (!process->pid)
        return 0;
    kill(process->pid, SIGKILL);
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(process->fd);
    memset(process, 0, sizeof *process);
    return status;
}

void process_stop(struct process *process)
{
    double end = clock_wall_s() + 1;

    if (!process->pid)
        return;
    shutdown(process->fd, SHUT_RDWR);
    while (clock_wall_s() < end) {
        pid_t reaped = waitpid(process->pid, NULL, WNOHANG);

        if (reaped == process->pid || (reaped < 0 && errno == ECHILD)) {
            close(process->fd);
            memset(process, 0, sizeof *process);
            return;
        }
        usleep(2000);
    }
    process_kill(process);
}

/* Two signs of the controller's end: its end of the socket is closed, or its process (which may have left
 * copies of the socket in children of its own) is gone. The parent-death signal would not do: it is sent when
 * the *thread* that started the child ends. */
static void *watch(void *argument)
{
    struct pollfd *signs = argument;

    while (poll(signs, 2, -1) < 0 && errno == EINTR)
        continue;
    _exit(1);
}

int process_watch_controller(int fd, pid_t controller, struct err *err)
{
    struct pollfd *signs = calloc(2, sizeof *signs); /* the thread's, which ends with the process */
    pthread_t thread;
    int rc = 0;

    if (!signs)
        return err_memory(err);
    signs[0] = (struct pollfd){.fd = fd, .events = POLLRDHUP};
    signs[1] = (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, controller, 0), .events = POLLIN};
    if (getppid() != controller)
        rc = err_set(err, ERR_STOPPED, "the controller ended");
    else if (pthread_create(&thread, NULL, watch, signs))
        rc = err_set(err, ERR_SYSTEM, "cannot start a thread");
    else
        pthread_detach(thread);
    if (rc)
        free(signs);
    return rc;
}
