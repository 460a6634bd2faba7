#include "gpu/compile_serve.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/place.h"
#include "launch/outcome.h"
#include "gpu/compile_log.h"
#include "gpu/message.h"

#include <nvrtc.h>

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The functions used, under the names that NVRTC 12 and 13 share. */
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

struct nvrtc {
#define FIELD(name) __typeof__(&name) name;
    FUNCTIONS(FIELD)
#undef FIELD
    char library[PATH_MAX], include[PATH_MAX], extra[PATH_MAX], standard[PATH_MAX];
    int major, minor;
};

enum { OPTIONS_OWN = 5, TRIED_BYTES = 700 };

extern const char cub_cuh[]; /* cub.cuh, which says why */

static bool is_directory(const char *path)
{
    struct stat status;

    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static bool load_functions(struct nvrtc *nvrtc, void *handle)
{
#define LOAD(name)                                                                                           \
    *(void **)&nvrtc->name = dlsym(handle, #name);                                                           \
    if (!nvrtc->name)                                                                                        \
        return false;
    FUNCTIONS(LOAD)
#undef LOAD
    return nvrtc->nvrtcVersion(&nvrtc->major, &nvrtc->minor) == NVRTC_SUCCESS;
}

/* Whether CUB and libcu++ are below a folder of headers: in a folder of their own since CUDA 13. */
static bool has_cccl(char out[PATH_MAX], const char *include)
{
    char cub[PATH_MAX];

    if (snprintf(out, PATH_MAX, "%s/cccl", include) < PATH_MAX && is_directory(out))
        return true;
    return snprintf(out, PATH_MAX, "%s", include) < PATH_MAX &&
           snprintf(cub, sizeof cub, "%s/cub", include) < PATH_MAX && is_directory(cub);
}

/* A library that was installed by itself lacks them: then those of a toolkit do. */
static void find_cccl(struct nvrtc *nvrtc)
{
    const char *home = getenv("CUDA_HOME");
    char toolkit[PATH_MAX];

    snprintf(toolkit, sizeof toolkit, "%s/include", home ? home : "");
    if (!has_cccl(nvrtc->extra, nvrtc->include) && !(home && has_cccl(nvrtc->extra, toolkit)) &&
        !has_cccl(nvrtc->extra, "/usr/local/cuda/include") && !has_cccl(nvrtc->extra, OCCUTUNE_CUDA_HEADERS))
        nvrtc->extra[0] = '\0';
}

/* Where the toolkit's own headers (cuda_fp16.h, ...) are: beside the library, else where the build found
 * them. */
static void find_headers(struct nvrtc *nvrtc)
{
    char library[PATH_MAX] = "", *slash;
    Dl_info info;

    if (dladdr(*(void **)&nvrtc->nvrtcVersion, &info) && info.dli_fname && !realpath(info.dli_fname, library))
        library[0] = '\0';
    snprintf(nvrtc->library, sizeof nvrtc->library, "%s", library);
    slash = strrchr(library, '/');
    if (slash)
        *slash = '\0';
    if (snprintf(nvrtc->include, sizeof nvrtc->include, "%s/../include", library) >= PATH_MAX ||
        !is_directory(nvrtc->include))
        snprintf(nvrtc->include, sizeof nvrtc->include, "%s", OCCUTUNE_CUDA_HEADERS);
    find_cccl(nvrtc);
    if (!place_share(nvrtc->standard, sizeof nvrtc->standard, "standard"))
        nvrtc->standard[0] = '\0';
}

/* NVRTC looks for its builtins by name alone: beside a copy that is not on the system's path it finds them
 * only when they are loaded already. Where they are not beside it, it must find them itself. */
static void load_builtins(const struct nvrtc *nvrtc)
{
    const char *slash = strrchr(nvrtc->library, '/');
    char path[PATH_MAX];

    if (slash && snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - nvrtc->library),
                          nvrtc->library, nvrtc->major, nvrtc->minor) < PATH_MAX)
        dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Loads one file, or the newest NVRTC of a directory ("": the system's search path); notes in `tried` what
 * failed. */
static bool load_from(struct nvrtc *nvrtc, const char *place, char *tried)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    bool directory = !*place || is_directory(place);
    size_t used;

    for (size_t i = 0; i < (directory ? sizeof names / sizeof *names : 1); i++) {
        char path[PATH_MAX];
        void *handle;

        snprintf(path, sizeof path, "%s%s%s", place, directory && *place ? "/" : "",
                 directory ? names[i] : "");
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (handle && load_functions(nvrtc, handle))
            return true;
        used = strlen(tried);
        snprintf(tried + used, TRIED_BYTES - used, "%s%s", used ? ", " : "", path);
    }
    return false;
}

static bool load(struct nvrtc *nvrtc, const char *library, char *tried)
{
    const char *named = *library ? library : getenv("OCCUTUNE_NVRTC");
    char home[PATH_MAX];

    if (named && *named)
        return load_from(nvrtc, named, tried);
    if (load_from(nvrtc, OCCUTUNE_NVRTC_DIRECTORY, tried))
        return true;
    snprintf(home, sizeof home, "%s/lib64", getenv("CUDA_HOME") ? getenv("CUDA_HOME") : "");
    return (getenv("CUDA_HOME") && load_from(nvrtc, home, tried)) || load_from(nvrtc, "", tried) ||
           load_from(nvrtc, OCCUTUNE_CUDA_HEADERS "/../lib64", tried);
}

static char *program_log(const struct nvrtc *nvrtc, nvrtcProgram program)
{
    size_t size = 0;
    char *log;

    if (nvrtc->nvrtcGetProgramLogSize(program, &size) || !size)
        return NULL;
    log = calloc(1, size + 1);
    if (log && nvrtc->nvrtcGetProgramLog(program, log)) {
        free(log);
        return NULL;
    }
    return log;
}

/* Machine code for sm_XX, PTX for compute_XX. */
static int program_code(unsigned char **code, size_t *size, const struct nvrtc *nvrtc, nvrtcProgram program,
                        bool ptx)
{
    nvrtcResult got = ptx ? nvrtc->nvrtcGetPTXSize(program, size) : nvrtc->nvrtcGetCUBINSize(program, size);

    *code = NULL;
    if (got || !*size)
        return -1;
    *code = malloc(*size);
    if (!*code)
        return -1;
    return (ptx ? nvrtc->nvrtcGetPTX(program, (char *)*code) : nvrtc->nvrtcGetCUBIN(program, (char *)*code))
               ? -1
               : 0;
}

/* A request, read from its message. */
struct job {
    const char *path, *name, *arch, *source;
    const char **options;
    size_t option_count;
    char arch_option[64], include_option[PATH_MAX + 2], extra_option[PATH_MAX + 2],
        standard_option[PATH_MAX + 2];
};

/* Some editors put a byte order mark before the text, which NVRTC takes for a token that it does not know. */
static const char *behind_mark(const char *text)
{
    static const char mark[] = "\xef\xbb\xbf";

    return strncmp(text, mark, strlen(mark)) ? text : text + strlen(mark);
}

static int read_job(struct job *job, const struct nvrtc *nvrtc, const struct message *message,
                    struct err *err)
{
    struct js_at root = js_root(message->head, "request"), at;
    size_t n;

    memset(job, 0, sizeof *job);
    job->source = behind_mark((const char *)message->payload);
    if (js_member(&at, &root, "path", err) || js_string(&job->path, &at, err) ||
        js_member(&at, &root, "name", err) || js_string(&job->name, &at, err) ||
        js_member(&at, &root, "arch", err) || js_string(&job->arch, &at, err) ||
        js_member(&at, &root, "options", err))
        return err->code;
    n = js_count(&at);
    job->options = calloc(n + OPTIONS_OWN, sizeof *job->options);
    if (!job->options)
        return err_memory(err);
    for (size_t i = 0; i < n; i++) {
        struct js_at element = js_element(&at, i);

        if (js_string(&job->options[i], &element, err))
            return err->code;
    }
    snprintf(job->arch_option, sizeof job->arch_option, "-arch=%s", job->arch);
    snprintf(job->include_option, sizeof job->include_option, "-I%s", nvrtc->include);
    snprintf(job->extra_option, sizeof job->extra_option, "-I%s", nvrtc->extra);
    snprintf(job->standard_option, sizeof job->standard_option, "-I%s", nvrtc->standard);
    job->options[n++] = job->arch_option;
    job->options[n++] = job->include_option;
    if (*nvrtc->extra)
        job->options[n++] = job->extra_option;
    if (*nvrtc->standard)
        job->options[n++] = job->standard_option;
    if (nvrtc->major > 12 || nvrtc->minor >= 9) /* NVRTC keeps a cache of its own since 12.9 */
        job->options[n++] = "--no-cache";
    job->option_count = n;
    return 0;
}

/* NVRTC's own trouble, not the source's. */
static bool fails_itself(nvrtcResult result)
{
    return result == NVRTC_ERROR_OUT_OF_MEMORY || result == NVRTC_ERROR_INTERNAL_ERROR ||
           result == NVRTC_ERROR_PROGRAM_CREATION_FAILURE || result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
}

/* How a compile ended. */
struct ending {
    enum outcome outcome;
    bool own_failure;
    const char *entry, *diagnostic; /* null: none */
    double compile_s;
};

/* Machine code, or of a failure the log with its zero. */
static int answer(int fd, const struct ending *ending, const struct part *payload, struct err *err)
{
    struct json *head = js_new_object();
    int rc = head ? 0 : ERR_MEMORY;

    if (!rc)
        rc = js_set_string(head, "outcome", outcome_text(ending->outcome)) ||
             js_set_real(head, "compile_s", ending->compile_s) ||
             js_set_bool(head, "own_failure", ending->own_failure) ||
             (ending->entry && js_set_string(head, "entry", ending->entry)) ||
             (ending->diagnostic && js_set_string(head, "diagnostic", ending->diagnostic));
    rc = rc ? err_memory(err)
            : message_send(fd, head, payload, payload->size ? 1 : 0, (struct patience){.timeout_s = -1}, err);
    js_free(head);
    return rc;
}

/* Where standard/stdint.h has been included, a header that has a uint64_t of its own for NVRTC takes that one. */
#define TYPES_OF_STDINT(header)                                                                              \
    "#ifdef OCCUTUNE_STDINT\n#include <nv/target>\n#undef __CUDACC_RTC__\n#endif\n"                          \
    "#include <./" header ">\n"                                                                              \
    "#ifndef __CUDACC_RTC__\n#define __CUDACC_RTC__ 1\n#endif\n"

static nvrtcResult run(nvrtcProgram *program, const struct nvrtc *nvrtc, const struct job *job)
{
    /* found before any file of that name */
    static const char *const names[] = {"cub/cub.cuh", "cuda_pipeline_helpers.h", "cuda_awbarrier_helpers.h"};
    static const char *const texts[] = {cub_cuh, TYPES_OF_STDINT("cuda_pipeline_helpers.h"),
                                        TYPES_OF_STDINT("cuda_awbarrier_helpers.h")};
    nvrtcResult result = nvrtc->nvrtcCreateProgram(program, job->source, job->path, 3, texts, names);

    if (!result)
        result = nvrtc->nvrtcAddNameExpression(*program, job->name);
    return result ? result : nvrtc->nvrtcCompileProgram(*program, (int)job->option_count, job->options);
}

static int compile(int fd, const struct nvrtc *nvrtc, const struct job *job, struct err *err)
{
    double start = clock_wall_s();
    char *log = NULL, *diagnostic = NULL;
    struct ending ending = {.outcome = OUTCOME_OK};
    struct part code = {0}, said = {0};
    unsigned char *bytes = NULL;
    nvrtcProgram program = NULL;
    nvrtcResult result = run(&program, nvrtc, job);
    int rc;

    if (!result)
        result = nvrtc->nvrtcGetLoweredName(program, job->name, &ending.entry);
    if (!result && program_code(&bytes, &code.size, nvrtc, program, !strncmp(job->arch, "compute_", 8)))
        result = NVRTC_ERROR_INTERNAL_ERROR;
    code.bytes = bytes;
    if (result) {
        log = program ? program_log(nvrtc, program) : NULL;
        diagnostic = log ? compile_first_error(log) : NULL;
        said = (struct part){.bytes = log, .size = log ? strlen(log) + 1 : 0};
        ending = (struct ending){.outcome = OUTCOME_COMPILE,
                                 .own_failure = fails_itself(result),
                                 .diagnostic = diagnostic ? diagnostic : nvrtc->nvrtcGetErrorString(result)};
    }
    ending.compile_s = clock_wall_s() - start;
    rc = answer(fd, &ending, result ? &said : &code, err);
    free(log);
    free(diagnostic);
    free(bytes);
    if (program)
        nvrtc->nvrtcDestroyProgram(&program);
    return rc;
}

/* [75, 80, ...]; null when memory ends or NVRTC does not say. */
static struct json *architectures(const struct nvrtc *nvrtc)
{
    struct json *list = js_new_array();
    int count = 0, i, *known = NULL;
    bool failed = !list || nvrtc->nvrtcGetNumSupportedArchs(&count) || count < 1;

    if (!failed)
        known = calloc((size_t)count, sizeof *known);
    failed = failed || !known || nvrtc->nvrtcGetSupportedArchs(known);
    for (i = 0; i < count && !failed; i++)
        failed = js_append(list, js_new_integer(known[i]));
    free(known);
    return js_unless(failed, list);
}

/* The first message: what was loaded, or what was tried. */
static int greet(int fd, const struct nvrtc *nvrtc, const char *tried, struct err *err)
{
    struct json *head = js_new_object();
    char version[32];
    int rc;

    if (!head)
        return err_memory(err);
    snprintf(version, sizeof version, "%d.%d", nvrtc->major, nvrtc->minor);
    if (tried)
        rc = js_set_string(head, "missing", tried);
    else
        rc = js_set_string(head, "version", version) || js_set_string(head, "library", nvrtc->library) ||
             js_set_string(head, "include", nvrtc->include) ||
             js_set(head, "architectures", architectures(nvrtc));
    rc = rc ? err_memory(err) : message_send(fd, head, NULL, 0, (struct patience){.timeout_s = -1}, err);
    js_free(head);
    return rc;
}

int compile_serve(int fd, const char *library, struct err *err)
{
    char tried[TRIED_BYTES] = "";
    struct nvrtc nvrtc = {0};
    int rc;

    if (!load(&nvrtc, library, tried))
        return greet(fd, &nvrtc, tried, err);
    find_headers(&nvrtc);
    load_builtins(&nvrtc);
    rc = greet(fd, &nvrtc, NULL, err);
    while (!rc) {
        struct message request;
        struct job job = {0};

        rc = message_receive(&request, fd, (struct patience){.timeout_s = -1}, err);
        if (rc)
            break;
        rc = read_job(&job, &nvrtc, &request, err);
        if (!rc)
            rc = compile(fd, &nvrtc, &job, err);
        free(job.options);
        message_release(&request);
    }
    return rc;
}
