/* A folder for sources and what compiles them: the NVRTC that is here. Without one the tests are skipped,
 * aloud. */
#ifndef COMPILE_FIXTURE_H
#define COMPILE_FIXTURE_H

#include "check.h"

#include "gpu/compile.h"

static char directory[] = "/tmp/occutune-compile-XXXXXX";

static inline void write_text(const char *name, const char *text)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static inline const char *in_directory(const char *name)
{
    static _Thread_local char paths[4][200];
    static _Thread_local unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static inline struct compile_request request_of(const char *name, const char *kernel)
{
    return (struct compile_request){
        .source_path = in_directory(name), .name = kernel, .arch = "sm_90", .deadline_s = 60};
}

/* Compiles without error and gives the outcome; the result stays in `out`. */
static inline enum outcome compile(struct compile_result *out, struct compiler *compiler,
                                   struct compile_request request)
{
    struct err err = {0};

    check_ok(compile_cubin(out, compiler, &request, &err), &err);
    return out->outcome;
}

static inline struct compiler *open_compiler(const char *cache)
{
    struct compiler *compiler;
    struct err err = {0};

    check_ok(compiler_open(&compiler, NULL, cache, &err), &err);
    return compiler;
}

static inline int make_directory(void **state)
{
    return mkdtemp(directory) ? 0 : -1;
}

static inline int remove_directory(void **state)
{
    char command[100];

    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command);
}

static inline bool compiler_is_here(void)
{
    struct compiler *compiler;
    struct err err = {0};

    if (compiler_open(&compiler, NULL, NULL, &err) == ERR_MISSING) {
        fprintf(stderr, "SKIPPED: %s\n", err.text);
        return false;
    }
    compiler_close(compiler);
    return true;
}

#endif
