/* The cache of compiled code: what it answers for, what it never keeps, and how large it gets. */
#include "compile_fixture.h"

#include "base/hash.h"
#include "gpu/compile_cache.h"
#include "gpu/compile_writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Flips one byte of every file in the cache; returns their number. */
static int corrupt_cache(const char *cache)
{
    char command[300];

    snprintf(command, sizeof command,
             "for f in %s/*.cubin; do printf X | dd of=$f bs=1 seek=200 conv=notrunc status=none; done",
             cache);
    return system(command);
}

static void test_cache(void **state)
{
    struct compiler *compiler;
    struct compile_result first, again;
    struct compile_request request;
    const char *defines[] = {"-DVALUE=4"};
    char cache[200];

    snprintf(cache, sizeof cache, "%s/deep/cache", directory);
    compiler = open_compiler(cache);
    write_text("c.cu", "#include \"c.cuh\"\nextern \"C\" __global__ void k(float *a) { *a = VALUE; }\n");
    write_text("c.cuh", "#ifndef VALUE\n#define VALUE 3\n#endif\n");
    assert_int_equal(compile(&first, compiler, request_of("c.cu", "k")), OUTCOME_OK);
    assert_false(first.cached);
    assert_int_equal(compile(&again, compiler, request_of("c.cu", "k")), OUTCOME_OK);
    assert_true(again.cached);
    assert_int_equal(again.cubin_bytes, first.cubin_bytes);
    assert_memory_equal(again.cubin, first.cubin, first.cubin_bytes);
    check_near(again.compile_s, first.compile_s, 1e-9);
    assert_string_equal(again.entry, "k");
    compile_result_release(&again);

    request = request_of("c.cu", "k");
    request.options = defines;
    request.option_count = 1;
    compile(&again, compiler, request);
    assert_false(again.cached); /* another option */
    compile_result_release(&again);

    assert_int_equal(corrupt_cache(cache), 0);
    compile(&again, compiler, request_of("c.cu", "k"));
    assert_false(again.cached); /* a damaged entry is no entry */
    assert_memory_equal(again.cubin, first.cubin, first.cubin_bytes);
    compile_result_release(&again);

    write_text("c.cuh", "#define VALUE 5\n");
    compile(&again, compiler, request_of("c.cu", "k"));
    assert_false(again.cached); /* another header */
    compile_result_release(&again);
    compile_result_release(&first);
    compiler_close(compiler);
}

static void test_unwritable_cache(void **state)
{
    struct compiler *compiler = open_compiler("/proc/no/cache/here");
    struct compile_result result;

    write_text("k.cu", "extern \"C\" __global__ void plain(float *a) { *a = 1; }\n");
    assert_int_equal(compile(&result, compiler, request_of("k.cu", "plain")), OUTCOME_OK);
    compile_result_release(&result);
    compiler_close(compiler);
}

static enum outcome compile_with_fake(struct compile_result *out, const char *cache, const char *text)
{
    struct compiler *compiler;
    struct err err = {0};
    enum outcome outcome;

    write_text("fake.cu", text);
    check_ok(compiler_open(&compiler, getenv("FAKE_NVRTC"), cache, &err), &err);
    outcome = compile(out, compiler, request_of("fake.cu", "k"));
    compiler_close(compiler);
    return outcome;
}

static void test_own_failures_are_not_kept(void **state)
{
    static const struct {
        const char *source, *diagnostic;
        bool own;
    } cases[] = {
        {"no memory", "NVRTC_ERROR_OUT_OF_MEMORY", true},
        {"internal", "NVRTC_ERROR_INTERNAL_ERROR", true},
        {"wrong", "k.cu(1): error: as told", false},
    };
    struct compile_result result;
    char cache[200];

    snprintf(cache, sizeof cache, "%s/own", directory);
    for (size_t k = 0; k < 6; k++) {
        assert_int_equal(compile_with_fake(&result, cache, cases[k / 2].source), OUTCOME_COMPILE);
        assert_string_equal(result.diagnostic, cases[k / 2].diagnostic);
        assert_int_equal(result.own_failure, cases[k / 2].own);
        assert_int_equal(result.cached, !cases[k / 2].own && k % 2 == 1);
        if (!cases[k / 2].own)
            assert_non_null(strstr(result.log, "k.cu(1): error: as told"));
        compile_result_release(&result);
    }
}

