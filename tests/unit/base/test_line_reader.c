#include "check.h"

#include "base/line_reader.h"

#include <fcntl.h>
#include <unistd.h>

enum { MOST = 8 };

struct source {
    struct line_reader lines;
    int write;
};

static int open_source(void **state)
{
    static struct source source;
    int ends[2];

    if (pipe(ends) || line_reader_open(&source.lines, ends[0], MOST, NULL))
        return -1;
    source.write = ends[1];
    *state = &source;
    return 0;
}

static int close_source(void **state)
{
    struct source *source = *state;

    close(source->lines.fd);
    if (source->write >= 0)
        close(source->write);
    line_reader_release(&source->lines);
    return 0;
}

static void put(const struct source *source, const char *text)
{
    assert_int_equal(write(source->write, text, strlen(text)), strlen(text));
}

static void put_end(struct source *source)
{
    close(source->write);
    source->write = -1;
}

static void expect(struct source *source, const char *line)
{
    assert_int_equal(line_reader_next(&source->lines, 0), LINE_WHOLE);
    assert_string_equal(source->lines.line, line);
    assert_int_equal(source->lines.length, strlen(line));
}

/* However many are written at once, and in however many parts. */
static void lines_come_one_by_one(void **state)
{
    struct source *source = *state;

    put(source, "a\n\n12345678\nb");
    expect(source, "a");
    expect(source, "");
    expect(source, "12345678");
    assert_int_equal(line_reader_next(&source->lines, 0), LINE_NONE);
    put(source, "c\nlast");
    expect(source, "bc");
    assert_int_equal(line_reader_next(&source->lines, 1), LINE_NONE);
    put_end(source);
    expect(source, "last");
    assert_int_equal(line_reader_next(&source->lines, -1), LINE_END);
    assert_int_equal(line_reader_next(&source->lines, -1), LINE_END);
}

static void long_lines_are_left_out(void **state)
{
    struct source *source = *state;

    put(source, "123456789\na\n1234567890123456");
    assert_int_equal(line_reader_next(&source->lines, 0), LINE_LONG);
    expect(source, "a");
    assert_int_equal(line_reader_next(&source->lines, 0), LINE_NONE);
    put(source, "78901234567890\nb\n1234567890");
    assert_int_equal(line_reader_next(&source->lines, 0), LINE_LONG);
    expect(source, "b");
    put_end(source);
    assert_int_equal(line_reader_next(&source->lines, 0), LINE_LONG);
    assert_int_equal(line_reader_next(&source->lines, 0), LINE_END);
}

/* A zero within a line does not hide what follows. */
static void zeros_are_bytes(void **state)
{
    struct source *source = *state;

    assert_int_equal(write(source->write, "a\0b\n", 4), 4);
    assert_int_equal(line_reader_next(&source->lines, 0), LINE_WHOLE);
    assert_int_equal(source->lines.length, 3);
    assert_memory_equal(source->lines.line, "a\0b", 4);
}

/* Whoever waits for so long is asked again while bytes of a line come that does not end. */
static void an_endless_line_holds_nobody_up(void **state)
{
    const int zeros = open("/dev/zero", O_RDONLY);
    struct line_reader lines;

    (void)state;
    assert_true(zeros >= 0);
    assert_int_equal(line_reader_open(&lines, zeros, MOST, NULL), 0);
    for (int k = 0; k < 3; k++)
        assert_int_equal(line_reader_next(&lines, 0), LINE_NONE);
    line_reader_release(&lines);
    close(zeros);
}

int main(void)
{
    return RUN_TESTS_EACH(open_source, close_source, lines_come_one_by_one, long_lines_are_left_out,
                          zeros_are_bytes, an_endless_line_holds_nobody_up);
}
