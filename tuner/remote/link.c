#include "tuner/remote/link.h"

#include "base/clock.h"
#include "base/spawn.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void forget(struct command *command, pid_t ending)
{
    *command = (struct command){.fd = -1, .errors = -1, .ending = ending};
}

void command_init(struct command *command)
{
    forget(command, 0);
}

static void bury(struct command *command)
{
    if (!command->ending)
        return;
    kill(-command->ending, SIGKILL);
    while (waitpid(command->ending, NULL, 0) < 0 && errno == EINTR)
        continue;
    command->ending = 0;
}

int command_start(struct command *command, const char *text, struct err *err)
{
    int ends[2], errors[2], rc;

    bury(command);
    command_init(command);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_set(err, ERR_SYSTEM, "socketpair: %s", strerror(errno));
    if (pipe2(errors, O_CLOEXEC)) {
        close(ends[0]);
        close(ends[1]);
        return err_set(err, ERR_SYSTEM, "pipe: %s", strerror(errno));
    }
    rc = spawn_apart(&command->pid, "/bin/sh", (char *[]){(char *)"sh", (char *)"-c", (char *)text, NULL},
                     (const struct spawn_move[]){
                         {ends[1], STDIN_FILENO}, {ends[1], STDOUT_FILENO}, {errors[1], STDERR_FILENO}},
                     3);
    close(ends[1]);
    close(errors[1]);
    command->fd = ends[0];
    command->errors = errors[0];
    fcntl(errors[0], F_SETFL, O_NONBLOCK); /* this end alone: the command may wait */
    if (!rc)
        return 0;
    command->pid = 0;
    command_end(command);
    return err_set(err, ERR_SYSTEM, "/bin/sh: cannot be started: %s", strerror(rc));
}

void command_end(struct command *command)
{
    const pid_t pid = command->pid;

    if (command->fd >= 0)
        close(command->fd);
    if (command->errors >= 0)
        close(command->errors);
    if (pid) {
        bury(command);
        kill(-pid, SIGTERM);
    }
    forget(command, pid ? pid : command->ending);
}

static bool has_ended(pid_t pid)
{
    siginfo_t what = {0};

    return !pid || (!waitid(P_PID, (id_t)pid, &what, WEXITED | WNOHANG | WNOWAIT) && what.si_pid);
}

/* Waits until all have ended, or for so long. */
static void wait_for(struct command *commands[], size_t count, double seconds)
{
    enum { TRY_US = 10000 };
    const double until_s = clock_wall_s() + seconds;

    for (size_t i = 0; i < count; i++)
        while (!has_ended(commands[i]->pid ? commands[i]->pid : commands[i]->ending) &&
               clock_wall_s() < until_s)
            usleep(TRY_US);
}

void command_close(struct command *commands[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (commands[i]->fd >= 0)
            shutdown(commands[i]->fd, SHUT_RDWR);
    wait_for(commands, count, 1);
    for (size_t i = 0; i < count; i++)
        command_end(commands[i]);
    wait_for(commands, count, 3);
    for (size_t i = 0; i < count; i++)
        bury(commands[i]);
}

static void take_character(struct command *command, char c)
{
    if (c == '\n') {
        command->line[command->length] = '\0';
        if (command->length)
            memcpy(command->last, command->line, command->length + 1);
        command->length = 0;
    } else if (command->length < sizeof command->line - 1 && isprint((unsigned char)c)) {
        command->line[command->length++] = c;
    }
}

void command_listen(struct command *command)
{
    enum { TURNS = 16 }; /* then others have their turn, however much it says */
    char bytes[4096];
    ssize_t n = 1;

    if (command->errors < 0)
        return;
    for (int turn = 0; turn < TURNS && n > 0; turn++) {
        n = read(command->errors, bytes, sizeof bytes);
        for (ssize_t i = 0; i < n; i++)
            take_character(command, bytes[i]);
    }
    if (n > 0)
        return;
    if (!n || (errno != EAGAIN && errno != EINTR)) {
        close(command->errors);
        command->errors = -1;
    }
}

void command_said(char *out, size_t size, struct command *command)
{
    command_listen(command);
    take_character(command, '\n');
    snprintf(out, size, "%s", command->last);
}
