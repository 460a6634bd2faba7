#include "tuner/remote/serve.h"

#include "base/clock.h"
#include "base/compress.h"
#include "base/queue.h"
#include "tuner/remote/exchange.h"
#include "tuner/remote/serving.h"
#include "tuner/remote/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { SEARCHES_MOST = 1024 }; /* of a controller at the same time */

/* Compiles for one search, which a number tells from others of the same controller: those that were given up see their flag;
 * those that come afterwards have the next. */
struct generation {
    atomic_bool stop;
    int64_t search;
    struct generation *before;
};

struct server {
    const struct serve_options *options;
    struct wire wire;
    struct queue *queue; /* lane 0 compiles, lane 1 + g is GPU g */
    int finished;        /* event: some errand has ended */
    struct store store;
    struct map machines;
    struct generation *generations;
    double said_s; /* when something was last sent */
};

static int put(struct server *server, struct json *head, const struct part *payload, bool packed,
               struct err *err)
{
    int rc;

    if (!head)
        rc = err_memory(err);
    else if (packed)
        rc = wire_put_packed(&server->wire, head, *payload, err);
    else
        rc = wire_put(&server->wire, head, payload, payload && payload->size ? 1 : 0, err);
    js_free(head);
    server->said_s = clock_wall_s();
    return rc;
}

static struct json *gpus_json(const struct serve_options *options)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (size_t g = 0; g < options->gpu_count && !failed; g++) {
        struct json *gpu = js_new_object();

        failed = !gpu || js_set(gpu, "device", device_to_json(options->gpus[g].device)) ||
                 js_set_real(gpu, "arithmetic_s", options->gpus[g].pace.arithmetic_s) ||
                 js_set_real(gpu, "memory_s", options->gpus[g].pace.memory_s);
        failed |= js_append(list, gpu);
    }
    return js_unless(failed, list);
}

/* What this host has to offer. */
static struct json *offer(const struct serve_options *options)
{
    struct json *head = js_new_object(), *hello = js_new_object();
    char host[256] = "";
    int failed = !head || !hello;

    if (gethostname(host, sizeof host - 1) || !*host)
        strcpy(host, "unnamed");
    if (!failed)
        failed = js_set_string(hello, "version", options->version) |
                 js_set_integer(hello, "protocol", REMOTE_PROTOCOL) | js_set_string(hello, "host", host) |
                 js_set_integer(hello, "cores", options->compiler ? options->cores : 0) |
                 js_set(hello, "gpus", gpus_json(options)) |
                 (options->compiler ? js_set_string(hello, "nvrtc", compiler_version(options->compiler)) : 0);
    failed = js_set(head, "hello", js_unless(failed, hello));
    return js_unless(failed, head);
}

/* The one that goes on; null when memory ends. */
static struct generation *generation_of(struct server *server, int64_t search)
{
    struct generation *generation = server->generations;

    while (generation && (generation->search != search || atomic_load(&generation->stop)))
        generation = generation->before;
    if (generation)
        return generation;
    generation = calloc(1, sizeof *generation);
    if (!generation)
        return NULL;
    atomic_init(&generation->stop, false);
    generation->search = search;
    generation->before = server->generations;
    server->generations = generation;
    return generation;
}

/* A search has ended: nothing of what is compiled for it is of use any more. What waits sees that when its turn comes. */
static int drop_compiling(struct server *server, int64_t search, struct err *err)
{
    struct generation *generation = generation_of(server, search);

    if (!generation)
        return err_memory(err);
    atomic_store(&generation->stop, true);
    if (server->options->compiler)
        compiler_interrupt(server->options->compiler);
    return 0;
}

static int send_answer(struct server *server, struct errand *errand, struct err *err)
{
    struct part payload;
    struct json *head = errand_answer(&payload, errand);
    const bool packed = errand->compiled.packed && payload.size;
    int rc;

    /* The controller has it from here: what it names next is here. */
    if (errand->compiled.cubin && errand->text)
        store_put(&server->store, errand->compiled.cubin, errand->compiled.cubin_bytes, NULL);
    rc = put(server, head, &payload, packed, err);
    errand_free(errand);
    return rc;
}

static void run(void *argument)
{
    errand_run(argument);
}

static int begin_errand(struct server *server, struct message *message, int64_t id, int64_t search,
                        struct err *err)
{
    struct generation *generation = generation_of(server, search);
    struct errand *errand = generation ? calloc(1, sizeof *errand) : NULL;

    if (!errand)
        return err_memory(err);
    errand->options = server->options;
    errand->message = *message;
    *message = (struct message){0};
    errand->id = id;
    errand->stop = &generation->stop;
    errand_read(errand, &server->store, &server->machines);
    if (errand->err.code)
        return send_answer(server, errand, err);
    return queue_submit(server->queue, errand->measure ? 1 + errand->gpu : 0, run, errand, err);
}

