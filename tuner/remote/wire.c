#include "tuner/remote/wire.h"

#include "base/key.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char magic[4] = {'O', 'C', 'C', 'T'};
enum { STEP_BYTES = 1 << 16, TURN_BYTES = 1 << 22 };

static void stop_blocking(int fd)
{
    const int flags = fcntl(fd, F_GETFL);

    if (flags >= 0)
        fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

void wire_init(struct wire *wire, int in, int out)
{
    *wire = (struct wire){.in = in, .out = out};
    stop_blocking(in);
    stop_blocking(out);
}

void wire_release(struct wire *wire)
{
    free(wire->received.bytes);
    free(wire->queued.bytes);
    repeats_release(&wire->sent);
    repeats_release(&wire->heard);
    compress_stream_release(&wire->packing);
    compress_stream_release(&wire->unpacking);
    *wire = (struct wire){.in = -1, .out = -1};
}

/* Allocates `more` bytes behind the end. */
static int reserve(struct wire_bytes *bytes, size_t more, struct err *err)
{
    const size_t used = bytes->end - bytes->begin;
    unsigned char *larger;

    if (bytes->begin && (bytes->begin == bytes->end || bytes->capacity - bytes->end < more)) {
        memmove(bytes->bytes, bytes->bytes + bytes->begin, used);
        bytes->begin = 0;
        bytes->end = used;
    }
    if (bytes->capacity - bytes->end >= more)
        return 0;
    larger = realloc(bytes->bytes, 2 * (used + more));
    if (!larger)
        return err_memory(err);
    bytes->bytes = larger;
    bytes->capacity = 2 * (used + more);
    return 0;
}

static void put_word(unsigned char *to, uint64_t word, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(word >> 8 * i);
}

static uint64_t get_word(const unsigned char *from, int bytes)
{
    uint64_t word = 0;

    for (int i = 0; i < bytes; i++)
        word |= (uint64_t)from[i] << 8 * i;
    return word;
}

/* Sending ------------------------------------------------------------------ */

/* What is packed: the size of the head, the head, the payload. */
struct body {
    struct part head;
    const struct part *parts;
    size_t part_count, size;
};

static size_t body_size(const struct body *body)
{
    size_t size = 4 + body->head.size;

    for (size_t i = 0; i < body->part_count; i++)
        size += body->parts[i].size;
    return size;
}

static unsigned char *put_bytes(unsigned char *to, struct part part)
{
    if (part.size)
        memcpy(to, part.bytes, part.size);
    return to + part.size;
}

static void gather(unsigned char *to, const struct body *body)
{
    put_word(to, body->head.size, 4);
    to = put_bytes(to + 4, body->head);
    for (size_t i = 0; i < body->part_count; i++)
        to = put_bytes(to, body->parts[i]);
}

/* Where the body of the next frame is to be written, and `more` bytes; null when memory ends. */
static unsigned char *begin_frame(struct wire_bytes *queued, size_t more, struct err *err)
{
    return reserve(queued, WIRE_HEADER_BYTES + more + 1, err)
               ? NULL
               : queued->bytes + queued->end + WIRE_HEADER_BYTES;
}

/* The frame is whole but for what stands around the packed body. */
static void end_frame(struct wire_bytes *queued, size_t packed, size_t size, struct part plain)
{
    unsigned char *frame = queued->bytes + queued->end, *body = frame + WIRE_HEADER_BYTES,
                  *end = put_bytes(body + packed, plain);

    memcpy(frame, magic, 4);
    put_word(frame + 4, packed, 4);
    put_word(frame + 8, size, 4);
    put_word(frame + 12, plain.size, 4);
    put_word(frame + 16, key_bytes(body, packed + plain.size).low, 8);
    *end = '\n';
    queued->end += WIRE_HEADER_BYTES + packed + plain.size + 1;
}

static int put_short(struct wire *wire, const struct body *body, struct part plain, struct err *err)
{
    unsigned char *past = repeats_next(&wire->sent, body->size, err);
    unsigned char *to = past ? begin_frame(&wire->queued, repeats_bound(body->size) + plain.size, err) : NULL;

    if (!to)
        return ERR_MEMORY;
    gather(past, body);
    end_frame(&wire->queued, repeats_pack(to, &wire->sent, body->size), body->size, plain);
    return 0;
}

static int put_long(struct wire *wire, const struct body *body, struct part plain, struct err *err)
{
    unsigned char *bytes = malloc(body->size), *packed = NULL, *to;
    size_t size;
    int rc;

    if (!bytes)
        return err_memory(err);
    gather(bytes, body);
    rc = compress_pack_next(&packed, &size, &wire->packing, bytes, body->size, err);
    free(bytes);
    to = rc ? NULL : begin_frame(&wire->queued, size + plain.size, err);
    if (to) {
        memcpy(to, packed, size);
        end_frame(&wire->queued, size, body->size, plain);
    }
    free(packed);
    return to ? 0 : ERR_MEMORY;
}

/* `parts` are packed with the head; `plain` follows as it is. */
static int put(struct wire *wire, struct part head, const struct part *parts, size_t part_count,
               struct part plain, struct err *err)
{
    struct body body = {head, parts, part_count, 0};
    int rc;

    body.size = body_size(&body);
    if (body.size > WIRE_BYTES_MOST || plain.size > WIRE_BYTES_MOST)
        return err_set(err, ERR_USAGE, "%zu bytes are too many for one message", body.size + plain.size);
    rc = wire->spoken && body.size <= REPEATS_MOST ? put_short(wire, &body, plain, err)
                                                   : put_long(wire, &body, plain, err);
    wire->spoken = true;
    return rc || wire->gathers ? rc : wire_flush(wire, err);
}

static int put_json(struct wire *wire, const struct json *head, const struct part *parts, size_t part_count,
                    struct part plain, struct err *err)
{
    char *text = head ? js_text(head, JS_LINE) : NULL;
    const int rc =
        text ? put(wire, (struct part){text, strlen(text)}, parts, part_count, plain, err) : err_memory(err);

    free(text);
    return rc;
}

int wire_put(struct wire *wire, const struct json *head, const struct part *parts, size_t part_count,
             struct err *err)
{
    return put_json(wire, head, parts, part_count, (struct part){NULL, 0}, err);
}

int wire_put_packed(struct wire *wire, const struct json *head, struct part payload, struct err *err)
{
    return put_json(wire, head, NULL, 0, payload, err);
}

int wire_put_text(struct wire *wire, struct part head, const struct part *parts, size_t part_count,
                  struct err *err)
{
    return put(wire, head, parts, part_count, (struct part){NULL, 0}, err);
}

int wire_put_packed_text(struct wire *wire, struct part head, struct part payload, struct err *err)
{
    return put(wire, head, NULL, 0, payload, err);
}

int wire_flush(struct wire *wire, struct err *err)
{
    struct wire_bytes *queued = &wire->queued;
    ssize_t n;

    while (queued->begin < queued->end) {
        n = write(wire->out, queued->bytes + queued->begin, queued->end - queued->begin);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return 0;
        if (n < 0)
            return err_set(err, ERR_SYSTEM, "the connection is gone: %s", strerror(errno));
        queued->begin += (size_t)n;
        wire->sent_total += (uint64_t)n;
    }
    return 0;
}

bool wire_has_more(const struct wire *wire)
{
    return wire->queued.begin < wire->queued.end;
}

/* Receiving ---------------------------------------------------------------- */

int wire_receive(struct wire *wire, struct err *err)
{
    struct wire_bytes *received = &wire->received;
    size_t total = 0;
    bool whole = true; /* less than was asked for is all there is */
    ssize_t n;

    while (whole && total < TURN_BYTES) { /* then others have their turn */
        if (reserve(received, STEP_BYTES, err))
            return ERR_MEMORY;
        n = read(wire->in, received->bytes + received->end, received->capacity - received->end);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n <= 0)
            return total ? 0 : err_set(err, ERR_SYSTEM, "the connection ended");
        whole = (size_t)n == received->capacity - received->end;
        received->end += (size_t)n;
        total += (size_t)n;
    }
    return 0;
}

