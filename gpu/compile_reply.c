#include "gpu/compile_reply.h"

#include "gpu/compile_cache.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether a source asks for a header of a project, by its name, and not for one of a standard library. */
static bool lacks_own_header(const char *diagnostic)
{
    const char *at = strstr(diagnostic, "cannot open source file \""), *end;

    at = at ? strchr(at, '"') + 1 : NULL;
    end = at ? strchr(at, '"') : NULL;
    return end && memchr(at, '.', (size_t)(end - at));
}

/* The remedy, where it is known. Macros change into nonsense what has their name: the parameters of a template like to be
 * called what the tuned ones are. */
static const char *remedy(const char *diagnostic, const char *kernel)
{
    if (lacks_own_header(diagnostic))
        return " (headers are looked for beside the source, and in the folders that -I names in "
               "kernel.options)";
    if (strchr(kernel, '<') && strstr(diagnostic, "expected a \",\" or \">\""))
        return " (the spec's parameters are macros: give the template's another name, or those \"macro\": "
               "false)";
    if (strstr(diagnostic, "considered a host ") || strstr(diagnostic, "inferred to be __host__"))
        return " (what kernels use: \"options\": [\"-default-device\"] in the spec's kernel; what is the "
               "host's: between #ifndef __CUDACC_RTC__ and #endif)";
    if (strstr(diagnostic, "cannot open source file") || strstr(diagnostic, "marked as a __host__ function"))
        return " (NVRTC compiles code of the device alone: put headers and functions of the host between "
               "#ifndef "
               "__CUDACC_RTC__ and #endif)";
    if (strstr(diagnostic, "unrecognized option"))
        return " (options are NVRTC's: occutune import nvcc puts those of a build into its words)";
    return "";
}

/* The first macro of one letter among the options, or 0: the compiler's own headers are full of T, N and K. */
static char letter_of(const struct compile_request *request)
{
    for (size_t i = 0; i < request->option_count; i++) {
        const char *option = request->options[i];

        if (!strncmp(option, "-D", 2) && option[2] && option[3] == '=')
            return option[2];
    }
    return 0;
}

static char *explain(const char *diagnostic, const struct compile_request *request)
{
    static const char own_headers[] = "__nv_nvrtc_builtin_header.h";
    const bool theirs = !strncmp(diagnostic, own_headers, sizeof own_headers - 1);
    const char letter = letter_of(request);
    char *text = NULL;
    int length;

    if (theirs && letter)
        length = asprintf(&text,
                          "%s (parameters are macros, and the compiler's own headers have the name %c, too: "
                          "make it longer)",
                          diagnostic, letter);
    else
        length = asprintf(
            &text, "%s%s", diagnostic,
            theirs ? " (a parameter's name seems to stand in the compiler's own headers: make it longer)"
                   : remedy(diagnostic, request->name));
    return length < 0 ? NULL : text;
}

/* NVRTC looks a name up as if it stood in a file of its own; what it says of it follows "error: ". */
static int no_kernel(const char *diagnostic, const struct compile_request *request, struct err *err)
{
    const char *why = strstr(diagnostic, "error: ");

    return err_set(err, ERR_USAGE, "%s: no kernel is called %s%s%s", request->source_path, request->name,
                   why ? ": " : "", why ? why + strlen("error: ") : "");
}

int compile_take_reply(struct compile_result *out, struct message *reply,
                       const struct compile_request *request, struct err *err)
{
    struct js_at root = js_root(reply->head, "compiler"), at;
    const char *outcome, *entry = NULL, *diagnostic = NULL;

    if (js_member(&at, &root, "outcome", err) || js_string(&outcome, &at, err) ||
        js_member(&at, &root, "compile_s", err) || js_real(&out->compile_s, &at, err) ||
        (js_find(&at, &root, "entry") && js_string(&entry, &at, err)) ||
        (js_find(&at, &root, "diagnostic") && js_string(&diagnostic, &at, err)) ||
        (js_find(&at, &root, "own_failure") && js_bool(&out->own_failure, &at, err)))
        return err->code;
    if (diagnostic && !strncmp(diagnostic, "__nv_name_map(", 14))
        return no_kernel(diagnostic, request, err);
    if (compile_take_outcome(out, outcome))
        return js_fail(&at, err, "no compile ends with the outcome \"%s\"", outcome);
    out->entry = entry ? strdup(entry) : NULL;
    out->diagnostic = diagnostic ? explain(diagnostic, request) : NULL;
    if ((entry && !out->entry) || (diagnostic && !out->diagnostic))
        return err_memory(err);
    if (compile_take_payload(out, reply->payload, reply->payload_bytes))
        err_set(err, ERR_FORMAT, "%s: the compiler gave no code for %s", request->source_path, request->name);
    reply->payload = NULL;
    return err->code;
}
