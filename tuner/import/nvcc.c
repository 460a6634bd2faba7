#include "tuner/import/nvcc.h"

#include "base/array.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char host[] = "of the host's compiler", output[] = "says what nvcc writes",
                  link[] = "of the linker", target[] = "code is made for the GPU that is tuned for",
                  apart[] = "a kernel is compiled by itself, and not linked with others",
                  debug[] = "code for a debugger is not what is to be tuned",
                  report[] = "makes nvcc tell of its work",
                  unread[] = "options in files are not read: give them on the command line";

enum takes {
    NOTHING,
    VALUE, /* after '=', or the next word */
    JOINED /* the same, or right behind the name */
};

/* A flag by its names without dashes; `as` is what NVRTC calls it, null where it does not take it. */
static const struct flag {
    const char *names[3];
    enum takes takes;
    const char *as, *why;
} known[] = {
    {{"D", "define-macro"}, JOINED, "-D", NULL},
    {{"U", "undefine-macro"}, JOINED, "-U", NULL},
    {{"I", "include-path"}, JOINED, "-I", NULL},
    {{"isystem", "system-include"}, VALUE, "-I", NULL},
    {{"include", "pre-include"}, VALUE, "--pre-include=", NULL},
    {{"std"}, VALUE, "--std=", NULL},
    {{"use_fast_math"}, NOTHING, "--use_fast_math", NULL},
    {{"ftz"}, VALUE, "--ftz=", NULL},
    {{"prec-div"}, VALUE, "--prec-div=", NULL},
    {{"prec-sqrt"}, VALUE, "--prec-sqrt=", NULL},
    {{"fmad"}, VALUE, "--fmad=", NULL},
    {{"maxrregcount"}, VALUE, "--maxrregcount=", NULL},
    {{"Xptxas", "ptxas-options"}, VALUE, "--ptxas-options=", NULL},
    {{"restrict"}, NOTHING, "--restrict", NULL},
    {{"extra-device-vectorization"}, NOTHING, "--extra-device-vectorization", NULL},
    {{"lineinfo", "generate-line-info"}, NOTHING, "--generate-line-info", NULL},
    {{"extended-lambda", "expt-extended-lambda"}, NOTHING, NULL, "NVRTC has no such option"},
    {{"w", "disable-warnings"}, NOTHING, "--disable-warnings", NULL},
    {{"diag-suppress"}, VALUE, "--diag-suppress=", NULL},
    {{"expt-relaxed-constexpr"},
     NOTHING,
     NULL,
     "NVRTC has no such option; -default-device takes functions without __device__ for the device's"},
    {{"arch", "gpu-architecture"}, VALUE, NULL, target},
    {{"code", "gpu-code"}, VALUE, NULL, target},
    {{"gencode", "generate-code"}, VALUE, NULL, target},
    {{"rdc", "relocatable-device-code"}, VALUE, NULL, apart},
    {{"dc", "device-c"}, NOTHING, NULL, apart},
    {{"dlto", "dlink-time-opt"}, NOTHING, NULL, apart},
    {{"G", "device-debug"}, NOTHING, NULL, debug},
    {{"g", "debug"}, NOTHING, NULL, host},
    {{"O", "optimize"}, JOINED, NULL, host},
    {{"Xcompiler", "compiler-options"}, VALUE, NULL, host},
    {{"ccbin", "compiler-bindir"}, VALUE, NULL, host},
    {{"forward-unknown-to-host-compiler"}, NOTHING, NULL, host},
    {{"fPIC"}, NOTHING, NULL, host},
    {{"fopenmp"}, NOTHING, NULL, host},
    {{"default-stream"}, VALUE, NULL, host},
    {{"m64"}, NOTHING, NULL, host},
    {{"m", "machine"}, VALUE, NULL, host},
    {{"c", "compile"}, NOTHING, NULL, output},
    {{"o", "output-file"}, VALUE, NULL, output},
    {{"x"}, VALUE, NULL, output},
    {{"shared"}, NOTHING, NULL, output},
    {{"lib"}, NOTHING, NULL, output},
    {{"cubin"}, NOTHING, NULL, output},
    {{"ptx"}, NOTHING, NULL, output},
    {{"fatbin"}, NOTHING, NULL, output},
    {{"keep"}, NOTHING, NULL, output},
    {{"MD"}, NOTHING, NULL, output},
    {{"MMD"}, NOTHING, NULL, output},
    {{"MF"}, VALUE, NULL, output},
    {{"MT"}, VALUE, NULL, output},
    {{"v", "verbose"}, NOTHING, NULL, report},
    {{"resource-usage", "res-usage"}, NOTHING, NULL, report},
    {{"time"}, VALUE, NULL, report},
    {{"t", "threads"}, VALUE, NULL, "compiles of variants go side by side anyway"},
    {{"optf", "options-file"}, VALUE, NULL, unread},
    {{"Xlinker", "linker-options"}, VALUE, NULL, link},
    {{"Xnvlink", "nvlink-options"}, VALUE, NULL, link},
    {{"cudart"}, VALUE, NULL, link},
    {{"L", "library-path"}, JOINED, NULL, link},
    {{"l", "library"}, JOINED, NULL, link},
};
enum { FLAGS = sizeof known / sizeof *known };

