/* What a worker refuses to do: everything that would touch a file of its host which it was not sent. */
#include "check.h"

#include "tuner/remote/serving.h"

#include <unistd.h>

static struct store store;
static struct map machines;
/* Errands that are refused never reach it. */
static char no_compiler;
static const struct serve_options options = {.compiler = (struct compiler *)&no_compiler, .gpu_count = 1};
static atomic_bool stop;

/* Reads a request whose $K stands for the key of the content `text`, which is there. */
static struct errand *read_errand(const char *request, const char *text)
{
    struct errand *errand = calloc(1, sizeof *errand);
    char hex[33], *head = strdup(request), *at;
    struct key key;

    key = key_bytes(text, strlen(text));
    assert_int_equal(store_put(&store, text, strlen(text), NULL), 0);
    key_hex(hex, key);
    while ((at = strstr(head, "$K"))) {
        char *longer = NULL;

        assert_true(asprintf(&longer, "%.*s%s%s", (int)(at - head), head, hex, at + 2) > 0);
        free(head);
        head = longer;
    }
    errand->options = &options;
    errand->stop = &stop;
    assert_int_equal(js_read_text(&errand->message.head, head, strlen(head), "test", NULL), 0);
    errand_read(errand, &store, &machines);
    free(head);
    return errand;
}

#define COMPILE(source, files, options)                                                                      \
    "{\"ask\":\"compile\",\"source\":\"" source "\",\"files\":" files ",\"options\":" options                \
    ",\"tuned\":0,\"name\":\"k\",\"arch\":\"sm_90\",\"deadline_s\":1}"
#define ONE "[{\"path\":\"/a/k.cu\",\"key\":\"$K\",\"shown\":\"k.cu\"}]"

static void refuses(void **state)
{
    static const struct {
        const char *request, *why;
    } cases[] = {
        {COMPILE("/a/k.cu", "[{\"path\":\"/a/../../../etc/k.cu\",\"key\":\"$K\",\"shown\":\"\"}]", "[]"),
         "no file of a worker is called so"},
        {COMPILE("/a/k.cu", "[{\"path\":\"a/k.cu\",\"key\":\"$K\",\"shown\":\"\"}]", "[]"),
         "no file of a worker is called so"},
        {COMPILE("/a/k.cu", "[{\"path\":\"/a//k.cu\",\"key\":\"$K\",\"shown\":\"\"}]", "[]"),
         "no file of a worker is called so"},
        {COMPILE("/a/k.cu", "[{\"path\":\"/a/./k.cu\",\"key\":\"$K\",\"shown\":\"\"}]", "[]"),
         "no file of a worker is called so"},
        {COMPILE("/etc/hostname", ONE, "[]"), "the source is not among the files"},
        {COMPILE("/a/k.cu", ONE, "[\"-I/etc\"]"), "the option names a file"},
        {COMPILE("/a/k.cu", ONE, "[\"-include\", \"/etc/hostname\"]"), "the option names a file"},
        {COMPILE("/a/k.cu", ONE, "[\"--pre-include=x.h\"]"), "the option names a file"},
        {COMPILE("/a/k.cu", ONE, "[\"/etc/hostname\"]"), "the option names a file"},
        {COMPILE("/a/k.cu", ONE, "[\"--options-file=x\"]"), "a spec may not"},
        {COMPILE("/a/k.cu", ONE, "[\"--time=x\"]"), "a spec may not"},
        {COMPILE("/a/k.cu", ONE, "[{\"include\":\"/../etc\"}]"), "no file of a worker is called so"},
        {"{\"ask\":\"trial\",\"gpu\":1}", "there is no such GPU here"},
        {"{\"ask\":\"run\",\"command\":\"id\"}", "nobody can do \"run\""},
        {"{\"ask\":7}", "ask"},
        {"{}", "ask"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errand *errand = read_errand(cases[i].request, "void k() {}");

        if (!errand->err.code || !strstr(errand->err.text, cases[i].why))
            fail_msg("%s: \"%s\"", cases[i].request, errand->err.text);
        errand_free(errand);
    }
    assert_int_not_equal(access("/etc/k.cu", F_OK), 0);
}

/* What the compiler would look for elsewhere is left to the controller. */
static void leaves_includes_of_its_host(void **state)
{
    static const char *const sources[] = {
        "#include \"/etc/hostname\"\n",
        "#include <../../../../etc/hostname>\n",
        "#include \"../../../../../../etc/hostname\"\n",
        "#define A <a.h>\n#include A\n",
        "#if __has_include(<a.h>)\n#endif\n",
    };

    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct errand *errand = read_errand(COMPILE("/a/k.cu", ONE, "[]"), sources[i]);

        assert_int_equal(errand->err.code, 0);
        errand_run(errand);
        if (!errand->unfit[0])
            fail_msg("%s would be compiled", sources[i]);
        errand_free(errand);
    }
}

