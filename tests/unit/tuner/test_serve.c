/* What a worker does when one of a controller's searches ends: it drops what it compiles for that one alone. */
#include "check.h"

#include "tuner/remote/exchange.h"
#include "tuner/remote/serve.h"
#include "tuner/remote/wire.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Takes a second to compile. */
static const char source[] = "#define A a = __sinf(a) * x[SEARCH] + a;\n"
                             "#define B A A A A A A A A A A\n"
                             "#define C B B B B B B B B B B\n"
                             "#define D C C C C C C C C C C\n"
                             "extern \"C\" __global__ void k(float *x)\n"
                             "{\n    float a = x[0];\n    D D\n    x[1] = a;\n}\n";

static void *run_serve(void *argument)
{
    struct err err = {0};

    serve(argument, &err);
    return NULL;
}

static void send_compile(struct wire *wire, int64_t id, int search)
{
    char head[600], hex[33];

    key_hex(hex, key_bytes(source, strlen(source)));
    snprintf(head, sizeof head,
             "{\"ask\": \"compile\", \"id\": %d, \"search\": %d, \"files\": [{\"path\": \"/a/k.cu\", "
             "\"key\": \"%s\", "
             "\"shown\": \"k.cu\"}], \"options\": [\"-DSEARCH=%d\"], \"tuned\": 1, \"source\": \"/a/k.cu\", "
             "\"name\": \"k\", "
             "\"arch\": \"sm_90\", \"deadline_s\": 60}",
             (int)id, search, hex, search);
    assert_int_equal(wire_put_text(wire, (struct part){head, strlen(head)}, NULL, 0, NULL), 0);
}

/* The next answer's id, and whether the code was compiled. */
static int64_t next_answer(bool *compiled, struct wire *wire)
{
    for (int tries = 0; tries < 600; tries++) {
        struct pollfd sign = {.fd = wire->in, .events = POLLIN};
        struct message message;
        bool whole = true;

        while (!wire_next(&message, &whole, wire, NULL) && whole) {
            struct js_at root = js_root(message.head, "answer"), at;
            int64_t id = -1;

            if (js_find(&at, &root, "id"))
                assert_int_equal(js_integer(&id, &at, NULL), 0);
            *compiled = message.payload_bytes > 0;
            message_release(&message);
            if (id >= 0)
                return id;
        }
        if (poll(&sign, 1, 100) > 0)
            assert_int_equal(wire_receive(wire, NULL), 0);
    }
    fail_msg("no answer came");
    return -1;
}

static void one_search_is_dropped(void **state)
{
    static const char content[] = "{\"content\": true}", drop[] = "{\"drop\": true, \"search\": 1}";
    static const int ids[] = {0, 1, 3, 2};
    struct serve_options options = {.version = "test", .cores = 2};
    struct part text = {source, strlen(source)};
    struct wire wire;
    struct err err = {0};
    pthread_t thread;
    bool compiled;
    int pair[2];

    (void)state;
    if (compiler_open(&options.compiler, NULL, NULL, &err)) {
        print_message("skipped: %s\n", err.text);
        skip();
    }
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    options.in = options.out = pair[1];
    assert_int_equal(pthread_create(&thread, NULL, run_serve, &options), 0);
    wire_init(&wire, pair[0], pair[0]);
    assert_int_equal(wire_put_text(&wire, (struct part){content, sizeof content - 1}, &text, 1, NULL), 0);
    for (int k = 0; k < 4; k++) /* two at a time: the other two wait */
        send_compile(&wire, ids[k], ids[k] % 2);
    usleep(200000);
    assert_int_equal(wire_put_text(&wire, (struct part){drop, sizeof drop - 1}, NULL, 0, NULL), 0);
    for (int k = 0; k < 4; k++) {
        const int64_t id = next_answer(&compiled, &wire);

        assert_int_equal(compiled, id % 2 == 0);
        assert_int_equal(id % 2, k < 2); /* dropped ones are answered at once */
    }
    close(pair[0]);
    pthread_join(thread, NULL);
    close(pair[1]);
    wire_release(&wire);
    compiler_close(options.compiler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_search_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
