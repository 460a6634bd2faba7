#include "gpu/compile_reply.h"

#include "gpu/compile_cache.h"

#include <stdio.h>
#include <string.h>

/* The remedy, where it is known. Macros change into nonsense what has their name: the compiler's own headers are full of T, N and K, and the
 * parameters of a template like to be called what the tuned ones are. */
static const char *remedy(const char *diagnostic, const char *kernel)
{
    static const char own_headers[] = "__nv_nvrtc_builtin_header.h";

    if (!strncmp(diagnostic, own_headers, sizeof own_headers - 1))
        return " (a parameter's name seems to stand in the compiler's own headers: make it longer)";
    if (strchr(kernel, '<') && strstr(diagnostic, "expected a \",\" or \">\""))
        return " (the spec's parameters are macros: give the template's another name, or those \"macro\": "
               "false)";
    if (strstr(diagnostic, "cannot open source file") || strstr(diagnostic, "considered a host function"))
        return " (NVRTC compiles code of the device alone: put headers and functions of the host between "
               "#ifndef "
               "__CUDACC_RTC__ and #endif)";
    if (strstr(diagnostic, "unrecognized option"))
        return " (options are NVRTC's: occutune import nvcc puts those of a build into its words)";
    return "";
}

static char *explain(const char *diagnostic, const char *kernel)
{
    char *text = NULL;

    if (asprintf(&text, "%s%s", diagnostic, remedy(diagnostic, kernel)) < 0)
        return NULL;
    return text;
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
    out->diagnostic = diagnostic ? explain(diagnostic, request->name) : NULL;
    if ((entry && !out->entry) || (diagnostic && !out->diagnostic))
        return err_memory(err);
    if (compile_take_payload(out, reply->payload, reply->payload_bytes))
        err_set(err, ERR_FORMAT, "%s: the compiler gave no code for %s", request->source_path, request->name);
    reply->payload = NULL;
    return err->code;
}