/* A content that it does not have is asked for again; one that it has is not read by the name of a fill. */
static void says_what_is_missing(void **state)
{
    struct errand *errand = read_errand(
        COMPILE("/a/k.cu",
                "[{\"path\":\"/a/k.cu\",\"key\":\"00000000000000000000000000000001\",\"shown\":\"\"}]", "[]"),
        "x");

    assert_true(errand->missing);
    errand_free(errand);
    errand = read_errand(
        "{\"ask\":\"trial\",\"gpu\":0,\"entry\":\"k\",\"code\":\"$K\",\"inputs\":{},\"protocol\":{\"cold\":"
        "false,"
        "\"relative\":0,\"absolute\":0,\"samples_min\":1,\"samples_max\":1,\"sample_s\":1,\"interval\":1,"
        "\"deadline_s\":1,\"give_up_s\":0,\"rival_s\":0,\"energy_s\":0},\"give_up_s\":2,\"rival_s\":3,"
        "\"launch\":{\"grid\":[1,1,1],"
        "\"block\":[1,1,1],"
        "\"cluster\":[1,1,1]"
        ",\"cooperative\":false,\"programmatic\":false,\"shared\":0,"
        "\"carveout\":-1,\"arguments\":[]},\"reference\":{\"files\":{\"out\":\"/etc/hostname\"}}}",
        "code");
    if (!strstr(errand->err.text, "/etc/hostname: the file was not sent"))
        fail_msg("%s", errand->err.text);
    assert_true(errand->protocol.give_up_s == 2 && errand->protocol.rival_s == 3);
    errand_free(errand);
}

/* Files, arguments and protocol may be contents, whose text is read as if it stood in the request. */
static void takes_shared_parts(void **state)
{
    static const struct {
        const char *request, *content, *why;
    } cases[] = {
        {COMPILE("/a/k.cu", "\"$K\"", "[]"), "[{\"path\":\"/../k.cu\",\"key\":\"$K\",\"shown\":\"\"}]",
         "is no content key"},
        {COMPILE("/a/k.cu", "\"$K\"", "[]"), "[7]", "files[0]: expected an object"},
        {COMPILE("/a/k.cu", "\"$K\"", "[]"), "[]", "the source is not among the files"},
        {COMPILE("/a/k.cu", "\"$K\"", "[]"), "[{", "files: "},
        {COMPILE("/a/k.cu", "\"00000000000000000000000000000001\"", "[]"), "", "a content is not here"},
        {COMPILE("/a/k.cu", "\"short\"", "[]"), "", "is no content key"},
        {"{\"ask\":\"trial\",\"gpu\":0,\"protocol\":\"$K\"}", "{}", "\"cold\" is missing"},
        {"{\"ask\":\"trial\",\"gpu\":0,\"protocol\":\"$K\"}", "[]", "expected an object"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errand *errand = read_errand(cases[i].request, cases[i].content);

        if (!errand->err.code || !strstr(errand->err.text, cases[i].why))
            fail_msg("%s: \"%s\"", cases[i].request, errand->err.text);
        errand_free(errand);
    }
}

static int open_all(void **state)
{
    return store_open(&store, NULL);
}

static int close_all(void **state)
{
    store_close(&store);
    machines_release(&machines);
    return 0;
}

int main(void)
{
    return RUN_TESTS_IN(open_all, close_all, refuses, leaves_includes_of_its_host, says_what_is_missing,
                        takes_shared_parts);
}
