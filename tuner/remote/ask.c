#include "tuner/remote/ask.h"

#include "base/file.h"
#include "base/hash.h"
#include "tuner/remote/exchange.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ask_input {
    struct key key;
    char *bytes;
    size_t size;
};

int ask_files_open(struct ask_files *out, const struct device *profile, struct err *err)
{
    struct json *json;

    *out = (struct ask_files){0};
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

void ask_files_release(struct ask_files *files)
{
    for (size_t i = 0; i < files->inputs.capacity; i++) {
        struct ask_input *input = files->inputs.entries[i].value;

        if (input)
            free(input->bytes);
        free(input);
    }
    map_release(&files->inputs);
    free(files->profile);
    *files = (struct ask_files){0};
}

bool ask_can_travel(const struct compile_request *request, const struct sources_hash *hash)
{
    bool can = hash->complete && !hash->strange;

    for (size_t i = 0; i < request->option_count && can; i++)
        can = option_include(request->options[i]) || option_is_plain(request->options[i]);
    return can;
}

/* Names
 * -------------------------------------------------------------------------------------------------------------
 */

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

/* Asking
 * -------------------------------------------------------------------------------------------------------------
 */

static struct json *ask(const char *what, int64_t id)
{
    struct json *head = js_new_object();

    return js_unless(!head || js_set_string(head, "ask", what) | js_set_integer(head, "id", id), head);
}

/* Sends and frees a head that was made without failure. */
static int send_off(struct host *host, struct json *head, int failed, struct err *err)
{
    const int rc = failed ? err_memory(err) : 0;

    if (!rc)
        host_send(host, head);
    js_free(head);
    return rc;
}

static struct json *file_json(struct host *host, const struct sources_file *file, struct err *err)
{
    struct json *object;
    char path[PATH_MAX];
    const struct key key = key_bytes(file->text, file->size);

    if (whole_path(path, file->path, err))
        return NULL;
    host_give(host, key, file->text, file->size);
    object = js_new_object();
    return js_unless(!object || js_set_string(object, "path", path) | content_set(object, "key", key) |
                                    js_set_string(object, "shown", file->path),
                     object);
}

static struct json *option_json(const char *option, struct err *err)
{
    const char *include = option_include(option);
    struct json *object;
    char path[PATH_MAX];

    if (!include)
        return js_new_string(option);
    if (whole_path(path, include, err))
        return NULL;
    object = js_new_object();
    return js_unless(!object || js_set_string(object, "include", path), object);
}

static int set_request(struct json *head, struct host *host, const struct compile_request *request,
                       const struct sources_files *sources, struct err *err)
{
    struct json *files = js_new_array(), *options = js_new_array();
    char source[PATH_MAX] = "";
    int failed = !files || !options || whole_path(source, request->source_path, err);
    size_t i;

    for (i = 0; i < sources->count && !failed; i++)
        failed = js_append(files, file_json(host, &sources->files[i], err));
    for (i = 0; i < request->option_count && !failed; i++)
        failed = js_append(options, option_json(request->options[i], err));
    failed |= js_set(head, "files", files);
    failed |= js_set(head, "options", options);
    return failed || js_set_string(head, "source", source) || js_set_string(head, "name", request->name) ||
           js_set_string(head, "arch", request->arch) ||
           js_set_integer(head, "tuned", (int64_t)request->tuned_count) ||
           js_set_real(head, "deadline_s", request->deadline_s);
}

static const struct ask_input *input_of(struct ask_files *files, const char *path, struct err *err)
{
    const uint64_t hash = hash_text(HASH_START, path);
    struct ask_input *input = map_find(&files->inputs, hash);

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

/* Sends a file and names it among the inputs. */
static int add_input(struct json *inputs, struct host *host, struct ask_files *files, const char *path,
                     struct err *err)
{
    const struct ask_input *input = input_of(files, path, err);

    if (!input)
        return ERR_USAGE;
    host_give(host, input->key, input->bytes, input->size);
    return content_set(inputs, path, input->key);
}

static int add_inputs(struct json *inputs, struct host *host, struct ask_files *files,
                      const struct launch *launch, struct err *err)
{
    int failed = 0;

    for (size_t i = 0; i < launch->argument_count && !failed; i++) {
        const struct fill *fill = &launch->arguments[i].fill;

        if (fill->kind == FILL_FILE && fill->path)
            failed = add_input(inputs, host, files, fill->path, err);
    }
    return failed;
}

static int set_prediction(struct json *head, struct host *host, struct ask_files *files,
                          const struct ask_prediction *prediction, struct err *err)
{
    struct json *inputs;
    int failed;

    if (!prediction->launch || !files->profile)
        return 0;
    host_give(host, files->profile_key, files->profile, strlen(files->profile));
    inputs = js_new_object();
    failed = !inputs || add_inputs(inputs, host, files, prediction->launch, err);
    failed |= js_set(head, "inputs", js_unless(failed, inputs));
    return failed || js_set(head, "launch", launch_to_json(prediction->launch)) ||
           js_set_bool(head, "warm", prediction->warm) || content_set(head, "profile", files->profile_key);
}

static int set_code(struct json *head, struct host *host, const struct code *code)
{
    const struct key key = key_bytes(code->cubin, code->cubin_bytes);

    host_give(host, key, code->cubin, code->cubin_bytes);
    return content_set(head, "code", key) || js_set_string(head, "entry", code->entry);
}

/* Code that came packed goes on as it came. */
static int set_compiled(struct json *head, struct host *host, const struct compile_result *compiled)
{
    const struct code code = {compiled->cubin, compiled->cubin_bytes, compiled->entry};

    if (!compiled->packed)
        return set_code(head, host, &code);
    host_give_packed(host, compiled->content, (struct part){compiled->packed, compiled->packed_bytes},
                     compiled->cubin_bytes);
    return content_set(head, "code", compiled->content) || js_set_string(head, "entry", compiled->entry);
}

int ask_compile(struct host *host, int64_t id, struct ask_files *files, const struct compile_request *request,
                const struct sources_files *sources, const struct ask_prediction *prediction, struct err *err)
{
    struct json *head = ask("compile", id);
    const int failed = !head || set_request(head, host, request, sources, err) ||
                       set_prediction(head, host, files, prediction, err);

    return send_off(host, head, failed, err);
}

int ask_predict(struct host *host, int64_t id, struct ask_files *files, const struct compile_result *compiled,
                const struct ask_prediction *prediction, struct err *err)
{
    struct json *head = ask("compile", id);
    const int failed =
        !head || set_compiled(head, host, compiled) || set_prediction(head, host, files, prediction, err);

    return send_off(host, head, failed, err);
}

static int set_reference(struct json *head, struct json *inputs, struct host *host, struct ask_files *files,
                         const struct reference *reference, struct err *err)
{
    struct json *object = js_new_object(), *names;
    int failed = !object;
    size_t i;

    if (!failed && reference->code.cubin) {
        failed = set_code(object, host, &reference->code) ||
                 js_set(object, "launch", launch_to_json(reference->launch)) ||
                 add_inputs(inputs, host, files, reference->launch, err);
    } else if (!failed) {
        names = js_new_object();
        failed = !names;
        for (i = 0; i < reference->file_count && !failed; i++)
            failed = js_set_string(names, reference->names[i], reference->paths[i]) ||
                     add_input(inputs, host, files, reference->paths[i], err);
        failed |= js_set(object, "files", js_unless(failed, names));
    }
    return js_set(head, "reference", js_unless(failed, object));
}

int ask_trial(struct host *host, int64_t id, struct ask_files *files, size_t gpu,
              const struct compile_result *compiled, const struct launch *launch,
              const struct reference *reference, const struct protocol *protocol, struct err *err)
{
    struct json *head = ask("trial", id), *inputs = js_new_object();
    int failed = !head || !inputs || js_set_integer(head, "gpu", (int64_t)gpu) ||
                 set_compiled(head, host, compiled) || js_set(head, "launch", launch_to_json(launch)) ||
                 js_set(head, "protocol", protocol_to_json(protocol)) ||
                 add_inputs(inputs, host, files, launch, err);

    if (!failed && reference && (reference->code.cubin || reference->file_count))
        failed = set_reference(head, inputs, host, files, reference, err);
    if (head)
        failed |= js_set(head, "inputs", js_unless(failed, inputs));
    else
        js_free(inputs);
    return send_off(host, head, failed, err);
}

void ask_drop(struct host *host)
{
    struct json *head = js_new_object();

    if (head && !js_set_bool(head, "drop", true))
        host_send(host, head);
    js_free(head);
}

/* Answers
 * -------------------------------------------------------------------------------------------------------------
 */

int answer_id(int64_t *out_id, const struct message *message, struct err *err)
{
    struct js_at root = js_root(message->head, "answer"), at;

    return js_member(&at, &root, "id", err) || js_integer(out_id, &at, err) ? ERR_FORMAT : 0;
}

static int read_kind(enum answer_kind *kind, const struct js_at *root, struct err *failed, struct err *err)
{
    const char *text;
    struct js_at at;
    int64_t code;

    *kind = ANSWER_DONE;
    if (js_find(&at, root, "missing")) {
        *kind = ANSWER_MISSING;
    } else if (js_find(&at, root, "unfit")) {
        *kind = ANSWER_UNFIT;
    } else if (js_find(&at, root, "error")) {
        *kind = ANSWER_FAILED;
        if (js_integer(&code, &at, err) || js_member(&at, root, "text", err) || js_string(&text, &at, err))
            return ERR_FORMAT;
        err_set(failed, code < 0 && code >= INT_MIN ? (enum err_code)code : ERR_SYSTEM, "%s", text);
    }
    return 0;
}

int answer_compile(enum answer_kind *kind, struct compile_result *compiled, struct code_facts *facts,
                   struct variant_prediction *prediction, struct host *host, struct message *message,
                   struct err *failed, struct err *err)
{
    struct js_at root = js_root(message->head, "answer"), at;
    int rc = read_kind(kind, &root, failed, err);

    if (rc || *kind != ANSWER_DONE)
        return rc;
    if (!compiled->cubin) {
        rc = js_member(&at, &root, "compiled", err) ? ERR_FORMAT : 0;
        if (!rc) {
            rc = compiled_get(compiled, &at, message->payload, message->payload_bytes, err);
            message->payload = NULL;
        }
        if (!rc && compiled->packed)
            host_has(host, compiled->content);
        else if (!rc && compiled->cubin)
            host_has(host, key_bytes(compiled->cubin, compiled->cubin_bytes));
        if (!rc && js_find(&at, &root, "facts"))
            rc = code_facts_get(facts, &root, "facts", err);
    }
    if (!rc && js_find(&at, &root, "prediction"))
        rc = prediction_from_json(prediction, &at, err);
    return rc;
}

int answer_trial(enum answer_kind *kind, struct trial *trial, const struct message *message,
                 struct err *failed, struct err *err)
{
    struct js_at root = js_root(message->head, "answer"), at;
    int rc = read_kind(kind, &root, failed, err);

    if (rc || *kind != ANSWER_DONE)
        return rc;
    return js_member(&at, &root, "trial", err) || trial_from_json(trial, &at, err) ? ERR_FORMAT : 0;
}