/* Of ptxas, what only prints. */
static const char *const printing[] = {
    "-v", "--verbose", "-warn-spills", "--warn-on-spills", "-warn-lmem-usage", "--warn-on-local-memory-usage",
    NULL};

/* Finding ------------------------------------------------------------------ */

static const struct flag *find_exactly(const char *name, size_t length)
{
    for (size_t f = 0; f < FLAGS; f++)
        for (size_t n = 0; n < 3 && known[f].names[n]; n++)
            if (strlen(known[f].names[n]) == length && !memcmp(known[f].names[n], name, length))
                return &known[f];
    return NULL;
}

/* The flag of a word, and where its value stands in it: null where it does not. */
static const struct flag *find_flag(const char **value, const char *word)
{
    const char *name = word + strspn(word, "-"), *equals = strchr(name, '=');
    const struct flag *flag = find_exactly(name, equals ? (size_t)(equals - name) : strlen(name));

    *value = equals ? equals + 1 : NULL;
    if (flag && (flag->takes != NOTHING || !equals))
        return flag;
    flag = word[1] != '-' && *name ? find_exactly(name, 1) : NULL;
    *value = name + 1;
    return flag && flag->takes == JOINED && name[1] ? flag : NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_source(const char *word)
{
    const char *dot = strrchr(base_name(word), '.');

    return dot && (!strcmp(dot, ".cu") || !strcmp(dot, ".cc") || !strcmp(dot, ".cpp") ||
                   !strcmp(dot, ".cxx") || !strcmp(dot, ".c"));
}

/* Taking ------------------------------------------------------------------- */

static int add_option(struct nvcc_flags *out, const char *as, const char *directory, const char *value,
                      size_t length, struct err *err)
{
    const char *slash = *directory ? "/" : "";
    const int rc = ARRAY_GROW(out->options, out->option_count, err);

    if (rc)
        return rc;
    if (asprintf(&out->options[out->option_count], "%s%s%s%.*s", as, directory, slash, (int)length, value) <
        0)
        return err_memory(err);
    out->option_count++;
    return 0;
}

static int leave(struct nvcc_flags *out, const char *option, const char *value, const char *why,
                 struct err *err)
{
    const int rc = ARRAY_GROW(out->left, out->left_count, err);

    if (rc)
        return rc;
    if (asprintf(&out->left[out->left_count].option, "%s%s%s", option, value ? " " : "", value ? value : "") <
        0)
        return err_memory(err);
    out->left[out->left_count++].why = why;
    return 0;
}

static bool is_printing(const char *option, size_t length)
{
    const char *const *name;

    for (name = printing; *name; name++)
        if (strlen(*name) == length && !memcmp(*name, option, length))
            return true;
    return false;
}

/* Lists with commas: folders of headers, which may be relative, and options of ptxas. */
static int take_list(struct nvcc_flags *out, const struct flag *flag, const char *value,
                     const char *directory, struct err *err)
{
    const bool folder = !strcmp(flag->as, "-I");
    char printed[64];
    size_t length;
    int rc = 0;

    for (; !rc && *value; value += length + (value[length] == ',')) {
        length = strcspn(value, ",");
        if (!length)
            continue;
        snprintf(printed, sizeof printed, "%.*s", (int)length, value);
        if (!folder && is_printing(value, length))
            rc = leave(out, "-Xptxas", printed, report, err);
        else
            rc = add_option(out, flag->as, folder && *value != '/' ? directory : "", value, length, err);
    }
    return rc;
}

static int take_flag(struct nvcc_flags *out, const struct flag *flag, const char *word, const char *value,
                     bool apart_from_it, const char *directory, struct err *err)
{
    if (!flag->as)
        return leave(out, word, apart_from_it ? value : NULL, flag->why, err);
    if (!strcmp(flag->as, "-I") || !strcmp(flag->as, "--ptxas-options="))
        return take_list(out, flag, value, directory, err);
    if (!strcmp(flag->as, "--pre-include=") && *value != '/')
        return add_option(out, flag->as, directory, value, strlen(value), err);
    return add_option(out, flag->as, "", value ? value : "", value ? strlen(value) : 0, err);
}

static int take_source(struct nvcc_flags *out, const char *word, struct err *err)
{
    if (!is_source(word))
        return leave(out, word, NULL, "is no source", err);
    if (out->file)
        return err_set(err, ERR_USAGE, "the command compiles %s and %s: give that of one source", out->file,
                       word);
    out->file = strdup(word);
    return out->file ? 0 : err_memory(err);
}

/* The word at *at, and its value, which may be the next. */
static int take_word(struct nvcc_flags *out, const char *const *words, size_t count, size_t *at,
                     const char *directory, struct err *err)
{
    const char *word = words[*at], *value;
    const struct flag *flag;
    bool next = false;

    if (*word == '@')
        return leave(out, word, NULL, unread, err);
    if (*word != '-' || !word[1])
        return take_source(out, word, err);
    flag = find_flag(&value, word);
    if (!flag)
        return leave(out, word, NULL, "NVRTC is not known to have it", err);
    if (flag->takes != NOTHING && !value) {
        next = true;
        if (++*at >= count)
            return err_set(err, ERR_USAGE, "the command: %s needs a value", word);
        value = words[*at];
    }
    return take_flag(out, flag, word, flag->takes == NOTHING ? NULL : value, next, directory, err);
}

int nvcc_read(struct nvcc_flags *out, const char *const *words, size_t count, const char *directory,
              struct err *err)
{
    size_t at;
    int rc = 0;

    *out = (struct nvcc_flags){0};
    for (at = 0; at < count && strcmp(base_name(words[at]), "nvcc"); at++)
        ;
    if (at == count)
        return err_set(err, ERR_USAGE, "the command does not call nvcc: %s",
                       count ? words[0] : "it is empty");
    for (at++; at < count && !rc; at++)
        rc = take_word(out, words, count, &at, directory, err);
    if (rc)
        nvcc_flags_release(out);
    return rc;
}

void nvcc_flags_release(struct nvcc_flags *flags)
{
    for (size_t i = 0; i < flags->option_count; i++)
        free(flags->options[i]);
    for (size_t i = 0; i < flags->left_count; i++)
        free(flags->left[i].option);
    free(flags->options);
    free(flags->left);
    free(flags->file);
    *flags = (struct nvcc_flags){0};
}
