#include "check.h"

#include "tuner/remote/dispatch.h"
#include "tuner/remote/fleeting.h"

#include <unistd.h>

/* A file that is too large is the user's trouble, told before anything is read or sent; no worker's. */
static void large_files_are_refused(void **state)
{
    char path[] = "/tmp/ask-XXXXXX";
    const int fd = mkstemp(path);
    struct link link = {.broken.code = ERR_SYSTEM}; /* nothing is sent */
    struct host host = {.link = &link};
    struct argument argument = {
        .kind = ARGUMENT_BUFFER, .name = (char *)"in", .count = 1, .fill = {.kind = FILL_FILE, .path = path}};
    const struct compile_result compiled = {
        .cubin = (unsigned char *)"code", .cubin_bytes = 4, .entry = (char *)"k"};
    struct launch launch;
    struct dispatch_files files;
    struct protocol protocol;
    struct err err = {0};

    launch_init(&launch);
    launch.arguments = &argument;
    launch.argument_count = 1;
    protocol_init(&protocol);
    assert_int_equal(ftruncate(fd, (off_t)WIRE_BYTES_MOST), 0);
    close(fd);
    assert_int_equal(dispatch_files_open(&files, NULL, &err), 0);
    dispatch_trial(&host, 1, &files, 0, &compiled, &launch, NULL, &protocol, &err);
    unlink(path);
    assert_int_equal(err.code, ERR_USAGE);
    if (!strstr(err.text, path) || !strstr(err.text, "a file for workers elsewhere: "))
        fail_msg("%s", err.text);
    dispatch_files_release(&files);
}

/* Where only the preprocessor can tell, or an option names a file, a compile stays here. */
static void some_compiles_cannot_travel(void **state)
{
    static const struct {
        const char *option;
        bool travels;
    } cases[] = {
        {"-DA=b/c", true},  {"-Iinc", true},     {"--include-path=inc", true}, {"-use_fast_math", true},
        {"-I", false},      {"-include", false}, {"--pre-include=a.h", false}, {"inc/a.h", false},
        {"-isystem", false}};
    const struct sources_hash whole = {.complete = true}, part = {0},
                              strange = {.complete = true, .strange = true};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct compile_request request = {.options = &cases[i].option, .option_count = 1};

        if (dispatch_can_travel(&request, &whole) != cases[i].travels)
            fail_msg("%s", cases[i].option);
    }
    assert_true(dispatch_can_travel(&(struct compile_request){0}, &whole));
    assert_false(dispatch_can_travel(&(struct compile_request){0}, &part));
    assert_false(dispatch_can_travel(&(struct compile_request){0}, &strange));
}

/* Heads and payloads of the messages that came. */
static char *sent_text(int in)
{
    struct wire reader;
    size_t size;
    char *text = NULL;
    FILE *stream = open_memstream(&text, &size);
    bool whole = true;

    wire_init(&reader, in, in);
    assert_int_equal(wire_receive(&reader, NULL), 0);
    while (whole) {
        struct message message;
        struct js_line line = {0};

        assert_int_equal(wire_next(&message, &whole, &reader, NULL), 0);
        if (whole) {
            js_line_value(&line, NULL, message.head);
            fprintf(stream, "%.*s %.*s\n", (int)line.length, line.text, (int)message.payload_bytes,
                    (const char *)message.payload);
        }
        js_line_release(&line);
        message_release(&message);
    }
    wire_release(&reader);
    fclose(stream);
    return text;
}

static size_t occurrences(const char *text, const char *what)
{
    size_t count = 0;

    while ((text = strstr(text, what))) {
        count++;
        text++;
    }
    return count;
}

/* Arguments and protocol stand in the first two requests, and are sent once for all others; what the search has found out
 * stands in each. Arguments that are not passed are others. */
static void what_comes_back_is_sent_once(void **state)
{
    struct link link = {0};
    struct host host = {.link = &link};
    struct argument argument = {.kind = ARGUMENT_BUFFER, .name = (char *)"in", .count = 1};
    struct launch launch;
    struct compile_result compiled = {
        .cubin = (unsigned char *)"code", .cubin_bytes = 4, .entry = (char *)"k"};
    struct dispatch_files files;
    struct protocol protocol;
    struct err err = {0};
    char *text;
    int ends[2];

    launch_init(&launch);
    launch.arguments = &argument;
    launch.argument_count = 1;
    protocol_init(&protocol);
    assert_int_equal(pipe(ends), 0);
    wire_init(&link.wire, -1, ends[1]);
    assert_int_equal(dispatch_files_open(&files, NULL, &err), 0);
    for (int i = 0; i < 7; i++) {
        protocol.rival_s = i + 1;
        argument.hidden = i == 6;
        assert_int_equal(dispatch_trial(&host, i, &files, 0, &compiled, &launch, NULL, &protocol, &err), 0);
    }
    text = sent_text(ends[0]);
    assert_int_equal(occurrences(text, "\"name\": \"in\""), 4);
    assert_int_equal(occurrences(text, "\"hidden\": true"), 1);
    assert_int_equal(occurrences(text, "\"samples_min\""), 3);
    assert_int_equal(occurrences(text, "\"rival_s\": 7.0"), 1);
    free(text);
    dispatch_files_release(&files);
    map_release(&link.has);
    wire_release(&link.wire);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    return RUN_TESTS(large_files_are_refused, some_compiles_cannot_travel, what_comes_back_is_sent_once);
}
