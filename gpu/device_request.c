#include "gpu/device_request.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

int request_read_code(struct code *out, struct request *request, const struct js_at *object, struct err *err)
{
    const struct message *message = request->message;
    struct js_at at;
    uint64_t bytes;
    unsigned char *copy;
    int rc = js_member(&at, object, "entry", err) || js_string(&out->entry, &at, err) ||
             js_member(&at, object, "code_bytes", err) || js_unsigned(&bytes, &at, err);

    if (rc)
        return err->code;
    if (bytes > message->payload_bytes - request->payload_used)
        return err_set(err, ERR_FORMAT, "the request is shorter than it says");
    copy = malloc(bytes + 1);
    if (!copy)
        return err_memory(err);
    memcpy(copy, message->payload + request->payload_used, bytes);
    copy[bytes] = '\0';
    request->payload_used += bytes;
    out->cubin = copy;
    out->cubin_bytes = bytes;
    return 0;
}

int request_read_launch(struct launch *out, const struct js_at *object, struct err *err)
{
    struct js_at at;
    int rc = js_member(&at, object, "launch", err);

    return rc ? rc : launch_from_json(out, &at, err);
}

static int read_files(struct bench_reference *out, const struct js_at *files, struct err *err)
{
    size_t n = js_count(files);
    struct js_at file = {0};

    out->names = calloc(n + 1, sizeof *out->names);
    out->paths = calloc(n + 1, sizeof *out->paths);
    if (!out->names || !out->paths)
        return err_memory(err);
    while (js_next(&file, files)) {
        const char *path;

        if (js_string(&path, &file, err))
            return err->code;
        out->names[out->file_count] = strdup(file.key);
        out->paths[out->file_count++] = strdup(path);
        if (!out->names[out->file_count - 1] || !out->paths[out->file_count - 1])
            return err_memory(err);
    }
    return 0;
}

static uint64_t reference_key(const struct bench_reference *reference)
{
    uint64_t hash = HASH_START;

    if (reference->launch) {
        hash = hash_bytes(hash, reference->code.cubin, reference->code.cubin_bytes);
        hash = hash_text(hash, reference->code.entry);
        hash = hash_u64(hash, launch_result_hash(reference->launch));
    }
    for (size_t i = 0; i < reference->file_count; i++) {
        hash = hash_text(hash, reference->names[i]);
        hash = hash_text(hash, reference->paths[i]);
    }
    return hash ? hash : 1;
}

int request_read_reference(struct request *request, const struct js_at *root, struct err *err)
{
    struct js_at object, at;
    int rc = 0;

    if (!js_find(&object, root, "reference"))
        return 0;
    if (js_find(&at, &object, "launch")) {
        rc = request_read_code(&request->reference.code, request, &object, err);
        if (!rc)
            rc = launch_from_json(&request->reference_launch, &at, err);
        request->reference.launch = &request->reference_launch;
    } else if (js_find(&at, &object, "files")) {
        rc = read_files(&request->reference, &at, err);
    }
    if (!rc)
        request->reference.key = reference_key(&request->reference);
    return rc;
}

void request_release(struct request *request)
{
    launch_release(&request->launch);
    launch_release(&request->reference_launch);
    free((void *)request->code.cubin);
    free((void *)request->reference.code.cubin);
    for (size_t i = 0; i < request->reference.file_count; i++) {
        free(request->reference.names[i]);
        free(request->reference.paths[i]);
    }
    free(request->reference.names);
    free(request->reference.paths);
}
