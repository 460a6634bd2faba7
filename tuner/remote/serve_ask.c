/* From a message to an errand. */
#include "tuner/remote/serving.h"

#include "base/hash.h"
#include "space/spec_option.h"
#include "tuner/remote/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct errand *errand;
    struct store *store;
    struct map *machines;
    struct err *err;
};

/* A content by its key at `name`. */
static const struct content *get_content(const struct reading *r, const struct js_at *object,
                                         const char *name)
{
    const struct content *content;
    struct key key;

    if (content_get(&key, object, name, r->err))
        return NULL;
    content = store_find(r->store, key);
    if (!content) {
        r->errand->missing = true;
        err_set(r->err, ERR_MISSING, "a content is not here");
    }
    return content;
}

/* A list or an object, or the key of a content that is one. */
static int get_shared(struct js_at *out, const struct reading *r, const struct js_at *object,
                      const char *name)
{
    struct errand *errand = r->errand;
    const struct content *content;
    struct json *json;

    if (js_member(out, object, name, r->err))
        return r->err->code;
    if (js_kind(out) != JS_STRING)
        return 0;
    content = get_content(r, object, name);
    if (!content || js_read_flat(&json, (const char *)content->bytes, content->size, name, r->err))
        return r->err->code;
    errand->shared[errand->shared_count++] = json;
    *out = js_root(json, name);
    return 0;
}

static int get_string(const char **out, const struct reading *r, const struct js_at *object, const char *name)
{
    struct js_at at;

    return js_member(&at, object, name, r->err) || js_string(out, &at, r->err) ? r->err->code : 0;
}

static void *copy_bytes(const void *bytes, size_t size)
{
    unsigned char *copy = malloc(size + 1);

    if (copy) {
        memcpy(copy, bytes, size);
        copy[size] = '\0';
    }
    return copy;
}

/* Compiling ---------------------------------------------------------------- */

/* Writes the source and its headers below a folder that is theirs alone. */
static int read_files(const struct reading *r, const struct js_at *root, const char *source)
{
    struct errand *errand = r->errand;
    struct js_at *list = &errand->files, file, at;
    char name[17], path[PATH_MAX];
    const char *file_path, *hex;
    uint64_t hash = HASH_START;

    if (get_shared(list, r, root, "files") || js_expect(list, JS_ARRAY, r->err))
        return r->err->code;
    list->parent = NULL; /* it is read again when the request's cursors are gone */
    errand->file_count = js_count(list);
    for (size_t i = 0; i < errand->file_count; i++) {
        file = js_element(list, i);
        if (get_string(&file_path, r, &file, "path") || get_string(&hex, r, &file, "key") ||
            !js_find(&at, &file, "shown"))
            return err_set(r->err, ERR_FORMAT, "a file is not described");
        hash = hash_text(hash_text(hash, file_path), hex);
    }
    hash_hex(name, hash);
    snprintf(errand->folder, sizeof errand->folder, "%s/%s", r->store->root, name);
    for (size_t i = 0; i < errand->file_count; i++) {
        const struct content *content;

        file = js_element(list, i);
        content = get_content(r, &file, "key");
        if (!content || get_string(&file_path, r, &file, "path") ||
            store_write(path, r->store, name, file_path, content, r->err))
            return r->err->code;
        if (!strcmp(file_path, source) && !errand->text)
            errand->text = copy_bytes(content->bytes, content->size);
    }
    if (!errand->text)
        return err_set(r->err, ERR_FORMAT, "the source is not among the files");
    return store_path(errand->source, r->store, name, source, r->err);
}

/* One option: text that names no file, or a folder of headers that were sent. */
static char *read_option(const struct reading *r, const struct js_at *at)
{
    const struct errand *errand = r->errand;
    char path[PATH_MAX];
    const char *text;
    char *option = NULL;

    if (js_kind(at) == JS_OBJECT) {
        if (get_string(&text, r, at, "include") ||
            store_path(path, r->store, strrchr(errand->folder, '/') + 1, text, r->err))
            return NULL;
        if (asprintf(&option, "-I%s", path) < 0)
            option = NULL;
    } else {
        if (js_string(&text, at, r->err) || spec_option_check(at, text, r->err))
            return NULL;
        if (!option_is_plain(text)) {
            err_set(r->err, ERR_USAGE, "%s: the option names a file", text);
            return NULL;
        }
        option = strdup(text);
    }
    if (!option)
        err_memory(r->err);
    return option;
}

