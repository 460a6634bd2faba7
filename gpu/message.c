#include "gpu/message.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

enum { MAGIC = 0x6f636374 };
static const uint64_t head_limit = UINT64_C(1) << 26;
static const size_t first_capacity = 1 << 20;
static const uint64_t payload_limit = UINT64_C(1) << 40;

struct frame {
    uint32_t magic, unused;
    uint64_t head_bytes, payload_bytes;
};

bool child_is_stopped(pid_t child)
{
    siginfo_t what = {0};

    return child && !waitid(P_PID, (id_t)child, &what, WSTOPPED | WNOHANG | WNOWAIT) && what.si_pid == child;
}

/* A wait under way; times in clock_wall_s(). */
struct wait {
    int fd;
    pid_t child;
    double end;           /* infinite: none */
    double stopped_until; /* the child is stopped, and given up then; infinite: it runs */
    double core_end;      /* of the time that the child has spent of a core; infinite: none */
};

/* What a child has spent of cores so far; 0 where that cannot be told. */
static double core_seconds(pid_t child)
{
    struct timespec spent;
    clockid_t clock;

    if (!child || clock_getcpuclockid(child, &clock) || clock_gettime(clock, &spent))
        return 0;
    return (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec;
}

static struct wait begin_wait(int fd, struct patience patience)
{
    return (struct wait){
        .fd = fd,
        .child = patience.child,
        .end = patience.timeout_s < 0 ? INFINITY : clock_wall_s() + patience.timeout_s,
        .stopped_until = INFINITY,
        .core_end = patience.core_s > 0 ? core_seconds(patience.child) + patience.core_s : INFINITY,
    };
}

/* Notes whether the child is stopped; true when it was for too long. */
static bool stays_stopped(struct wait *wait, double now)
{
    if (!child_is_stopped(wait->child))
        wait->stopped_until = INFINITY;
    else if (isinf(wait->stopped_until))
        wait->stopped_until = now + PATIENCE_STOPPED_S;
    return now > wait->stopped_until;
}

static int wait_for(struct wait *wait, short events, struct err *err)
{
    static const double tick_s = 0.25, for_ever_s = 1e6;
    struct pollfd poller = {.fd = wait->fd, .events = events};

    for (;;) {
        const double now = clock_wall_s(), left = wait->end - now;
        const double step = fmin(wait->child ? tick_s : for_ever_s, left > 0 ? left : 0);
        const int n = poll(&poller, 1, (int)ceil(1000 * step));

        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return err_set(err, ERR_SYSTEM, "poll: %s", strerror(errno));
        if (stays_stopped(wait, now))
            return err_set(err, ERR_STOPPED, "the other process was stopped by a signal");
        if (!n && (left <= 0 || core_seconds(wait->child) > wait->core_end))
            return err_set(err, ERR_STOPPED, "no answer in time");
    }
}

static int send_all(const void *bytes, size_t size, struct wait *wait, struct err *err)
{
    const char *p = bytes;

    while (size) {
        ssize_t n;

        if (wait_for(wait, POLLOUT, err))
            return err ? err->code : ERR_STOPPED;
        n = send(wait->fd, p, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return err_set(err, ERR_SYSTEM, "the other process is gone: %s", strerror(errno));
        p += n;
        size -= (size_t)n;
    }
    return 0;
}

int message_send(int fd, const struct json *head, const struct part *parts, size_t part_count,
                 struct patience patience, struct err *err)
{
    struct wait wait = begin_wait(fd, patience);
    char *text = head ? js_text(head, JS_LINE) : NULL;
    struct frame frame = {.magic = MAGIC};
    int rc;

    if (!text)
        return err_memory(err);
    frame.head_bytes = strlen(text);
    for (size_t i = 0; i < part_count; i++)
        frame.payload_bytes += parts[i].size;
    rc = send_all(&frame, sizeof frame, &wait, err);
    if (!rc)
        rc = send_all(text, frame.head_bytes, &wait, err);
    for (size_t i = 0; !rc && i < part_count; i++)
        rc = send_all(parts[i].bytes, parts[i].size, &wait, err);
    free(text);
    return rc;
}

static int receive_all(void *bytes, size_t size, struct wait *wait, struct err *err)
{
    char *p = bytes;

    while (size) {
        ssize_t n;

        if (wait_for(wait, POLLIN, err))
            return err ? err->code : ERR_STOPPED;
        n = recv(wait->fd, p, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_set(err, ERR_SYSTEM, "the other process ended");
        p += n;
        size -= (size_t)n;
    }
    return 0;
}

static int receive_head(struct message *out, size_t size, struct wait *wait, struct err *err)
{
    char *text = malloc(size + 1);
    int rc;

    if (!text)
        return err_memory(err);
    rc = receive_all(text, size, wait, err);
    if (!rc)
        rc = js_read_text(&out->head, text, size, "message", err);
    free(text);
    return rc;
}

/* The buffer grows with what has come, so that a wrong length alone takes no memory. */
static int receive_payload(struct message *out, size_t size, struct wait *wait, struct err *err)
{
    size_t capacity = 0;
    int rc = 0;

    while (!rc && out->payload_bytes < size) {
        size_t step = capacity < first_capacity ? first_capacity : capacity;
        unsigned char *larger;

        step = step < size - capacity ? step : size - capacity;
        larger = realloc(out->payload, capacity + step);
        if (!larger)
            return err_memory(err);
        out->payload = larger;
        capacity += step;
        rc = receive_all(out->payload + out->payload_bytes, step, wait, err);
        out->payload_bytes = capacity;
    }
    return rc;
}

int message_receive(struct message *out, int fd, struct patience patience, struct err *err)
{
    struct wait wait = begin_wait(fd, patience);
    struct err local = {0};
    struct frame frame;
    int rc;

    memset(out, 0, sizeof *out);
    if (!err)
        err = &local;
    rc = receive_all(&frame, sizeof frame, &wait, err);
    if (rc)
        return rc;
    if (frame.magic != MAGIC || frame.head_bytes > head_limit || frame.payload_bytes > payload_limit)
        return err_set(err, ERR_FORMAT, "the other process sent bytes that are no message");
    rc = receive_head(out, frame.head_bytes, &wait, err);
    if (!rc)
        rc = receive_payload(out, frame.payload_bytes, &wait, err);
    if (rc)
        message_release(out);
    return rc;
}

void message_release(struct message *message)
{
    js_free(message->head);
    free(message->payload);
    memset(message, 0, sizeof *message);
}
