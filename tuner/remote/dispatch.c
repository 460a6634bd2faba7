#include "tuner/remote/dispatching.h"

#include "base/hash.h"
#include "tuner/remote/exchange.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool dispatch_can_travel(const struct compile_request *request, const struct sources_hash *hash)
{
    bool can = hash->complete && !hash->strange;

    for (size_t i = 0; i < request->option_count && can; i++)
        can = option_include(request->options[i]) || option_is_plain(request->options[i]);
    return can;
}

/* Names -------------------------------------------------------------------- */

/* The path from the root, without "." and "..". */
static int whole_path(char out[PATH_MAX], const char *path, struct err *err)
{
    char joined[2 * PATH_MAX], here[PATH_MAX] = "";
    size_t used = 0, length;
    const char *part = joined;

    if (*path != '/' && !getcwd(here, sizeof here))
        return err_set(err, ERR_SYSTEM, "the working directory has no name");
    if (snprintf(joined, sizeof joined, "%s/%s", here, path) >= PATH_MAX)
        return err_set(err, ERR_USAGE, "%s: the name is too long", path);
    for (; *part; part += length) {
        part += strspn(part, "/");
        length = strcspn(part, "/");
        if (!length || (length == 1 && *part == '.'))
            continue;
        if (length == 2 && !strncmp(part, "..", 2)) {
            while (used && out[--used] != '/')
                continue;
            continue;
        }
        out[used++] = '/';
        memcpy(out + used, part, length);
        used += length;
    }
    out[used] = '\0';
    return 0;
}

/* Asking ------------------------------------------------------------------- */

/* The line of the request that is being made. */
static struct js_line *begin(struct dispatch_files *files, const char *what, int64_t id)
{
    struct js_line *line = &files->line;

    js_line_begin(line);
    js_line_object(line, NULL);
    js_line_string(line, "ask", what);
    js_line_integer(line, "id", id);
    js_line_integer(line, "search", (int64_t)files->search);
    return line;
}

static int send_off(struct host *host, struct js_line *line, int rc, struct err *err)
{
    js_line_close(line, '}');
    if (!rc)
        rc = js_line_end(line, err);
    if (!rc)
        host_send(host, line->text, line->length);
    return rc;
}

static int write_file(struct js_line *line, const struct sources_file *file, struct err *err)
{
    char path[PATH_MAX];

    if (whole_path(path, file->path, err))
        return err->code;
    js_line_object(line, NULL);
    js_line_string(line, "path", path);
    content_write(line, "key", file->content);
    js_line_string(line, "shown", file->path);
    js_line_close(line, '}');
    return 0;
}

static int write_sources(struct js_line *line, const char *key, const void *from, struct err *err)
{
    const struct sources_files *sources = from;
    int rc = 0;

    js_line_array(line, key);
    for (size_t i = 0; i < sources->count && !rc; i++)
        rc = write_file(line, &sources->files[i], err);
    js_line_close(line, ']');
    return rc;
}

static int name_sources(struct js_line *line, struct host *host, struct dispatch_files *files,
                        const struct sources_files *sources, struct err *err)
{
    uint64_t hash = HASH_START;

    for (size_t i = 0; i < sources->count; i++)
        hash = hash_text(hash_u64(hash, sources->files[i].content.low), sources->files[i].path);
    return shared_write(line, "files", host, &files->shared, hash, write_sources, sources, err);
}

static int write_option(struct js_line *line, const char *option, struct err *err)
{
    const char *include = option_include(option);
    char path[PATH_MAX];

    if (!include) {
        js_line_string(line, NULL, option);
        return 0;
    }
    if (whole_path(path, include, err))
        return err->code;
    js_line_object(line, NULL);
    js_line_string(line, "include", path);
    js_line_close(line, '}');
    return 0;
}

static int write_request(struct js_line *line, struct host *host, struct dispatch_files *files,
                         const struct compile_request *request, const struct sources_files *sources,
                         struct err *err)
{
    char source[PATH_MAX];
    int rc = whole_path(source, request->source_path, err);

    for (size_t i = 0; i < sources->count && !rc; i++)
        rc = dispatch_give_packed(host, files, sources->files[i].content, sources->files[i].text,
                                  sources->files[i].size, err);
    if (!rc)
        rc = name_sources(line, host, files, sources, err);
    if (rc)
        return rc;
    js_line_array(line, "options");
    for (size_t i = 0; i < request->option_count && !rc; i++)
        rc = write_option(line, request->options[i], err);
    js_line_close(line, ']');
    if (rc)
        return rc;
    js_line_string(line, "source", source);
    js_line_string(line, "name", request->name);
    js_line_string(line, "arch", request->arch);
    js_line_integer(line, "tuned", (int64_t)request->tuned_count);
    js_line_real(line, "deadline_s", request->deadline_s);
    return 0;
}

static int write_prediction(struct js_line *line, struct host *host, struct dispatch_files *files,
                            const struct dispatch_prediction *prediction, struct err *err)
{
    int rc;

    if (!prediction->launch || !files->profile)
        return 0;
    dispatch_begin_inputs(line, files);
    rc = dispatch_give_packed(host, files, files->profile_key, files->profile, strlen(files->profile), err);
    if (!rc)
        rc = dispatch_add_inputs(line, host, files, prediction->launch, err);
    js_line_close(line, '}');
    if (!rc)
        rc = dispatch_write_launch(line, host, files, prediction->launch, err);
    js_line_bool(line, "warm", prediction->warm);
    content_write(line, "profile", files->profile_key);
    return rc;
}

