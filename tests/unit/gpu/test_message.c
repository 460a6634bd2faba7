/* gpu/message: what two processes say to each other, whole, in parts, late, and broken off. */
#include "check.h"

#include "base/clock.h"
#include "gpu/message.h"

#include <sys/socket.h>
#include <unistd.h>

static void open_pair(int ends[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
}

static void close_pair(int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static void test_round_trip(void **state)
{
    struct part parts[] = {{"abc", 3}, {NULL, 0}, {"defg", 4}};
    struct json *head = js_new_object();
    struct message message;
    struct err err = {0};
    struct js_at root, at;
    int64_t value;
    int ends[2];

    open_pair(ends);
    assert_int_equal(js_set_integer(head, "value", 42), 0);
    assert_int_equal(message_send(ends[0], head, parts, 3, (struct patience){.timeout_s = 1}, &err), 0);
    assert_int_equal(message_receive(&message, ends[1], (struct patience){.timeout_s = 1}, &err), 0);
    root = js_root(message.head, "message");
    assert_int_equal(js_member(&at, &root, "value", &err), 0);
    assert_int_equal(js_integer(&value, &at, &err), 0);
    assert_int_equal(value, 42);
    assert_int_equal(message.payload_bytes, 7);
    assert_memory_equal(message.payload, "abcdefg", 7);
    message_release(&message);
    js_free(head);
    close_pair(ends);
}

static void test_late(void **state)
{
    double start = clock_wall_s();
    struct message message;
    struct err err = {0};
    int ends[2];

    open_pair(ends);
    assert_int_equal(message_receive(&message, ends[1], (struct patience){.timeout_s = 0.1}, &err),
                     ERR_STOPPED);
    assert_true(clock_wall_s() - start >= 0.1);
    assert_null(message.head);
    assert_int_equal(write(ends[0], "tcco", 4), 4); /* begun, but not ended in time either */
    assert_int_equal(message_receive(&message, ends[1], (struct patience){.timeout_s = 0.1}, NULL),
                     ERR_STOPPED);
    close_pair(ends);
}

static void test_gone(void **state)
{
    struct json *head = js_new_object();
    struct message message;
    struct err err = {0};
    int ends[2];

    open_pair(ends);
    close(ends[0]);
    assert_int_equal(message_receive(&message, ends[1], (struct patience){.timeout_s = 1}, &err), ERR_SYSTEM);
    err_clear(&err);
    assert_int_equal(message_send(ends[1], head, NULL, 0, (struct patience){.timeout_s = 1}, &err),
                     ERR_SYSTEM);
    close(ends[1]);
    js_free(head);
}

static void test_garbage(void **state)
{
    static const char garbage[64] = "HTTP/1.1 400 Bad Request";
    struct message message;
    struct err err = {0};
    int ends[2];

    open_pair(ends);
    assert_int_equal(write(ends[0], garbage, sizeof garbage), sizeof garbage);
    assert_int_equal(message_receive(&message, ends[1], (struct patience){.timeout_s = 1}, &err), ERR_FORMAT);
    assert_null(message.head);
    close_pair(ends);
}

int main(void)
{
    return RUN_TESTS(test_round_trip, test_late, test_gone, test_garbage);
}
