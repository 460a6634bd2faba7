#include "check.h"

#include "tuner/predict/code_facts.h"
#include "tuner/remote/exchange.h"
#include "tuner/remote/wire.h"

#include <sys/socket.h>
#include <unistd.h>

static struct wire a, b;
static int ends[2];

static int open_wires(void **state)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return -1;
    wire_init(&a, ends[0], ends[0]);
    wire_init(&b, ends[1], ends[1]);
    return 0;
}

static int close_wires(void **state)
{
    wire_release(&a);
    wire_release(&b);
    close(ends[0]);
    close(ends[1]);
    return 0;
}

static struct json *head_of(int number)
{
    struct json *head = js_new_object();

    assert_int_equal(js_set_integer(head, "n", number), 0);
    return head;
}

/* Frames larger than what a socket takes arrive whole and in order, however they are cut. */
static void large_frames_arrive(void **state)
{
    enum { BYTES = 3000000, FRAMES = 3 };
    unsigned char *bytes = malloc(BYTES);
    struct part parts[2];
    struct message message;
    uint32_t random = 1;
    int k, got = 0, turns = 0;
    bool whole;

    for (k = 0; k < BYTES; k++)
        bytes[k] = (unsigned char)((random = random * 1664525 + 1013904223) >> 24);
    parts[0] = (struct part){bytes, 1000};
    parts[1] = (struct part){bytes + 1000, BYTES - 1000};
    for (k = 0; k < FRAMES; k++) {
        struct json *head = head_of(k);

        assert_int_equal(wire_put(&a, head, parts, 2, NULL), 0);
        js_free(head);
    }
    assert_true(wire_has_more(&a));
    for (; got < FRAMES && turns < 100000; turns++) {
        assert_int_equal(wire_receive(&b, NULL), 0);
        assert_int_equal(wire_flush(&a, NULL), 0);
        assert_int_equal(wire_next(&message, &whole, &b, NULL), 0);
        if (!whole)
            continue;
        assert_int_equal(message.payload_bytes, BYTES);
        assert_memory_equal(message.payload, bytes, BYTES);
        message_release(&message);
        got++;
    }
    assert_int_equal(got, FRAMES);
    free(bytes);
}

/* A frame that is like one before it takes little: each direction is one stream. */
static void alike_frames_are_small(void **state)
{
    enum { BYTES = 20000, FRAMES = 3 };
    unsigned char bytes[BYTES];
    const struct part part = {bytes, BYTES};
    struct message message;
    uint64_t sent = 0;
    bool whole;

    for (int k = 0; k < BYTES; k++)
        bytes[k] = (unsigned char)((k * 2654435761u) >> 13 ^ (k * 40503u) >> 7);
    for (int k = 0; k < FRAMES; k++) {
        struct json *head = head_of(k);

        assert_int_equal(wire_put(&a, head, &part, 1, NULL), 0);
        js_free(head);
        if (k)
            assert_in_range(a.sent_total - sent, 1, 500);
        sent = a.sent_total;
        assert_int_equal(wire_receive(&b, NULL), 0);
        assert_int_equal(wire_next(&message, &whole, &b, NULL), 0);
        assert_true(whole);
        assert_memory_equal(message.payload, bytes, BYTES);
        message_release(&message);
    }
}

/* A stream's piece, whatever follows: a worker of another version can say which it is. */
static void the_first_frame_is_for_all_versions(void **state)
{
    struct compress_stream stream = {0};
    unsigned char frame[256], body[64];
    struct json *head = head_of(7);
    size_t packed, size;

    assert_int_equal(wire_put(&a, head, NULL, 0, NULL), 0);
    js_free(head);
    assert_true(read(ends[1], frame, sizeof frame) > WIRE_HEADER_BYTES);
    packed = frame[4];
    size = frame[8];
    assert_in_range(size, 4, sizeof body);
    assert_int_equal(compress_unpack_next(body, size, &stream, frame + WIRE_HEADER_BYTES, packed, NULL), 0);
    assert_memory_equal(body + 4, "{\"n\": 7}", 8);
    compress_stream_release(&stream);
}

/* Any byte of a frame that is changed is noticed, or makes it wait for more. */
static void damage_is_noticed(void **state)
{
    struct json *head = head_of(7);
    const struct part part = {"some payload, some payload", 26};
    unsigned char frame[256];
    struct message message;
    ssize_t size;
    bool whole;

    assert_int_equal(wire_put(&a, head, &part, 1, NULL), 0);
    js_free(head);
    size = read(ends[1], frame, sizeof frame);
    assert_true(size > WIRE_HEADER_BYTES);
    for (ssize_t i = 0; i < size; i++) {
        struct wire from;

        frame[i] ^= 0x10;
        wire_init(&from, ends[1], ends[1]);
        assert_int_equal(write(ends[0], frame, (size_t)size), size);
        assert_int_equal(wire_receive(&from, NULL), 0);
        if (!wire_next(&message, &whole, &from, NULL) && whole)
            fail_msg("byte %zd", i);
        wire_release(&from);
        frame[i] ^= 0x10;
    }
}