static void write_key(struct js_line *line, struct key key, const char *entry)
{
    content_write(line, "code", key);
    js_line_string(line, "entry", entry);
}

/* Code that came packed goes on as it came. */
static void write_compiled(struct js_line *line, struct host *host, const struct compile_result *compiled)
{
    const struct key key =
        compiled->packed ? compiled->content : key_bytes(compiled->cubin, compiled->cubin_bytes);

    if (compiled->packed)
        host_give_packed(host, key, (struct part){compiled->packed, compiled->packed_bytes},
                         compiled->cubin_bytes);
    else
        host_give(host, key, compiled->cubin, compiled->cubin_bytes);
    write_key(line, key, compiled->entry);
}

int dispatch_compile(struct host *host, int64_t id, struct dispatch_files *files,
                     const struct compile_request *request, const struct sources_files *sources,
                     const struct dispatch_prediction *prediction, struct err *err)
{
    struct js_line *line = begin(files, "compile", id);
    int rc = write_request(line, host, files, request, sources, err);

    if (!rc)
        rc = write_prediction(line, host, files, prediction, err);
    return send_off(host, line, rc, err);
}

int dispatch_predict(struct host *host, int64_t id, struct dispatch_files *files,
                     const struct compile_result *compiled, const struct dispatch_prediction *prediction,
                     struct err *err)
{
    struct js_line *line = begin(files, "compile", id);

    write_compiled(line, host, compiled);
    return send_off(host, line, write_prediction(line, host, files, prediction, err), err);
}

/* Trial after trial is compared with the same code. */
static int write_reference_code(struct js_line *line, struct host *host, struct dispatch_files *files,
                                const struct code *code, struct err *err)
{
    if (files->reference != code->cubin) {
        files->reference = code->cubin;
        files->reference_key = key_bytes(code->cubin, code->cubin_bytes);
    }
    write_key(line, files->reference_key, code->entry);
    return dispatch_give_packed(host, files, files->reference_key, code->cubin, code->cubin_bytes, err);
}

static int write_reference(struct js_line *line, struct host *host, struct dispatch_files *files,
                           const struct reference *reference, struct err *err)
{
    int rc = 0;

    js_line_object(line, "reference");
    if (reference->code.cubin) {
        rc = write_reference_code(line, host, files, &reference->code, err);
        if (!rc)
            rc = dispatch_write_launch(line, host, files, reference->launch, err);
    } else {
        js_line_object(line, "files");
        for (size_t i = 0; i < reference->file_count; i++)
            js_line_string(line, reference->names[i], reference->paths[i]);
        js_line_close(line, '}');
    }
    js_line_close(line, '}');
    return rc;
}

/* Of a reference: the files of its fills, or its own. */
static int add_reference_inputs(struct js_line *line, struct host *host, struct dispatch_files *files,
                                const struct reference *reference, struct err *err)
{
    int rc = 0;

    if (reference->code.cubin)
        return dispatch_add_inputs(line, host, files, reference->launch, err);
    for (size_t i = 0; i < reference->file_count && !rc; i++)
        rc = dispatch_add_input(line, host, files, reference->paths[i], err);
    return rc;
}

/* Without what the search has found out. */
static int write_steady(struct js_line *line, const char *key, const void *from, struct err *err)
{
    struct protocol protocol = *(const struct protocol *)from;

    (void)err;
    protocol.give_up_s = protocol.rival_s = 0;
    protocol_write(line, key, &protocol);
    return 0;
}

static int write_protocol(struct js_line *line, struct host *host, struct dispatch_files *files,
                          const struct protocol *protocol, struct err *err)
{
    const uint64_t hash = hash_bytes(protocol_hash(protocol), &protocol->energy_s, sizeof protocol->energy_s);

    js_line_real(line, "give_up_s", protocol->give_up_s);
    js_line_real(line, "rival_s", protocol->rival_s);
    return shared_write(line, "protocol", host, &files->shared, hash, write_steady, protocol, err);
}

int dispatch_trial(struct host *host, int64_t id, struct dispatch_files *files, size_t gpu,
                   const struct compile_result *compiled, const struct launch *launch,
                   const struct reference *reference, const struct protocol *protocol, struct err *err)
{
    struct js_line *line = begin(files, "trial", id);
    const bool compared = reference && (reference->code.cubin || reference->file_count);
    int rc;

    js_line_integer(line, "gpu", (int64_t)gpu);
    write_compiled(line, host, compiled);
    rc = dispatch_write_launch(line, host, files, launch, err);
    if (!rc)
        rc = write_protocol(line, host, files, protocol, err);
    if (!rc && compared)
        rc = write_reference(line, host, files, reference, err);
    dispatch_begin_inputs(line, files);
    if (!rc)
        rc = dispatch_add_inputs(line, host, files, launch, err);
    if (!rc && compared)
        rc = add_reference_inputs(line, host, files, reference, err);
    js_line_close(line, '}');
    return send_off(host, line, rc, err);
}

void dispatch_drop(struct host *host, size_t search)
{
    char drop[64];

    snprintf(drop, sizeof drop, "{\"drop\": true, \"search\": %zu}", search);
    host_send(host, drop, strlen(drop));
}
