/* What a worker does when one of a controller's searches ends: it drops what it compiles for that one alone. */
#include "check.h"

#include "tuner/remote/serve.h"
#include "tuner/remote/wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Takes a second to compile. */
static const char source[] = "#define A a = __sinf(a) * x[SEARCH] + a;\n"
                             "#define B A A A A A A A A A A\n"
                             "#define C B B B B B B B B B B\n"
                             "#define D C C C C C C C C C C\n"
                             "extern \"C\" __global__ void k(float *x)\n"
                             "{\n    float a = x[0];\n    D D\n    x[1] = a;\n}\n";

/* A worker is a process, which ends with what its threads still use. */
static pid_t start_worker(int fd, int other)
{
    struct serve_options options = {.in = fd, .out = fd, .version = "test", .cores = 2};
    struct err err = {0};
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid)
        return pid;
    close(other);
    if (!compiler_open(&options.compiler, NULL, NULL, &err))
        serve(&options, &err);
    compiler_close(options.compiler);
    _exit(0);
}

static bool has_compiler(void)
{
    struct compiler *compiler;
    struct err err = {0};

    if (compiler_open(&compiler, NULL, NULL, &err)) {
        print_message("skipped: %s\n", err.text);
        return false;
    }
    compiler_close(compiler);
    return true;
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
    struct part text = {source, strlen(source)};
    struct wire wire;
    bool compiled;
    pid_t worker;
    int pair[2];

    if (!has_compiler())
        skip();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    worker = start_worker(pair[1], pair[0]);
    close(pair[1]);
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
    assert_int_equal(waitpid(worker, NULL, 0), worker);
    wire_release(&wire);
}

int main(void)
{
    return RUN_TESTS(one_search_is_dropped);
}