/* Nor one of a short frame, which repeats the one before. */
static void short_damage_is_noticed(void **state)
{
    struct json *head = head_of(7);
    unsigned char frame[256];
    struct message message;
    ssize_t size;
    bool whole;

    for (int k = 0; k < 2; k++)
        assert_int_equal(wire_put(&a, head, NULL, 0, NULL), 0);
    js_free(head);
    size = read(ends[1], frame, sizeof frame);
    frame[size - 2] ^= 1;
    assert_int_equal(write(ends[0], frame, (size_t)size), size);
    assert_int_equal(wire_receive(&b, NULL), 0);
    assert_int_equal(wire_next(&message, &whole, &b, NULL), 0);
    assert_true(whole);
    message_release(&message);
    assert_int_equal(wire_next(&message, &whole, &b, NULL), ERR_FORMAT);
}

/* What is compressed already comes as it is, and a changed byte of it is noticed. */
static void packed_payloads_arrive(void **state)
{
    enum { BYTES = 1000 };
    unsigned char bytes[BYTES], frame[2 * BYTES];
    const struct part part = {bytes, BYTES};
    struct json *head = head_of(7);
    struct message message;
    ssize_t size;
    bool whole;

    for (int k = 0; k < BYTES; k++)
        bytes[k] = (unsigned char)((k * 2654435761u) >> 13);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(wire_put_packed(&a, head, part, NULL), 0);
        assert_int_equal(wire_put(&a, head, NULL, 0, NULL), 0);
        assert_int_equal(wire_receive(&b, NULL), 0);
        assert_int_equal(wire_next(&message, &whole, &b, NULL), 0);
        assert_true(whole && message.payload_bytes == BYTES);
        assert_memory_equal(message.payload, bytes, BYTES);
        message_release(&message);
        assert_int_equal(wire_next(&message, &whole, &b, NULL), 0);
        assert_true(whole && !message.payload_bytes);
        message_release(&message);
    }
    assert_int_equal(wire_put_packed(&a, head, part, NULL), 0);
    js_free(head);
    size = read(ends[1], frame, sizeof frame);
    assert_in_range(size, BYTES, sizeof frame);
    frame[size - 1] ^= 1;
    assert_int_equal(write(ends[0], frame, (size_t)size), size);
    assert_int_equal(wire_receive(&b, NULL), 0);
    assert_int_equal(wire_next(&message, &whole, &b, NULL), ERR_FORMAT);
}

/* Facts of code are read as they were written; other text is refused. */
static void facts_return(void **state)
{
    static const char *const wrong[] = {"", "0", "5 1", "g 1 2 3 4 5 6 7 8 9 a b c d e f 10 11 12 13 14 15",
                                        "1 2 3 4 5 6 7 8 9 a b c d e f 10 11 12 13 14 15 123456789"};
    struct cubin_parameter parameters[] = {{.bytes = 8}, {.bytes = 4}, {.bytes = 160}};
    const struct code_facts sent = {.known = true,
                                    .hash = 0xfedcba9876543210,
                                    .resources = {.sm = 90, .registers = 255, .spill_instructions = 7},
                                    .parameters = parameters,
                                    .parameter_count = 3};
    struct json *object = js_new_object();
    struct js_at root = js_root(object, "test");
    struct code_facts got;

    assert_int_equal(code_facts_set(object, "facts", &sent), 0);
    assert_int_equal(code_facts_get(&got, &root, "facts", NULL), 0);
    assert_true(got.known && got.hash == sent.hash && got.parameter_count == 3);
    assert_memory_equal(&got.resources, &sent.resources, sizeof sent.resources);
    assert_int_equal(got.parameters[2].bytes, 160);
    code_facts_release(&got);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(js_set_string(object, "facts", wrong[k]), 0);
        assert_int_not_equal(code_facts_get(&got, &root, "facts", NULL), 0);
        assert_null(got.parameters);
    }
    js_free(object);
}

/* Packed code is what its key says, or refused. */
static void code_is_checked(void **state)
{
    unsigned char code[5000];
    struct compile_result sent = {.outcome = OUTCOME_OK, .cubin = code, .cubin_bytes = sizeof code}, got;

    for (size_t k = 0; k < sizeof code; k++)
        code[k] = (unsigned char)(k * k >> 7);
    assert_int_equal(compile_result_pack(&sent, NULL), 0);
    got = sent;
    got.cubin = NULL;
    assert_int_equal(compile_result_unpack(&got, NULL), 0);
    assert_memory_equal(got.cubin, code, sizeof code);
    free(got.cubin);
    got.cubin = NULL;
    got.content.low++;
    assert_int_equal(compile_result_unpack(&got, NULL), ERR_FORMAT);
    got.content.low--;
    got.cubin_bytes++;
    assert_int_equal(compile_result_unpack(&got, NULL), ERR_FORMAT);
    got.cubin_bytes = 1 << 30;
    assert_int_equal(compile_result_unpack(&got, NULL), ERR_FORMAT);
    assert_null(got.cubin);
    free(sent.packed);
}

