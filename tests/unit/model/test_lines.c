/* Lines of a cubin that NVRTC made with -lineinfo (tests/data/cubin/lines.cubin), and of damaged ones. */
#include "check.h"

#include "base/file.h"
#include "base/hash.h"
#include "model/sass/lines.h"

static const char path[] = "tests/data/cubin/lines.cubin";

static void open_kernel(struct cubin *cubin, const struct cubin_kernel **kernel, const char *name)
{
    struct err err = {0};

    check_ok(cubin_read(cubin, path, &err) || cubin_find(kernel, cubin, name, &err), &err);
}

static void expect_line(const struct lines *lines, uint32_t pc, const char *file, unsigned line)
{
    const char *found = NULL;
    unsigned at = 0;

    assert_true(lines_find(&found, &at, lines, pc));
    assert_string_equal(found, file);
    assert_int_equal(at, line);
}

/* As readelf --debug-dump=decodedline says. */
static void says_where_instructions_come_from(void **state)
{
    const struct cubin_kernel *kernel;
    struct cubin cubin;
    struct lines lines;
    const char *file;
    unsigned line;

    open_kernel(&cubin, &kernel, "k");
    assert_int_equal(lines_read(&lines, &cubin, kernel, NULL), 0);
    expect_line(&lines, 0, "lines.cu", 3);
    expect_line(&lines, 0x10, "lines.cu", 7);
    expect_line(&lines, 0x30, "lines.cu", 5);
    expect_line(&lines, 0x1c0, "lines.h", 3); /* inlined */
    expect_line(&lines, 0x1d0, "lines.cu", 7);
    assert_false(lines_find(&file, &line, &lines, (uint32_t)kernel->code_bytes));
    lines_release(&lines);
    cubin_release(&cubin);
    open_kernel(&cubin, &kernel, "other"); /* a sequence of its own */
    assert_int_equal(lines_read(&lines, &cubin, kernel, NULL), 0);
    expect_line(&lines, 0x10, "lines.cu", 2);
    lines_release(&lines);
    cubin_release(&cubin);
}

static void has_none_without_lineinfo(void **state)
{
    const struct cubin_kernel *kernel;
    struct cubin cubin;
    struct lines lines;
    const char *file;
    unsigned line;

    assert_int_equal(cubin_read(&cubin, "tests/data/cubin/resources-sm_90.cubin", NULL), 0);
    assert_int_equal(cubin_find(&kernel, &cubin, cubin.kernels[0].name, NULL), 0);
    assert_int_equal(lines_read(&lines, &cubin, kernel, NULL), 0);
    assert_int_equal(lines.count, 0);
    assert_false(lines_find(&file, &line, &lines, 0));
    lines_release(&lines);
    cubin_release(&cubin);
}

/* Whatever a table holds: lines, none, or an error; never a read beyond it. */
static void survives_damage(void **state)
{
    size_t size, begin, i, damaged = 0;
    char *image, *copy;
    uint64_t n;

    assert_int_equal(file_read(&image, &size, path, NULL), 0);
    copy = malloc(size);
    assert_non_null(copy);
    begin = 0x6a0; /* of .debug_line, 0x136 bytes */
    for (n = 0; n < 20000; n++) {
        const struct cubin_kernel *kernel;
        struct cubin cubin;
        struct lines lines;

        memcpy(copy, image, size);
        for (i = 0; i < 1 + n % 4; i++)
            copy[begin + hash_random(n, 2 * i) % 0x136] = (char)hash_random(n, 2 * i + 1);
        assert_int_equal(cubin_init(&cubin, copy, size, "damaged", NULL), 0);
        assert_int_equal(cubin_find(&kernel, &cubin, "k", NULL), 0);
        if (lines_read(&lines, &cubin, kernel, NULL)) {
            assert_int_equal(lines.count, 0);
            damaged++;
        }
        lines_release(&lines);
        cubin_release(&cubin);
    }
    assert_in_range(damaged, 1, n - 1);
    free(copy);
    free(image);
}

int main(void)
{
    return RUN_TESTS(says_where_instructions_come_from, has_none_without_lineinfo, survives_damage);
}
