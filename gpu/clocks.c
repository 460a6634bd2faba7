#include "gpu/clocks.h"

#include "base/clock.h"
#include "gpu/conversation.h"
#include "gpu/message.h"
#include "gpu/nvml.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { START_S = 30, TURN_S = 10, PCI_BYTES = 64 };

/* This program itself. */
static int find_own(char *out, size_t size, struct err *err)
{
    const ssize_t length = readlink("/proc/self/exe", out, size - 1);

    if (length <= 0)
        return err_set(err, ERR_SYSTEM, "/proc/self/exe cannot be read");
    out[length] = '\0';
    return 0;
}

int clocks_hold(struct process *out, const char *pci, const struct clock_setting *clocks, struct err *err)
{
    char own[4096], argument[PCI_BYTES + 32];
    struct message answer;
    struct js_at root;
    int rc = find_own(own, sizeof own, err);

    memset(out, 0, sizeof *out);
    snprintf(argument, sizeof argument, "%s,%u,%u", pci, clocks->sm_mhz, clocks->memory_mhz);
    if (!rc)
        rc = process_start(out, own, "clocks", argument, err);
    if (rc)
        return rc;
    rc = message_receive(&answer, out->fd, (struct patience){.timeout_s = START_S, .child = out->pid}, err);
    if (!rc) {
        root = js_root(answer.head, "clocks");
        rc = answer_error(&root, err);
        message_release(&answer);
    }
    if (rc)
        process_stop(out);
    return rc;
}

void clocks_release(struct process *process)
{
    process_stop(process);
}

/* The name of a socket that only one process can have at a time, and that goes with it. */
static int take_turn(int *out, const char *pci, struct err *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const double end = clock_wall_s() + TURN_S;
    const int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "occutune-clocks-%s", pci);
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);

    *out = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (*out < 0)
        return err_set(err, ERR_SYSTEM, "no socket is left");
    while (bind(*out, (struct sockaddr *)&name, size)) {
        if (clock_wall_s() > end)
            return err_set(err, ERR_USAGE, "the clocks of the GPU at %s are held by another run of occutune",
                           pci);
        usleep(20000);
    }
    return 0;
}

static int parse(char pci[PCI_BYTES], struct clock_setting *clocks, const char *argument, struct err *err)
{
    if (sscanf(argument, "%63[^,],%u,%u", pci, &clocks->sm_mhz, &clocks->memory_mhz) == 3)
        return 0;
    return err_set(err, ERR_USAGE, "clocks: expected PCI,SM,MEMORY");
}

static int say(int fd, const struct err *problem, struct err *err)
{
    struct json *head = js_new_object();
    bool good = head != NULL;
    int rc;

    if (good && problem->code)
        good = !js_set_integer(head, "error", problem->code) && !js_set_string(head, "text", problem->text);
    rc = good ? message_send(fd, head, NULL, 0, (struct patience){.timeout_s = START_S}, err)
              : err_memory(err);
    js_free(head);
    return rc;
}

/* What ends a run from a terminal or a batch system must not end what cleans up after it. */
static void outlive(void)
{
    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

int clocks_serve(int fd, const char *argument, struct err *err)
{
    struct clock_setting clocks = {0};
    struct nvml *nvml = NULL;
    struct err problem = {0};
    struct message none;
    char pci[PCI_BYTES] = "";
    int turn = -1, rc;

    outlive();
    rc = parse(pci, &clocks, argument, &problem);
    if (!rc)
        rc = take_turn(&turn, pci, &problem);
    if (!rc)
        rc = nvml_open(&nvml, pci, &problem);
    if (!rc)
        rc = nvml_lock(nvml, &clocks, &problem);
    if (rc) {
        say(fd, &problem, err);
    } else {
        say(fd, &problem, NULL); /* one that is gone already is heard of below */
        if (!message_receive(&none, fd, (struct patience){.timeout_s = -1}, NULL))
            message_release(&none);
        nvml_unlock(nvml, &clocks);
    }
    nvml_close(nvml);
    if (turn >= 0)
        close(turn);
    return rc;
}