/* The line that stands there, as far as it is text. */
static void quote(char text[61], const unsigned char *bytes, size_t count)
{
    size_t n = 0;

    while (n < count && n < 60 && isprint(bytes[n])) {
        text[n] = (char)bytes[n];
        n++;
    }
    text[n] = '\0';
}

/* What stands there instead of a frame: a login's greeting, for one. */
static int no_frame(const char *text, struct err *err)
{
    const size_t n = strlen(text);

    return err_set(err, ERR_FORMAT, "what came is no message%s%s%s", n > 3 ? ": \"" : "", n > 3 ? text : "",
                   n > 3 ? "\"" : "");
}

/* Before the first frame: a line that is whole, or what stands before the frame in its line. *more: there was one. */
static int skip_line(bool *more, struct wire *wire, struct err *err)
{
    struct wire_bytes *received = &wire->received;
    const unsigned char *line = received->bytes + received->begin;
    const size_t here = received->end - received->begin;
    const unsigned char *end = memchr(line, '\n', here), *frame = memmem(line, here, magic, sizeof magic);
    char text[sizeof wire->greeting];

    *more = end || frame;
    if (!*more && here < WIRE_LINE_BYTES_MOST)
        return 0;
    quote(text, line, here);
    if (!*wire->greeting)
        memcpy(wire->greeting, text, sizeof text);
    if (!*more || ++wire->skipped > WIRE_LINES_MOST)
        return no_frame(wire->greeting, err);
    received->begin += (size_t)((frame && (!end || frame < end) ? frame : end + 1) - line);
    return 0;
}

