/* What requests name, and what is the same in many of them. */
#include "tuner/remote/dispatching.h"

#include "base/compress.h"
#include "base/file.h"
#include "base/hash.h"
#include "tuner/remote/exchange.h"

#include <stdlib.h>
#include <string.h>

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
    shared_release(&files->shared);
    free(files->profile);
    *files = (struct dispatch_files){0};
}

int dispatch_give_packed(struct host *host, struct dispatch_files *files, struct key key, const void *bytes,
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

/* Inputs ------------------------------------------------------------------- */

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

void dispatch_begin_inputs(struct js_line *line, struct dispatch_files *files)
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
int dispatch_add_input(struct js_line *line, struct host *host, struct dispatch_files *files,
                       const char *path, struct err *err)
{
    const struct dispatch_input *input = input_of(files, path, err);

    if (!input)
        return ERR_USAGE;
    host_give(host, input->key, input->bytes, input->size);
    name_input(line, files->inputs_at, path, input->key);
    return 0;
}

int dispatch_add_inputs(struct js_line *line, struct host *host, struct dispatch_files *files,
                        const struct launch *launch, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; i < launch->argument_count && !rc; i++) {
        const struct fill *fill = &launch->arguments[i].fill;

        if (fill->kind == FILL_FILE && fill->path)
            rc = dispatch_add_input(line, host, files, fill->path, err);
    }
    return rc;
}

/* Launches ----------------------------------------------------------------- */

static int write_arguments(struct js_line *line, const char *key, const void *from, struct err *err)
{
    (void)err;
    launch_write_arguments(line, key, from);
    return 0;
}

/* Of all that is written: beside what tells launches apart, whether an argument is passed, and from which file. */
static uint64_t arguments_hash(const struct launch *launch)
{
    uint64_t hash = launch_arguments_hash(launch);

    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct argument *argument = &launch->arguments[i];

        hash = hash_u64(hash, argument->hidden);
        if (argument->fill.kind == FILL_FILE && argument->fill.path)
            hash = hash_text(hash, argument->fill.path);
    }
    return hash;
}

int dispatch_write_launch(struct js_line *line, struct host *host, struct dispatch_files *files,
                          const struct launch *launch, struct err *err)
{
    int rc;

    js_line_object(line, "launch");
    launch_write_geometry(line, launch);
    rc = shared_write(line, "arguments", host, &files->shared, arguments_hash(launch), write_arguments,
                      launch, err);
    js_line_close(line, '}');
    return rc;
}