static int read_options(const struct reading *r, const struct js_at *root)
{
    struct errand *errand = r->errand;
    struct compile_request *request = &errand->request;
    struct js_at list, at;
    uint64_t tuned;
    size_t count;

    if (js_member(&list, root, "options", r->err) || js_expect(&list, JS_ARRAY, r->err) ||
        js_member(&at, root, "tuned", r->err) || js_unsigned(&tuned, &at, r->err))
        return r->err->code;
    count = js_count(&list);
    if (tuned > count)
        return err_set(r->err, ERR_FORMAT, "more options are tuned than there are");
    errand->compile_options = calloc(count + 1, sizeof *errand->compile_options);
    if (!errand->compile_options)
        return err_memory(r->err);
    for (size_t i = 0; i < count; i++) {
        at = js_element(&list, i);
        errand->compile_options[i] = read_option(r, &at);
        if (!errand->compile_options[i])
            return r->err->code;
    }
    request->options = (const char *const *)errand->compile_options;
    request->option_count = count;
    request->tuned_count = tuned;
    return 0;
}

static int read_request(const struct reading *r, const struct js_at *root)
{
    struct errand *errand = r->errand;
    struct compile_request *request = &errand->request;
    const char *source;
    struct js_at at;

    if (!errand->options->compiler)
        return err_set(r->err, ERR_MISSING, "nothing is compiled here");
    if (get_string(&source, r, root, "source") || read_files(r, root, source) || read_options(r, root) ||
        get_string(&request->name, r, root, "name") || get_string(&request->arch, r, root, "arch") ||
        js_member(&at, root, "deadline_s", r->err) || js_real(&request->deadline_s, &at, r->err))
        return r->err->code;
    request->source_path = errand->source;
    request->given_up = errand->stop;
    return 0;
}

/* Code --------------------------------------------------------------------- */

static int read_code(struct code *out, const struct reading *r, const struct js_at *object)
{
    const struct content *content;

    if (get_string(&out->entry, r, object, "entry"))
        return r->err->code;
    content = get_content(r, object, "code");
    if (!content)
        return r->err->code;
    out->cubin = copy_bytes(content->bytes, content->size);
    out->cubin_bytes = content->size;
    return out->cubin ? 0 : err_memory(r->err);
}

/* The files that fills are read from, and references: those that were sent, whatever their names. */
static char *input_path(const struct reading *r, const struct js_at *root, const char *name)
{
    const struct content *content;
    char path[PATH_MAX], hex[40];
    struct js_at list, at;
    char *copy;

    if (!js_find(&list, root, "inputs") || !js_find(&at, &list, name)) {
        err_set(r->err, ERR_USAGE, "%s: the file was not sent", name);
        return NULL;
    }
    content = get_content(r, &list, name);
    if (!content)
        return NULL;
    hex[0] = '/';
    key_hex(hex + 1, content->key);
    strcat(hex, ".npy");
    if (store_write(path, r->store, "inputs", hex, content, r->err))
        return NULL;
    copy = strdup(path);
    if (!copy)
        err_memory(r->err);
    return copy;
}

static int read_launch(struct launch *out, const struct reading *r, const struct js_at *root,
                       const struct js_at *object)
{
    struct js_at at, arguments;
    int rc = js_member(&at, object, "launch", r->err);

    if (!rc)
        rc = get_shared(&arguments, r, &at, "arguments");
    if (!rc)
        rc = launch_from_parts(out, &at, &arguments, r->err);
    for (size_t i = 0; !rc && i < out->argument_count; i++) {
        struct fill *fill = &out->arguments[i].fill;
        char *path;

        if (fill->kind != FILL_FILE || !fill->path)
            continue;
        path = input_path(r, root, fill->path);
        if (!path)
            return r->err->code;
        free(fill->path);
        fill->path = path;
    }
    return rc;
}

/* Predicting --------------------------------------------------------------- */

static int read_machine(const struct reading *r, const struct js_at *root)
{
    const struct content *content;
    struct known_machine *known;
    struct key key;

    if (content_get(&key, root, "profile", r->err))
        return r->err->code;
    known = map_find(r->machines, key.low);
    if (!known) {
        content = get_content(r, root, "profile");
        if (!content || machine_know(&known, r->machines, content, r->err))
            return r->err->code;
    }
    r->errand->machine = &known->machine;
    return 0;
}

static int read_compile(const struct reading *r, const struct js_at *root)
{
    struct errand *errand = r->errand;
    struct js_at at;
    int rc = 0;

    if (js_find(&at, root, "code")) {
        rc = read_code(&errand->code, r, root);
        if (!rc) {
            errand->compiled.cubin = (unsigned char *)errand->code.cubin;
            errand->compiled.cubin_bytes = errand->code.cubin_bytes;
            errand->code.cubin = NULL;
            errand->compiled.entry = strdup(errand->code.entry);
            rc = errand->compiled.entry ? 0 : err_memory(r->err);
        }
    } else {
        rc = read_request(r, root);
    }
    if (rc || !js_find(&at, root, "profile"))
        return rc;
    rc = js_member(&at, root, "warm", r->err) || js_bool(&errand->warm, &at, r->err) ? r->err->code : 0;
    if (!rc)
        rc = read_launch(&errand->launch, r, root, root);
    return rc ? rc : read_machine(r, root);
}

