/* Sends any bytes to either end of a connection between controller and worker: frames; and, in their place, heads
 * that are whole but say anything, read as answers and as requests. */
#include "fuzz.h"

#include "tuner/remote/answer.h"
#include "tuner/remote/exchange.h"
#include "tuner/remote/serving.h"
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
    struct code_facts facts = {0};
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
        if (!err.code || compiled.packed || compiled.entry)
            abort();
    } else if ((compiled.outcome == OUTCOME_OK) != ((compiled.packed || compiled.cubin) && compiled.entry)) {
        abort();
    }
    message->payload = NULL;
    compile_result_unpack(&compiled, NULL);
    compile_result_release(&compiled);
    if (js_find(&at, &root, "facts") && !code_facts_get(&facts, &root, "facts", NULL) && !facts.known)
        abort();
    code_facts_release(&facts);
}

static struct store store;

static void close_store(void)
{
    store_close(&store);
}

/* As a worker reads a request, whose contents are what was sent last. Nothing is done for it. */
static void take_request(struct message *message)
{
    static char no_compiler;
    static const struct serve_options options = {.compiler = (struct compiler *)&no_compiler, .gpu_count = 1};
    struct errand *errand = calloc(1, sizeof *errand);
    struct map machines = {0};

    if (!errand)
        return;
    if (!*store.root) {
        if (store_open(&store, NULL))
            abort();
        atexit(close_store);
    }
    store_put(&store, message->payload, message->payload_bytes, NULL);
    errand->options = &options;
    errand->message = *message;
    *message = (struct message){0};
    errand_read(errand, &store, &machines);
    if (!errand->err.code && !errand->measure && !errand->text && !errand->compiled.cubin)
        abort();
    errand_free(errand);
    machines_release(&machines);
}

static void take_all(struct wire *wire)
{
    struct message message;
    struct js_at root, at;
    bool whole = true;

    while (whole && !wire_next(&message, &whole, wire, NULL)) {
        root = js_root(message.head, "fuzz");
        if (whole && js_find(&at, &root, "ask"))
            take_request(&message);
        else if (whole)
            take(&message);
        message_release(&message);
    }
}

/* As frames, which a hash protects; and as the head and payload of one, since none of those gets through. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const size_t head = strnlen((const char *)bytes, size);
    const size_t begin = head < size ? head + 1 : size; /* a zero stands between them */
    const struct part payload = {bytes + begin, size - begin};
    struct wire from, to;
    struct json *json;
    int ends[2];

    if (size > 32768 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) /* what a socket takes at once */
        return 0;
    wire_init(&from, ends[0], ends[0]);
    wire_init(&to, ends[1], ends[1]);
    if (!js_read_text(&json, (const char *)bytes, head, "fuzz", NULL)) {
        for (int i = 0; i < 2; i++) /* the first is packed otherwise than what follows */
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
