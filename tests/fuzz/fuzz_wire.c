/* Sends any bytes to either end of a connection between controller and worker: frames; and, in their place, heads
 * that are whole but say anything, read as answers. */
#include "fuzz.h"

#include "tuner/remote/ask.h"
#include "tuner/remote/exchange.h"
#include "tuner/remote/wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void take(struct message *message)
{
    struct js_at root = js_root(message->head, "fuzz"), at;
    struct compile_result compiled = {0};
    struct variant_prediction prediction;
    struct trial trial = {0};
    struct err failed = {0}, err = {0};
    enum answer_kind kind;
    struct key key;
    int64_t id;

    answer_id(&id, message, NULL);
    content_get(&key, &root, "key", NULL);
    if (!answer_trial(&kind, &trial, message, &failed, NULL))
        trial_release(&trial);
    if (js_find(&at, &root, "prediction"))
        prediction_from_json(&prediction, &at, NULL);
    if (!js_find(&at, &root, "compiled"))
        return;
    if (compiled_get(&compiled, &at, message->payload, message->payload_bytes, &err)) {
        if (!err.code || compiled.cubin || compiled.entry)
            abort();
    } else if ((compiled.outcome == OUTCOME_OK) != (compiled.cubin && compiled.entry)) {
        abort();
    }
    message->payload = NULL;
    compile_result_release(&compiled);
}

static void take_all(struct wire *wire)
{
    struct message message;
    bool whole = true;

    while (whole && !wire_next(&message, &whole, wire, NULL)) {
        if (whole)
            take(&message);
        message_release(&message);
    }
}

/* As frames, which a hash protects; and as the head and payload of one, since none of those gets through. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const size_t head = strnlen((const char *)bytes, size);
    const struct part payload = {bytes + head, size - head};
    struct wire from, to;
    struct json *json;
    int ends[2];

    if (size > 32768 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) /* what a socket takes at once */
        return 0;
    wire_init(&from, ends[0], ends[0]);
    wire_init(&to, ends[1], ends[1]);
    if (!js_read_text(&json, (const char *)bytes, head, "fuzz", NULL)) {
        if (wire_put(&from, json, &payload, 1, NULL))
            abort();
        js_free(json);
    }
    if (write(ends[0], bytes, size) != (ssize_t)size)
        abort();
    while (!wire_receive(&to, NULL) && to.received.end - to.received.begin < from.sent_total + size)
        continue;
    take_all(&to);
    wire_release(&from);
    wire_release(&to);
    close(ends[0]);
    close(ends[1]);
    return 0;
}