/* Measuring ---------------------------------------------------------------- */

static int read_reference_files(const struct reading *r, const struct js_at *root, const struct js_at *files)
{
    struct errand *errand = r->errand;
    struct reference *reference = &errand->reference;
    const size_t count = js_count(files);
    struct js_at file = {0};
    const char *name;

    errand->reference_names = calloc(count + 1, sizeof *errand->reference_names);
    errand->reference_paths = calloc(count + 1, sizeof *errand->reference_paths);
    if (!errand->reference_names || !errand->reference_paths)
        return err_memory(r->err);
    while (js_next(&file, files)) {
        const size_t i = reference->file_count;

        if (js_string(&name, &file, r->err))
            return r->err->code;
        errand->reference_paths[i] = input_path(r, root, name);
        if (!errand->reference_paths[i])
            return r->err->code;
        errand->reference_names[i] = strdup(file.key);
        if (!errand->reference_names[i])
            return err_memory(r->err);
        reference->file_count++;
    }
    reference->names = (const char *const *)errand->reference_names;
    reference->paths = (const char *const *)errand->reference_paths;
    return 0;
}

static int read_reference(const struct reading *r, const struct js_at *root)
{
    struct errand *errand = r->errand;
    struct js_at object, at;
    int rc;

    if (!js_find(&object, root, "reference"))
        return 0;
    if (js_find(&at, &object, "files"))
        return read_reference_files(r, root, &at);
    rc = read_code(&errand->reference.code, r, &object);
    if (!rc)
        rc = read_launch(&errand->reference_launch, r, root, &object);
    errand->reference.launch = &errand->reference_launch;
    return rc;
}

/* What the search has found out stands beside the rest, which is the same for trial after trial. */
static int read_protocol(const struct reading *r, const struct js_at *root)
{
    struct protocol *protocol = &r->errand->protocol;
    struct js_at at;

    if (get_shared(&at, r, root, "protocol") || protocol_from_json(protocol, &at, r->err) ||
        js_member(&at, root, "give_up_s", r->err) || js_real(&protocol->give_up_s, &at, r->err) ||
        js_member(&at, root, "rival_s", r->err) || js_real(&protocol->rival_s, &at, r->err))
        return r->err->code;
    return 0;
}

static int read_trial(const struct reading *r, const struct js_at *root)
{
    struct errand *errand = r->errand;
    struct js_at at;
    uint64_t gpu;

    errand->measure = true;
    if (js_member(&at, root, "gpu", r->err) || js_unsigned(&gpu, &at, r->err))
        return r->err->code;
    if (gpu >= errand->options->gpu_count)
        return err_set(r->err, ERR_MISSING, "there is no such GPU here");
    errand->gpu = gpu;
    if (read_protocol(r, root) || read_code(&errand->code, r, root) ||
        read_launch(&errand->launch, r, root, root))
        return r->err->code;
    return read_reference(r, root);
}

void errand_read(struct errand *errand, struct store *store, struct map *machines)
{
    const struct reading reading = {errand, store, machines, &errand->err};
    struct js_at root = js_root(errand->message.head, "request");
    const char *what;

    launch_init(&errand->launch);
    launch_init(&errand->reference_launch);
    if (get_string(&what, &reading, &root, "ask"))
        return;
    if (!strcmp(what, "compile"))
        read_compile(&reading, &root);
    else if (!strcmp(what, "trial"))
        read_trial(&reading, &root);
    else
        err_set(&errand->err, ERR_USAGE, "nobody can do \"%s\"", what);
}

static void free_texts(char **texts)
{
    for (size_t i = 0; texts && texts[i]; i++)
        free(texts[i]);
    free(texts);
}

void errand_free(struct errand *errand)
{
    message_release(&errand->message);
    free((char *)errand->text);
    free_texts(errand->compile_options);
    compile_result_release(&errand->compiled);
    code_facts_release(&errand->facts);
    launch_release(&errand->launch);
    launch_release(&errand->reference_launch);
    free((unsigned char *)errand->code.cubin);
    free((unsigned char *)errand->reference.code.cubin);
    free_texts(errand->reference_names);
    free_texts(errand->reference_paths);
    trial_release(&errand->trial);
    for (size_t i = 0; i < errand->shared_count; i++)
        js_free(errand->shared[i]);
    free(errand);
}
