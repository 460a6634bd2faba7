/* NVRTC that compiles a program once: what it made is kept in the folder KEPT_NVRTC, for every test of every build. Kept is only the
 * machine code of a source without `#include`, which depends on nothing but that source, its name and the options; all else goes to
 * NVRTC itself, and all does where the variable is not set. */
#include <nvrtc.h>
#include <xxhash.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                                         \
    X(nvrtcVersion)                                                                                          \
    X(nvrtcGetNumSupportedArchs)                                                                             \
    X(nvrtcGetSupportedArchs)                                                                                \
    X(nvrtcCreateProgram)                                                                                    \
    X(nvrtcDestroyProgram)                                                                                   \
    X(nvrtcCompileProgram)                                                                                   \
    X(nvrtcAddNameExpression)                                                                                \
    X(nvrtcGetLoweredName)                                                                                   \
    X(nvrtcGetProgramLogSize)                                                                                \
    X(nvrtcGetProgramLog)                                                                                    \
    X(nvrtcGetCUBINSize) X(nvrtcGetCUBIN) X(nvrtcGetPTXSize) X(nvrtcGetPTX) X(nvrtcGetErrorString)

static struct {
#define FIELD(name) __typeof__(&name) name;
    FUNCTIONS(FIELD)
#undef FIELD
} real;

struct _nvrtcProgram {
    nvrtcProgram real;
    const char *expression; /* the caller's; null: none */
    XXH3_state_t *key;      /* of all that decides the result; null: it is not kept */
    char *kept;             /* the lowered name, a zero, the code; null: `real` has the result */
    size_t size;            /* of the code */
};

/* NVRTC finds its builtins by their name alone once they are loaded. */
__attribute__((constructor)) static void load(void)
{
    void *handle;

    dlopen(NVRTC_BUILTINS, RTLD_NOW | RTLD_LOCAL);
    handle = dlopen(NVRTC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
#define LOAD(name) *(void **)&real.name = handle ? dlsym(handle, #name) : NULL;
    FUNCTIONS(LOAD)
#undef LOAD
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    return real.nvrtcVersion ? real.nvrtcVersion(major, minor) : NVRTC_ERROR_INTERNAL_ERROR;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    return real.nvrtcGetNumSupportedArchs(count);
}

nvrtcResult nvrtcGetSupportedArchs(int *known)
{
    return real.nvrtcGetSupportedArchs(known);
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
    return real.nvrtcGetErrorString(result);
}

static void add(struct _nvrtcProgram *program, const char *text)
{
    if (program->key)
        XXH3_128bits_update(program->key, text, strlen(text) + 1);
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int count,
                               const char *const *headers, const char *const *names)
{
    struct _nvrtcProgram *program = calloc(1, sizeof *program);
    nvrtcResult result = NVRTC_ERROR_OUT_OF_MEMORY;

    if (program)
        result = real.nvrtcCreateProgram(&program->real, source, name, count, headers, names);
    if (result) {
        free(program);
        return result;
    }
    if (getenv("KEPT_NVRTC") && !strstr(source, "#include"))
        program->key = XXH3_createState();
    if (program->key)
        XXH3_128bits_reset(program->key);
    add(program, NVRTC_LIBRARY);
    add(program, source);
    add(program, name);
    *out = program;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    nvrtcResult result = real.nvrtcDestroyProgram(&(*program)->real);

    XXH3_freeState((*program)->key);
    free((*program)->kept);
    free(*program);
    *program = NULL;
    return result;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *name)
{
    program->expression = name;
    add(program, name);
    return real.nvrtcAddNameExpression(program->real, name);
}

static void path_of(char out[PATH_MAX], const struct _nvrtcProgram *program)
{
    XXH128_hash_t hash = XXH3_128bits_digest(program->key);

    snprintf(out, PATH_MAX, "%s/%016" PRIx64 "%016" PRIx64, getenv("KEPT_NVRTC"), hash.high64, hash.low64);
}

static bool take(struct _nvrtcProgram *program)
{
    char path[PATH_MAX], *bytes;
    FILE *file;
    long size;

    path_of(path, program);
    file = fopen(path, "rb");
    if (!file)
        return false;
    size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    bytes = size > 0 ? malloc((size_t)size) : NULL;
    if (bytes && !fseek(file, 0, SEEK_SET) && fread(bytes, (size_t)size, 1, file) == 1) {
        program->kept = bytes;
        program->size = (size_t)size - strlen(bytes) - 1;
    } else
        free(bytes);
    fclose(file);
    return program->kept;
}

/* Under a name of its own first: other tests look for it meanwhile. */
static void keep(const struct _nvrtcProgram *program, const char *lowered, const char *code, size_t size)
{
    char path[PATH_MAX], temporary[PATH_MAX + 8];
    bool written;
    FILE *file;
    int fd;

    path_of(path, program);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    fd = mkstemp(temporary);
    file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file)
        return;
    written = fwrite(lowered, strlen(lowered) + 1, 1, file) == 1 && fwrite(code, size, 1, file) == 1;
    if (fclose(file) || !written || rename(temporary, path))
        unlink(temporary);
}

static void keep_result(const struct _nvrtcProgram *program, bool ptx)
{
    const char *lowered;
    size_t size = 0;
    char *code;

    if (real.nvrtcGetLoweredName(program->real, program->expression, &lowered) ||
        (ptx ? real.nvrtcGetPTXSize : real.nvrtcGetCUBINSize)(program->real, &size) || !size)
        return;
    code = malloc(size);
    if (code && !(ptx ? real.nvrtcGetPTX : real.nvrtcGetCUBIN)(program->real, code))
        keep(program, lowered, code, size);
    free(code);
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    nvrtcResult result;
    bool ptx = false;

    for (int i = 0; i < count; i++) {
        ptx = ptx || strstr(options[i], "=compute_");
        if (strncmp(options[i], "-I", 2)) /* nothing is included */
            add(program, options[i]);
    }
    if (program->key && take(program))
        return NVRTC_SUCCESS;
    result = real.nvrtcCompileProgram(program->real, count, options);
    if (program->key && program->expression && !result)
        keep_result(program, ptx);
    return result;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *name, const char **lowered)
{
    if (!program->kept)
        return real.nvrtcGetLoweredName(program->real, name, lowered);
    *lowered = program->kept;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
    return real.nvrtcGetProgramLogSize(program->real, size);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    return real.nvrtcGetProgramLog(program->real, log);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
    if (!program->kept)
        return real.nvrtcGetCUBINSize(program->real, size);
    *size = program->size;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *code)
{
    if (!program->kept)
        return real.nvrtcGetCUBIN(program->real, code);
    memcpy(code, program->kept + strlen(program->kept) + 1, program->size);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
    return program->kept ? nvrtcGetCUBINSize(program, size) : real.nvrtcGetPTXSize(program->real, size);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *code)
{
    return program->kept ? nvrtcGetCUBIN(program, code) : real.nvrtcGetPTX(program->real, code);
}