/* Compressed where its size is said. */
static int take_content(struct server *server, const struct message *message, const struct js_at *root,
                        struct err *err)
{
    unsigned char *bytes;
    struct js_at at;
    uint64_t size;
    int rc;

    if (!js_find(&at, root, "bytes"))
        return store_put(&server->store, message->payload, message->payload_bytes, err);
    if (js_unsigned(&size, &at, err) || size > REMOTE_CODE_MOST)
        return ERR_FORMAT;
    rc = compress_unpack(&bytes, size, message->payload, message->payload_bytes, err);
    if (!rc)
        rc = store_put(&server->store, bytes, size, err);
    free(bytes);
    return rc;
}

static int read_search(int64_t *search, const struct js_at *at, struct err *err)
{
    if (js_integer(search, at, err))
        return ERR_FORMAT;
    return *search >= 0 && *search < SEARCHES_MOST ? 0 : js_fail(at, err, "is no number of a search");
}

static int take(struct server *server, struct message *message, struct err *err)
{
    struct js_at root = js_root(message->head, "message"), at;
    int64_t id, search = 0;

    if (js_find(&at, &root, "content"))
        return take_content(server, message, &root, err);
    if (js_find(&at, &root, "search") && read_search(&search, &at, err))
        return ERR_FORMAT;
    if (js_find(&at, &root, "drop"))
        return drop_compiling(server, search, err);
    if (js_member(&at, &root, "id", err) || js_integer(&id, &at, err))
        return ERR_FORMAT;
    return begin_errand(server, message, id, search, err);
}

static int take_all(struct server *server, struct err *err)
{
    struct message message;
    bool whole;
    int rc = wire_next(&message, &whole, &server->wire, err);

    while (!rc && whole) {
        rc = take(server, &message, err);
        message_release(&message);
        if (!rc)
            rc = wire_next(&message, &whole, &server->wire, err);
    }
    return rc;
}

static int answer_all(struct server *server, struct err *err)
{
    eventfd_t count;
    void *argument;
    int rc = 0;

    eventfd_read(server->finished, &count);
    while (!rc && queue_wait(server->queue, &argument, 0))
        rc = send_answer(server, argument, err);
    return rc;
}

static int turn(struct server *server, struct err *err)
{
    struct pollfd signs[] = {{.fd = server->wire.in, .events = POLLIN},
                             {.fd = server->finished, .events = POLLIN},
                             {.fd = wire_has_more(&server->wire) ? server->wire.out : -1, .events = POLLOUT}};
    int rc = 0;

    if (poll(signs, 3, 500) < 0 && errno != EINTR)
        return err_set(err, ERR_SYSTEM, "poll: %s", strerror(errno));
    if (signs[0].revents)
        rc = wire_receive(&server->wire, err);
    if (!rc)
        rc = take_all(server, err);
    if (!rc)
        rc = answer_all(server, err);
    if (!rc)
        rc = wire_flush(&server->wire, err);
    if (!rc && clock_wall_s() - server->said_s > 1) {
        struct json *head = js_new_object();

        rc = put(server, js_unless(!head || js_set_bool(head, "alive", true), head), NULL, false, err);
    }
    return rc;
}

static int open_queue(struct server *server, struct err *err)
{
    const size_t lanes = 1 + server->options->gpu_count;
    unsigned *threads = calloc(lanes, sizeof *threads);
    int rc;

    if (!threads)
        return err_memory(err);
    for (size_t lane = 0; lane < lanes; lane++)
        threads[lane] = lane ? 1 : server->options->cores;
    rc = queue_open(&server->queue, threads, lanes, err);
    free(threads);
    if (!rc)
        queue_notify(server->queue, server->finished);
    return rc;
}

/* What threads may still use stays: the process ends. */
int serve(const struct serve_options *options, struct err *err)
{
    struct server *server = calloc(1, sizeof *server);
    struct err why = {0};
    int rc = server ? 0 : err_memory(err);

    if (rc)
        return rc;
    server->options = options;
    server->finished = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    wire_init(&server->wire, options->in, options->out);
    if (server->finished < 0)
        rc = err_set(err, ERR_SYSTEM, "eventfd: %s", strerror(errno));
    if (!rc)
        rc = store_open(&server->store, err);
    if (!rc)
        rc = open_queue(server, err);
    if (!rc)
        rc = put(server, offer(options), NULL, false, err);
    while (!rc && !why.code)
        turn(server, &why);
    store_close(&server->store);
    if (!rc && why.code != ERR_SYSTEM) /* the controller's end is the way to end */
        rc = err_set(err, (enum err_code)why.code, "%s", why.text);
    return rc;
}