/* The fake knows sm_90 and sm_100. */
static void test_unknown_architectures_are_refused(void **state)
{
    static const char *const known[] = {"sm_90", "sm_90a", "sm_100", "sm_100f"}, *const unknown[] = {
                                                                                     "sm_9",  "sm_999",
                                                                                     "sm_10", "sm_75",
                                                                                     "sm_",   "hopper",
                                                                                     ""};
    struct compiler *compiler;
    struct err err = {0};

    check_ok(compiler_open(&compiler, getenv("FAKE_NVRTC"), NULL, &err), &err);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (compiler_check_arch(compiler, known[i], &err))
            fail_msg("%s: %s", known[i], err.text);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        err_clear(&err);
        assert_int_equal(compiler_check_arch(compiler, unknown[i], &err), ERR_USAGE);
        assert_non_null(strstr(err.text, "NVRTC 13.0 does not compile for"));
        assert_non_null(strstr(err.text, "it knows sm_90 sm_100"));
    }
    compiler_close(compiler);
}

/* Entries put in by hand: whatever they claim, what is read is of the key asked for, or nothing. */
static void entry_name(char out[300], const char *cache, struct key key)
{
    char hex[33];

    key_hex(hex, key);
    snprintf(out, 300, "%s/%s.cubin", cache, hex);
}

static void put_code(const char *cache, struct key key, const char *code)
{
    struct compile_result result = {.outcome = OUTCOME_OK,
                                    .cubin = (unsigned char *)code,
                                    .cubin_bytes = strlen(code),
                                    .entry = (char *)"k"};

    compile_cache_write(&result, cache, key);
}

/* An entry whose checksum fits, with this head behind the key and length, and this payload. */
static void put_forged(const char *cache, struct key key, size_t bytes, const char *head, const char *payload)
{
    char path[300], rest[600], hex[33], sum[17];
    FILE *file;

    entry_name(path, cache, key);
    key_hex(hex, key);
    snprintf(rest, sizeof rest, "{\"key\": \"%s\", \"bytes\": %zu, %s}\n%s", hex, bytes, head, payload);
    hash_hex(sum, hash_bytes(HASH_START, rest, strlen(rest)));
    file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "occutune-cubin-2 %s\n%s", sum, rest);
    fclose(file);
}

static bool reads(const char *cache, struct key key, const char *wanted)
{
    struct compile_result result;
    char path[300];
    bool found;

    found = compile_cache_read(&result, cache, key);
    if (found && wanted)
        assert_memory_equal(result.cubin, wanted, strlen(wanted));
    if (found)
        compile_result_release(&result);
    entry_name(path, cache, key);
    assert_int_equal(access(path, F_OK), found ? 0 : -1); /* what is no entry is removed */
    return found;
}

/* What came packed is kept so, and read unpacked; one of another content is removed. */
static void test_packed_entries(void **state)
{
    static char code[] = "code code code code code code code code code code code code";
    const struct key key = {7, 8};
    struct compile_result result = {.outcome = OUTCOME_OK,
                                    .cubin = (unsigned char *)code,
                                    .cubin_bytes = sizeof code,
                                    .entry = (char *)"k"};
    char cache[200];

    snprintf(cache, sizeof cache, "%s/packed", directory);
    compile_cache_make(cache);
    assert_int_equal(compile_result_pack(&result, NULL), 0);
    result.cubin = NULL;
    compile_cache_write(&result, cache, key);
    assert_true(reads(cache, key, code));
    result.content.high++;
    compile_cache_write(&result, cache, key);
    assert_false(reads(cache, key, NULL));
    result.content.high--;
    result.packed_bytes--;
    compile_cache_write(&result, cache, key);
    assert_false(reads(cache, key, NULL));
    free(result.packed);
}

