#include "tuner/remote/dispatch.h"

#include "base/compress.h"
#include "base/file.h"
#include "base/hash.h"
#include "tuner/remote/exchange.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dispatch_input {
    struct key key;
    char *bytes;
    size_t size;
};

/* What goes to every host is packed once for all of them. */
struct dispatch_packed {
    unsigned char *bytes;
    size_t size;
};

int dispatch_files_open(struct dispatch_files *out, const struct device *profile, struct err *err)
{
    struct json *json;

    *out = (struct dispatch_files){0};
    if (!profile)
        return 0;
    json = device_to_json(profile);
    out->profile = json ? js_text(json, JS_LINE) : NULL;
    js_free(json);
    if (!out->profile)
        return err_memory(err);
    out->profile_key = key_bytes(out->profile, strlen(out->profile));
    return 0;
}

void dispatch_files_release(struct dispatch_files *files)
{
    for (size_t i = 0; i < files->inputs.capacity; i++) {
        struct dispatch_input *input = files->inputs.entries[i].value;

        if (input)
            free(input->bytes);
        free(input);
    }
    map_release(&files->inputs);
    for (size_t i = 0; i < files->packed.capacity; i++) {
        struct dispatch_packed *packed = files->packed.entries[i].value;

        if (packed)
            free(packed->bytes);
        free(packed);
    }
    map_release(&files->packed);
    js_line_release(&files->line);
    js_line_release(&files->sources);
    free(files->profile);
    *files = (struct dispatch_files){0};
}

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

static int give_packed(struct host *host, struct dispatch_files *files, struct key key, const void *bytes,
                       size_t size, struct err *err)
{
    struct dispatch_packed *packed = map_find(&files->packed, key.low);

    if (!packed) {
        packed = calloc(1, sizeof *packed);
        if (!packed)
            return err_memory(err);
        if (compress_pack(&packed->bytes, &packed->size, bytes, size, err) ||
            map_put(&files->packed, key.low, packed, err)) {
            free(packed->bytes);
            free(packed);
            return err ? err->code : ERR_MEMORY;
        }
    }
    host_give_packed(host, key, (struct part){packed->bytes, packed->size}, size);
    return 0;
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

/* The list of the files, which is the same for request after request. */
static int list_sources(struct dispatch_files *files, const struct sources_files *sources, struct err *err)
{
    uint64_t hash = HASH_START;
    int rc = 0;

    for (size_t i = 0; i < sources->count; i++)
        hash = hash_text(hash_u64(hash, sources->files[i].content.low), sources->files[i].path);
    if (files->sources.length && files->sources_hash == hash)
        return 0;
    js_line_begin(&files->sources);
    js_line_array(&files->sources, NULL);
    for (size_t i = 0; i < sources->count && !rc; i++)
        rc = write_file(&files->sources, &sources->files[i], err);
    js_line_close(&files->sources, ']');
    if (!rc)
        rc = js_line_end(&files->sources, err);
    files->sources_hash = hash;
    if (rc)
        js_line_begin(&files->sources);
    return rc;
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
    int rc =
        list_sources(files, sources, err) || whole_path(source, request->source_path, err) ? err->code : 0;

    for (size_t i = 0; i < sources->count && !rc; i++)
        rc = give_packed(host, files, sources->files[i].content, sources->files[i].text,
                         sources->files[i].size, err);
    if (rc)
        return rc;
    js_line_text(line, "files", files->sources.text, files->sources.length);
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

static const struct dispatch_input *input_of(struct dispatch_files *files, const char *path, struct err *err)
{
    const uint64_t hash = hash_text(HASH_START, path);
    struct dispatch_input *input = map_find(&files->inputs, hash);

    if (input)
        return input;
    input = calloc(1, sizeof *input);
    if (!input) {
        err_memory(err);
        return NULL;
    }
    if (!file_read(&input->bytes, &input->size, path, err)) {
        input->key = key_bytes(input->bytes, input->size);
        if (!map_put(&files->inputs, hash, input, err))
            return input;
    }
    err_prefix(err, "a file for workers elsewhere");
    free(input->bytes);
    free(input);
    return NULL;
}

static void begin_inputs(struct js_line *line, struct dispatch_files *files)
{
    js_line_object(line, "inputs");
    files->inputs_at = line->length;
}

/* Among the inputs, which begin at `from`: once, where several arguments are filled from one file. */
static void name_input(struct js_line *line, size_t from, const char *path, struct key key)
{
    const size_t before = line->length;
    const size_t comma = before > from ? 2 : 0;

    content_write(line, path, key);
    if (!line->starved &&
        memmem(line->text + from, before - from, line->text + before + comma, line->length - before - comma))
        line->length = before;
}

/* Sends a file and names it among the inputs. */
static int add_input(struct js_line *line, struct host *host, struct dispatch_files *files, const char *path,
                     struct err *err)
{
    const struct dispatch_input *input = input_of(files, path, err);

    if (!input)
        return ERR_USAGE;
    host_give(host, input->key, input->bytes, input->size);
    name_input(line, files->inputs_at, path, input->key);
    return 0;
}

static int add_inputs(struct js_line *line, struct host *host, struct dispatch_files *files,
                      const struct launch *launch, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; i < launch->argument_count && !rc; i++) {
        const struct fill *fill = &launch->arguments[i].fill;

        if (fill->kind == FILL_FILE && fill->path)
            rc = add_input(line, host, files, fill->path, err);
    }
    return rc;
}

static int write_prediction(struct js_line *line, struct host *host, struct dispatch_files *files,
                            const struct dispatch_prediction *prediction, struct err *err)
{
    int rc;

    if (!prediction->launch || !files->profile)
        return 0;
    begin_inputs(line, files);
    rc = give_packed(host, files, files->profile_key, files->profile, strlen(files->profile), err);
    if (!rc)
        rc = add_inputs(line, host, files, prediction->launch, err);
    js_line_close(line, '}');
    launch_write(line, "launch", prediction->launch);
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
    return give_packed(host, files, files->reference_key, code->cubin, code->cubin_bytes, err);
}

static int write_reference(struct js_line *line, struct host *host, struct dispatch_files *files,
                           const struct reference *reference, struct err *err)
{
    int rc = 0;

    js_line_object(line, "reference");
    if (reference->code.cubin) {
        rc = write_reference_code(line, host, files, &reference->code, err);
        launch_write(line, "launch", reference->launch);
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
        return add_inputs(line, host, files, reference->launch, err);
    for (size_t i = 0; i < reference->file_count && !rc; i++)
        rc = add_input(line, host, files, reference->paths[i], err);
    return rc;
}

int dispatch_trial(struct host *host, int64_t id, struct dispatch_files *files, size_t gpu,
                   const struct compile_result *compiled, const struct launch *launch,
                   const struct reference *reference, const struct protocol *protocol, struct err *err)
{
    struct js_line *line = begin(files, "trial", id);
    const bool compared = reference && (reference->code.cubin || reference->file_count);
    int rc = 0;

    js_line_integer(line, "gpu", (int64_t)gpu);
    write_compiled(line, host, compiled);
    launch_write(line, "launch", launch);
    protocol_write(line, "protocol", protocol);
    if (compared)
        rc = write_reference(line, host, files, reference, err);
    begin_inputs(line, files);
    if (!rc)
        rc = add_inputs(line, host, files, launch, err);
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
