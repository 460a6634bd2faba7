#include "gpu/message.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { MAGIC = 0x6f636374 };
static const uint64_t head_limit = UINT64_C(1) << 26;
static const size_t first_room = 1 << 20;
static const uint64_t payload_limit = UINT64_C(1) << 40;

struct frame {
    uint32_t magic, unused;
    uint64_t head_bytes, payload_bytes;
};

double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int send_all(int fd, const void *bytes, size_t size, struct err *err)
{
    const char *p = bytes;

    while (size) {
        ssize_t n = send(fd, p, size, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, ERR_SYSTEM, "the other process is gone: %s", strerror(errno));
        p += n;
        size -= (size_t)n;
    }
    return 0;
}

int message_send(int fd, const struct json *head, const struct part *parts, size_t part_count,
                 struct err *err)
{
    char *text = head ? js_text(head, JS_LINE) : NULL;
    struct frame frame = {.magic = MAGIC};
    size_t i;
    int rc;

    if (!text)
        return err_memory(err);
    frame.head_bytes = strlen(text);
    for (i = 0; i < part_count; i++)
        frame.payload_bytes += parts[i].size;
    rc = send_all(fd, &frame, sizeof frame, err);
    if (!rc)
        rc = send_all(fd, text, frame.head_bytes, err);
    for (i = 0; !rc && i < part_count; i++)
        rc = send_all(fd, parts[i].bytes, parts[i].size, err);
    free(text);
    return rc;
}

/* Waits until bytes can be read, or `end` (in clock_seconds(); infinite: for ever) has passed. */
static int wait_readable(int fd, double end, struct err *err)
{
    struct pollfd poller = {.fd = fd, .events = POLLIN};

    for (;;) {
        double left = end - clock_seconds();
        int timeout = isinf(end) ? -1 : left <= 0 ? 0 : left > 1e6 ? 1000000000 : (int)(1000 * left) + 1;
        int n = poll(&poller, 1, timeout);

        if (n > 0)
            return 0;
        if (!n)
            return err_set(err, ERR_STOPPED, "no answer in time");
        if (errno != EINTR)
            return err_set(err, ERR_SYSTEM, "poll: %s", strerror(errno));
    }
}

static int receive_all(int fd, void *bytes, size_t size, double end, struct err *err)
{
    char *p = bytes;

    while (size) {
        ssize_t n;

        if (wait_readable(fd, end, err))
            return err ? err->code : ERR_STOPPED;
        n = recv(fd, p, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_set(err, ERR_SYSTEM, "the other process ended");
        p += n;
        size -= (size_t)n;
    }
    return 0;
}

static int receive_head(struct message *out, int fd, size_t size, double end, struct err *err)
{
    char *text = malloc(size + 1);
    int rc;

    if (!text)
        return err_memory(err);
    rc = receive_all(fd, text, size, end, err);
    if (!rc)
        rc = js_read_text(&out->head, text, size, "message", err);
    free(text);
    return rc;
}

/* Room grows with what has come, so that a wrong length alone takes no memory. */
static int receive_payload(struct message *out, int fd, size_t size, double end, struct err *err)
{
    size_t room = 0;
    int rc = 0;

    while (!rc && out->payload_bytes < size) {
        size_t step = room < first_room ? first_room : room;
        unsigned char *larger;

        step = step < size - room ? step : size - room;
        larger = realloc(out->payload, room + step);
        if (!larger)
            return err_memory(err);
        out->payload = larger;
        room += step;
        rc = receive_all(fd, out->payload + out->payload_bytes, step, end, err);
        out->payload_bytes = room;
    }
    return rc;
}

int message_receive(struct message *out, int fd, double timeout_s, struct err *err)
{
    double end = timeout_s < 0 ? INFINITY : clock_seconds() + timeout_s;
    struct err local = {0};
    struct frame frame;
    int rc;

    memset(out, 0, sizeof *out);
    if (!err)
        err = &local;
    rc = receive_all(fd, &frame, sizeof frame, end, err);
    if (rc)
        return rc;
    if (frame.magic != MAGIC || frame.head_bytes > head_limit || frame.payload_bytes > payload_limit)
        return err_set(err, ERR_FORMAT, "the other process sent bytes that are no message");
    rc = receive_head(out, fd, frame.head_bytes, end, err);
    if (!rc)
        rc = receive_payload(out, fd, frame.payload_bytes, end, err);
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