static void test_an_entry_is_of_its_key(void **state)
{
    const struct key one = {1, 2}, other = {1, 3};
    char cache[200], a[300], b[300], c[300];

    snprintf(cache, sizeof cache, "%s/keys", directory);
    compile_cache_make(cache);
    put_code(cache, one, "the one");
    put_code(cache, other, "the other");
    assert_true(reads(cache, one, "the one"));
    assert_true(reads(cache, other, "the other"));
    entry_name(a, cache, one);
    entry_name(b, cache, other);
    snprintf(c, sizeof c, "%s/between", cache);
    assert_int_equal(rename(a, c) | rename(b, a) | rename(c, b), 0);
    assert_false(reads(cache, one, NULL));
    assert_false(reads(cache, other, NULL));
}

static void test_forged_entries_are_removed(void **state)
{
    static const struct {
        size_t bytes;
        const char *head, *payload;
        bool good;
    } cases[] = {
        {4, "\"outcome\": \"ok\", \"compile_s\": 1, \"entry\": \"k\"", "code", true},
        {0, "\"outcome\": \"ok\", \"compile_s\": 1, \"entry\": \"k\"", "", false},
        {5, "\"outcome\": \"ok\", \"compile_s\": 1, \"entry\": \"k\"", "code", false},
        {3, "\"outcome\": \"ok\", \"compile_s\": 1, \"entry\": \"k\"", "code", false},
        {4, "\"outcome\": \"nonsense\", \"compile_s\": 1", "code", false},
        {4, "\"outcome\": \"pruned\", \"compile_s\": 1", "code", false},
        {0, "\"outcome\": \"compile\", \"compile_s\": 1, \"diagnostic\": \"no\"", "", true},
        {4, "\"outcome\": \"compile\", \"compile_s\": 1, \"diagnostic\": \"no\"", "text", false},
        {0, "\"compile_s\": 1", "", false},
    };
    const struct key key = {5, 6};
    char cache[200];

    snprintf(cache, sizeof cache, "%s/forged", directory);
    compile_cache_make(cache);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_forged(cache, key, cases[i].bytes, cases[i].head, cases[i].payload);
        if (reads(cache, key, NULL) != cases[i].good)
            fail_msg("case %zu", i);
    }
}

/* Whoever owns the folder could put any code in it. */
static void test_a_cache_of_another_is_not_used(void **state)
{
    struct compile_result result;
    char cache[200];

    snprintf(cache, sizeof cache, "%s/foreign", directory);
    compile_cache_make(cache);
    assert_false(compile_cache_is_foreign(cache));
    if (chown(cache, 12345, (gid_t)-1)) {
        assert_true(compile_cache_is_foreign("/proc/1"));
        skip(); /* only root can make one to compile with */
    }
    assert_true(compile_cache_is_foreign(cache));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(compile_with_fake(&result, cache, "fine"), OUTCOME_OK);
        assert_false(result.cached);
        compile_result_release(&result);
    }
}

static struct compiler *open_with_cache(const char *cache)
{
    struct compiler *compiler;
    struct err err = {0};

    check_ok(compiler_open(&compiler, getenv("FAKE_NVRTC"), cache, &err), &err);
    return compiler;
}

static void expect_found(struct compiler *compiler, uint64_t number, const char *code)
{
    struct compile_result found;

    assert_true(compiler_find(&found, compiler, (struct key){number, 1}));
    assert_true(found.cached);
    assert_string_equal((const char *)found.cubin, code);
    assert_string_equal(found.entry, "k");
    compile_result_release(&found);
}

/* What was compiled elsewhere is there at once, though a thread writes it; and all of it in the end, in as many entries as
 * were kept: more than may wait. Packed or not. */
static void test_what_others_compiled_is_written(void **state)
{
    enum { COUNT = 3 * WRITER_WAITING };
    struct compiler *compiler;
    char cache[200], code[64];

    snprintf(cache, sizeof cache, "%s/others", directory);
    compiler = open_with_cache(cache);
    for (uint64_t k = 0; k < COUNT; k++) {
        struct compile_result result = {.outcome = OUTCOME_OK, .entry = strdup("k"), .compile_s = .5};

        snprintf(code, sizeof code, "the code of the variant %d", (int)k);
        result.cubin = (unsigned char *)strdup(code);
        result.cubin_bytes = strlen(code) + 1;
        if (k % 2)
            assert_int_equal(compile_result_pack(&result, NULL), 0);
        compiler_keep(compiler, (struct key){k, 1}, &result);
        compile_result_release(&result);
        expect_found(compiler, k, code);
    }
    compiler_close(compiler);
    compiler = open_with_cache(cache);
    for (uint64_t k = 0; k < COUNT; k++) {
        snprintf(code, sizeof code, "the code of the variant %d", (int)k);
        expect_found(compiler, k, code);
    }
    compiler_close(compiler);
}