/* Whether a frame begins here, or may: what stands before the first is skipped where that is allowed. */
static int find_frame(bool *found, struct wire *wire, struct err *err)
{
    const struct wire_bytes *received = &wire->received;
    char text[sizeof wire->greeting];
    bool more = true;
    int rc = 0;

    *found = false;
    while (!rc && more && !*found) {
        const unsigned char *frame = received->bytes ? received->bytes + received->begin : NULL;
        const size_t here = received->end - received->begin;

        *found = !here || !memcmp(frame, magic, here < sizeof magic ? here : sizeof magic);
        if (*found)
            break;
        if (!wire->skips || wire->begun) {
            quote(text, frame, here);
            return no_frame(text, err);
        }
        rc = skip_line(&more, wire, err);
    }
    return rc;
}

static int copy_payload(struct message *out, const unsigned char *bytes, size_t size, struct err *err)
{
    out->payload = size ? malloc(size) : NULL;
    if (size && !out->payload)
        return err_memory(err);
    out->payload_bytes = size;
    if (size)
        memcpy(out->payload, bytes, size);
    return 0;
}

static int read_body(struct message *out, const unsigned char *body, size_t size, struct part plain,
                     struct err *err)
{
    const size_t length = size < 4 ? SIZE_MAX : get_word(body, 4);
    struct js_at root;
    int rc;

    if (size < 4 || length > size - 4 || length > WIRE_HEAD_BYTES_MOST)
        return err_set(err, ERR_FORMAT, "a message is shorter than it says");
    rc = js_read_flat(&out->head, (const char *)body + 4, length, "message", err);
    if (rc)
        return rc == ERR_MEMORY ? rc : ERR_FORMAT;
    root = js_root(out->head, "message");
    if (js_expect(&root, JS_OBJECT, err))
        return ERR_FORMAT;
    if (!plain.size)
        return copy_payload(out, body + 4 + length, size - 4 - length, err);
    if (size != 4 + length)
        return err_set(err, ERR_FORMAT, "a message has two payloads");
    return copy_payload(out, plain.bytes, plain.size, err);
}

static int unpack(struct message *out, struct wire *wire, struct part packed, size_t size, struct part plain,
                  struct err *err)
{
    const unsigned char *body;
    unsigned char *own = NULL;
    int rc;

    if (wire->begun && size <= REPEATS_MOST) {
        rc = repeats_unpack(&body, size, &wire->heard, packed.bytes, packed.size, err);
    } else {
        body = own = malloc(size);
        rc = own ? compress_unpack_next(own, size, &wire->unpacking, packed.bytes, packed.size, err)
                 : err_memory(err);
    }
    if (!rc)
        rc = read_body(out, body, size, plain, err);
    free(own);
    if (rc)
        message_release(out);
    return rc;
}

int wire_next(struct message *out, bool *whole, struct wire *wire, struct err *err)
{
    struct wire_bytes *received = &wire->received;
    const unsigned char *frame;
    size_t packed, size, plain, here;
    bool found;
    int rc;

    *whole = false;
    memset(out, 0, sizeof *out);
    rc = find_frame(&found, wire, err);
    here = received->end - received->begin;
    if (rc || !found || here < WIRE_HEADER_BYTES)
        return rc;
    frame = received->bytes + received->begin;
    packed = get_word(frame + 4, 4);
    size = get_word(frame + 8, 4);
    plain = get_word(frame + 12, 4);
    if (size > WIRE_BYTES_MOST || packed > repeats_bound(size) + 64 || size > packed * COMPRESS_MOST + 64)
        return err_set(err, ERR_FORMAT, "a message claims %zu bytes packed into %zu", size, packed);
    if (plain > WIRE_BYTES_MOST)
        return err_set(err, ERR_FORMAT, "a message claims a payload of %zu bytes", plain);
    frame += WIRE_HEADER_BYTES;
    if (here - WIRE_HEADER_BYTES < packed + plain + 1)
        return 0;
    if (key_bytes(frame, packed + plain).low != get_word(frame - 8, 8) || frame[packed + plain] != '\n')
        return err_set(err, ERR_FORMAT, "a message was damaged on its way");
    rc = unpack(out, wire, (struct part){frame, packed}, size, (struct part){frame + packed, plain}, err);
    received->begin += WIRE_HEADER_BYTES + packed + plain + 1;
    *whole = !rc;
    wire->begun = true;
    return rc;
}