static void other_words_are_quoted(void **state)
{
    struct message message;
    struct err err = {0};
    bool whole;

    assert_int_equal(write(ends[0], "Welcome to node7\n", 17), 17);
    assert_int_equal(wire_receive(&b, NULL), 0);
    assert_int_equal(wire_next(&message, &whole, &b, &err), ERR_FORMAT);
    assert_string_equal(err.text, "what came is no message: \"Welcome to node7\"");
}

/* Lines before the first frame, and what a prompt leaves in its line. */
static void a_greeting_is_skipped(void **state)
{
    static const char text[] = "Welcome to node7\n\n$ ";
    struct json *head = head_of(1);
    struct message message;
    struct err err = {0};
    bool whole;

    b.skips = true;
    assert_int_equal(write(ends[0], text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(wire_receive(&b, NULL), 0);
    assert_int_equal(wire_next(&message, &whole, &b, &err), 0);
    assert_false(whole);
    assert_int_equal(wire_put(&a, head, NULL, 0, NULL), 0);
    assert_int_equal(wire_receive(&b, NULL), 0);
    assert_int_equal(wire_next(&message, &whole, &b, &err), 0);
    assert_true(whole);
    message_release(&message);
    assert_string_equal(b.greeting, "Welcome to node7");
    assert_int_equal(write(ends[0], "later\n", 6), 6);
    assert_int_equal(wire_receive(&b, NULL), 0);
    assert_int_equal(wire_next(&message, &whole, &b, &err), ERR_FORMAT);
    assert_string_equal(err.text, "what came is no message: \"later\"");
    js_free(head);
}

/* Not for ever: neither many lines nor a long one. */
static void who_goes_on_greeting_is_refused(void **state)
{
    char bytes[8192];
    struct message message;
    struct err err = {0};
    bool whole;

    b.skips = true;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i % 64 == 63 ? '\n' : 'y';
    assert_int_equal(write(ends[0], bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(wire_receive(&b, NULL), 0);
    assert_int_equal(wire_next(&message, &whole, &b, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "what came is no message: \"yyyy"));
}

static void the_end_is_told(void **state)
{
    struct err err = {0};

    shutdown(ends[0], SHUT_RDWR);
    assert_int_equal(wire_receive(&b, &err), ERR_SYSTEM);
}

static void keys_and_predictions_return(void **state)
{
    const struct variant_prediction sent = {
        .told = {.predicted = true, .bound_s = 1.0 / 3, .estimate_s = 0.1, .limiter = (enum resource)3},
        .reason = "none",
        .limited_by = LIMITED_DISPATCH,
        .needed_warps = INFINITY,
        .pareto = {NAN, 2}};
    struct json *json = prediction_to_json(&sent), *object = js_new_object();
    struct variant_prediction got;
    struct js_at root = js_root(json, "test");
    struct key key, back;

    assert_int_equal(prediction_from_json(&got, &root, NULL), 0);
    assert_true(got.told.predicted && got.told.bound_s == 1.0 / 3 && got.told.estimate_s == 0.1);
    assert_int_equal(got.told.limiter, 3);
    assert_int_equal(got.limited_by, LIMITED_DISPATCH);
    assert_true(isinf(got.needed_warps) && isnan(got.pareto.efficiency));
    assert_string_equal(got.reason, "none");
    js_free(json);
    key = key_bytes("abc", 3);
    assert_int_equal(content_set(object, "key", key), 0);
    root = js_root(object, "test");
    assert_int_equal(content_get(&back, &root, "key", NULL), 0);
    assert_true(key_equal(key, back));
    js_free(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(large_frames_arrive, open_wires, close_wires),
        cmocka_unit_test_setup_teardown(alike_frames_are_small, open_wires, close_wires),
        cmocka_unit_test_setup_teardown(the_first_frame_is_for_all_versions, open_wires, close_wires),
        cmocka_unit_test_setup_teardown(damage_is_noticed, open_wires, close_wires),
        cmocka_unit_test_setup_teardown(short_damage_is_noticed, open_wires, close_wires),
        cmocka_unit_test_setup_teardown(other_words_are_quoted, open_wires, close_wires),
        cmocka_unit_test_setup_teardown(a_greeting_is_skipped, open_wires, close_wires),
        cmocka_unit_test_setup_teardown(who_goes_on_greeting_is_refused, open_wires, close_wires),
        cmocka_unit_test_setup_teardown(the_end_is_told, open_wires, close_wires),
        cmocka_unit_test_setup_teardown(packed_payloads_arrive, open_wires, close_wires),
        cmocka_unit_test(facts_return),
        cmocka_unit_test(code_is_checked),
        cmocka_unit_test(keys_and_predictions_return),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