static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;

/* A disk that waits, and says in what order it was written to. */
static void write_slowly(const struct compile_result *result, void *context, struct key key)
{
    uint64_t *written = context;

    pthread_mutex_lock(&disk);
    if (key.low == *written && key.high == result->cubin_bytes)
        ++*written;
    pthread_mutex_unlock(&disk);
}

/* What waits is found until it is written; as it was put, in order, nothing is lost at the end. */
static void test_a_slow_disk_is_waited_for(void **state)
{
    struct compile_result result = {.outcome = OUTCOME_OK,
                                    .cubin = (unsigned char *)"code",
                                    .cubin_bytes = 5},
                          found;
    struct writer writer;
    uint64_t written = 0;

    writer_init(&writer, write_slowly, &written);
    pthread_mutex_lock(&disk);
    for (uint64_t k = 0; k < WRITER_WAITING; k++)
        assert_true(writer_put(&writer, (struct key){k, 5}, &result));
    for (uint64_t k = 0; k < WRITER_WAITING; k++) {
        assert_true(writer_find(&found, &writer, (struct key){k, 5}));
        assert_true(found.cached);
        compile_result_release(&found);
    }
    assert_false(writer_find(&found, &writer, (struct key){0, 6}));
    assert_int_equal(written, 0);
    pthread_mutex_unlock(&disk);
    writer_release(&writer);
    assert_int_equal(written, WRITER_WAITING);
}

static void test_outcomes_have_bounds(void **state)
{
    assert_string_equal(outcome_text((enum outcome) - 1), "unknown");
    assert_string_equal(outcome_text(OUTCOME_COUNT), "unknown");
}

/* A file of the cache, so many bytes, last used so many seconds ago. */
static void put_entry(const char *cache, const char *name, size_t bytes, time_t age_s)
{
    const struct timespec used = {.tv_sec = time(NULL) - age_s};
    const struct timespec times[2] = {used, used};
    char path[300];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", cache, name);
    file = fopen(path, "w");
    assert_non_null(file);
    for (size_t k = 0; k < bytes; k++)
        fputc('x', file);
    fclose(file);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const char *cache, const char *name)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", cache, name);
    return !access(path, F_OK);
}

static void test_cache_is_held_to_its_size(void **state)
{
    char cache[200], name[24];

    snprintf(cache, sizeof cache, "%s/full", directory);
    compile_cache_make(cache);
    for (int k = 0; k < 10; k++) {
        snprintf(name, sizeof name, "%016x.cubin", k);
        put_entry(cache, name, 100, k == 3 ? 0 : 1000 - k);
    }
    put_entry(cache, "somebody-elses.cubin", 5000, 100000);
    put_entry(cache, "new-abcdef", 10, 7200);
    put_entry(cache, "new-ghijkl", 10, 60);
    compile_cache_trim(cache, 1000); /* just fits */
    assert_true(is_there(cache, "0000000000000000.cubin"));
    compile_cache_trim(cache, 999);
    for (int k = 0; k < 10; k++) {
        snprintf(name, sizeof name, "%016x.cubin", k);
        assert_int_equal(is_there(cache, name), k >= 3); /* 3 was used last */
    }
    assert_true(is_there(cache, "somebody-elses.cubin"));
    assert_false(is_there(cache, "new-abcdef"));
    assert_true(is_there(cache, "new-ghijkl"));
    compile_cache_trim("/proc/no/cache/here", 1);
}

int main(void)
{
    return compiler_is_here()
               ? RUN_TESTS_IN(make_directory, remove_directory, test_cache, test_unwritable_cache,
                              test_own_failures_are_not_kept, test_unknown_architectures_are_refused,
                              test_packed_entries, test_an_entry_is_of_its_key,
                              test_forged_entries_are_removed, test_a_cache_of_another_is_not_used,
                              test_what_others_compiled_is_written, test_a_slow_disk_is_waited_for,
                              test_outcomes_have_bounds, test_cache_is_held_to_its_size)
               : 77;
}
