#include "gpu/compile.h"

#include "base/compress.h"

#include <stdlib.h>
#include <string.h>

static void let_go_of_packed(struct compile_result *result)
{
    if (result->packed_holders && atomic_fetch_sub(result->packed_holders, 1) > 1)
        return;
    free(result->packed_holders);
    free(result->packed);
}

void compile_result_release(struct compile_result *result)
{
    free(result->cubin);
    let_go_of_packed(result);
    free(result->entry);
    free(result->diagnostic);
    free(result->log);
    memset(result, 0, sizeof *result);
}

int compile_result_unpack(struct compile_result *result, struct err *err)
{
    int rc;

    if (result->cubin || !result->packed)
        return 0;
    rc = compress_unpack(&result->cubin, result->cubin_bytes, result->packed, result->packed_bytes, err);
    if (rc || key_equal(key_bytes(result->cubin, result->cubin_bytes), result->content))
        return rc;
    free(result->cubin);
    result->cubin = NULL;
    return err_set(err, ERR_FORMAT, "compiled code is not what its key says");
}

int compile_result_pack(struct compile_result *result, struct err *err)
{
    if (result->packed || !result->cubin)
        return 0;
    result->content = key_bytes(result->cubin, result->cubin_bytes);
    return compress_pack(&result->packed, &result->packed_bytes, result->cubin, result->cubin_bytes, err);
}

static void *copy_bytes(const void *bytes, size_t size, bool *whole)
{
    void *copy = bytes ? malloc(size) : NULL;

    if (copy)
        memcpy(copy, bytes, size);
    *whole = *whole && (copy || !bytes);
    return copy;
}

static char *copy_text(const char *text, bool *whole)
{
    return copy_bytes(text, text ? strlen(text) + 1 : 0, whole);
}

static void share_packed(struct compile_result *result)
{
    if (!result->packed || result->packed_holders)
        return;
    result->packed_holders = malloc(sizeof *result->packed_holders);
    if (result->packed_holders)
        atomic_init(result->packed_holders, 1);
}

bool compile_result_share(struct compile_result *out, struct compile_result *from)
{
    bool whole = true;

    share_packed(from);
    *out = *from;
    out->cubin = copy_bytes(from->cubin, from->cubin_bytes, &whole);
    if (from->packed_holders)
        atomic_fetch_add(from->packed_holders, 1);
    else
        out->packed = copy_bytes(from->packed, from->packed_bytes, &whole);
    out->entry = copy_text(from->entry, &whole);
    out->diagnostic = copy_text(from->diagnostic, &whole);
    out->log = copy_text(from->log, &whole);
    out->cached = true;
    if (!whole)
        compile_result_release(out);
    return whole;
}
