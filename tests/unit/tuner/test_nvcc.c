/* nvcc's flags as options of a spec: what is taken in NVRTC's words, what is left out by name, bad commands. */
#include "check.h"
#include "failing.h"

#include "tuner/import/nvcc.h"

#include <unistd.h>

static int read_text(struct nvcc_flags *out, const char *text, struct err *err)
{
    char **words;
    size_t count;
    int rc = command_words(&words, &count, text, err);

    *out = (struct nvcc_flags){0};
    if (!rc)
        rc = nvcc_read(out, (const char *const *)words, count, "/src", err);
    command_words_free(words, count);
    return rc;
}

/* Options and what is left out, as one line. */
static void flat(char *out, size_t size, const struct nvcc_flags *flags)
{
    size_t used = (size_t)snprintf(out, size, "%s:", flags->file ? flags->file : "-"), i;

    for (i = 0; i < flags->option_count; i++)
        used += (size_t)snprintf(out + used, size - used, " %s", flags->options[i]);
    for (i = 0; i < flags->left_count; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "; " : " | ", flags->left[i].option);
}

static void flags_are_taken_in_nvrtcs_words(void **state)
{
    static const struct {
        const char *command, *found;
    } cases[] = {
        {"nvcc", "-:"},
        {"nvcc -c a/k.cu -o k.o", "a/k.cu: | -c; -o k.o"},
        {"CUDA=1 ccache /opt/cuda/bin/nvcc k.cu", "k.cu:"},
        {"nvcc -DA -D B=2 --define-macro=C --define-macro D -UE k.cu", "k.cu: -DA -DB=2 -DC -DD -UE"},
        {"nvcc '-DNAME=\"x y\"' -DTWO=\\\"z\\\" \"-DQ=a\\\\b\" k.cu",
         "k.cu: -DNAME=\"x y\" -DTWO=\"z\" -DQ=a\\b"},
        {"nvcc -Iinc -I /abs -isystem sys --include-path=p,/q k.cu",
         "k.cu: -I/src/inc -I/abs -I/src/sys -I/src/p -I/q"},
        {"nvcc -include pre.h k.cu", "k.cu: --pre-include=/src/pre.h"},
        {"nvcc -std=c++17 --std c++20 k.cu", "k.cu: --std=c++17 --std=c++20"},
        {"nvcc -use_fast_math --use_fast_math -ftz=true -prec-div=false --prec-sqrt false -fmad=false k.cu",
         "k.cu: --use_fast_math --use_fast_math --ftz=true --prec-div=false --prec-sqrt=false --fmad=false"},
        {"nvcc -maxrregcount=64 --maxrregcount 32 k.cu", "k.cu: --maxrregcount=64 --maxrregcount=32"},
        {"nvcc -Xptxas -v,-O3 -Xptxas=-dlcm=cg --ptxas-options=--warn-on-spills k.cu",
         "k.cu: --ptxas-options=-O3 --ptxas-options=-dlcm=cg | -Xptxas -v; -Xptxas --warn-on-spills"},
        {"nvcc -arch=sm_90 -arch sm_80 -gencode arch=compute_90,code=sm_90 -rdc=true k.cu",
         "k.cu: | -arch=sm_90; -arch sm_80; -gencode arch=compute_90,code=sm_90; -rdc=true"},
        {"nvcc -O3 -g -G -Xcompiler -Wall,-fPIC -lcublas -L/lib -m64 k.cu",
         "k.cu: | -O3; -g; -G; -Xcompiler -Wall,-fPIC; -lcublas; -L/lib; -m64"},
        {"nvcc --expt-relaxed-constexpr --weird -Wweird @more --options-file f k.cu lib.a",
         "k.cu: | --expt-relaxed-constexpr; --weird; -Wweird; @more; --options-file f; lib.a"},
        {"nvcc -lineinfo -restrict -w k.cu", "k.cu: --generate-line-info --restrict --disable-warnings"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct nvcc_flags flags;
        struct err err = {0};
        char found[1024];

        if (read_text(&flags, cases[k].command, &err))
            fail_msg("%s: %s", cases[k].command, err.text);
        flat(found, sizeof found, &flags);
        assert_string_equal(found, cases[k].found);
        nvcc_flags_release(&flags);
    }
}

static void bad_commands_are_explained(void **state)
{
    static const struct {
        const char *command, *text;
    } cases[] = {
        {"", "the command does not call nvcc: it is empty"},
        {"g++ -c k.cc", "the command does not call nvcc: g++"},
        {"nvcc k.cu -I", "the command: -I needs a value"},
        {"nvcc k.cu -Xptxas", "the command: -Xptxas needs a value"},
        {"nvcc a.cu b.cu", "the command compiles a.cu and b.cu: give that of one source"},
        {"nvcc 'k.cu", "the command: a quote does not end"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct nvcc_flags flags;
        struct err err = {0};

        assert_int_equal(read_text(&flags, cases[k].command, &err), ERR_USAGE);
        assert_string_equal(err.text, cases[k].text);
        assert_null(flags.options);
    }
}

/* compile_commands.json ---------------------------------------------------- */

static const char *const database = "test_nvcc_commands.json";

static void write_database(const char *text)
{
    FILE *file = fopen(database, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char two[] =
    "[{\"directory\": \"/b\", \"file\": \"/s/one.cu\", \"command\": \"nvcc -Ii -c /s/one.cu\"},"
    " {\"directory\": \"/b\", \"file\": \"/s/host.cc\", \"command\": \"g++ -c /s/host.cc\"},"
    " {\"directory\": \"/b\", \"file\": \"/s/two.cu\", \"arguments\": [\"nvcc\", \"-DX=a b\","
    " \"/s/two.cu\"]}]";

static void a_database_is_read(void **state)
{
    static const struct {
        const char *text, *file, *found;
    } cases[] = {
        {two, "one.cu", "/s/one.cu: -I/b/i | -c"},
        {two, "/s/two.cu", "/s/two.cu: -DX=a b"},
        {two, "s/two.cu", "/s/two.cu: -DX=a b"},
        {two, NULL,
         "test_nvcc_commands.json: has 2 commands for a .cu file: name one with --file: /s/one.cu, "
         "/s/two.cu"},
        {two, "wo.cu", "test_nvcc_commands.json: has no command for wo.cu"},
        {two, "host.cc", "the command does not call nvcc: g++"},
        {"[]", NULL, "test_nvcc_commands.json: has no command for a .cu file"},
        {"{}", NULL, "test_nvcc_commands.json: expected a list, found an object"},
        {"[{\"file\": \"a.cu\"}]", NULL, "test_nvcc_commands.json[0]: the field \"directory\" is missing"},
        {"[{\"file\": \"a.cu\", \"directory\": \"/\"}]", NULL,
         "test_nvcc_commands.json[0]: the field \"command\" is missing"},
        {"[{\"file\": \"a.cu\", \"directory\": \"/\", \"arguments\": [3]}]", NULL,
         "test_nvcc_commands.json[0].arguments[0]: expected a string, found an integer"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct nvcc_flags flags;
        struct err err = {0};
        char found[1024];

        write_database(cases[k].text);
        if (nvcc_read_database(&flags, database, cases[k].file, &err))
            snprintf(found, sizeof found, "%s", err.text);
        else
            flat(found, sizeof found, &flags);
        assert_string_equal(found, cases[k].found);
        nvcc_flags_release(&flags);
    }
    unlink(database);
}

static int everything(struct err *err)
{
    struct nvcc_flags flags;
    int rc = nvcc_read_database(&flags, database, "two.cu", err);

    nvcc_flags_release(&flags);
    if (!rc)
        rc = read_text(&flags, "nvcc -Ia,b -O3 -Xptxas -v,-O1 k.cu", err);
    nvcc_flags_release(&flags);
    return rc;
}

static void allocations_may_fail(void **state)
{
    write_database(two);
    fail_each(everything);
    unlink(database);
}

int main(void)
{
    return RUN_TESTS(flags_are_taken_in_nvrtcs_words, bad_commands_are_explained, a_database_is_read,
                     allocations_may_fail);
}
