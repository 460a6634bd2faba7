/* Numbers, raw bytes and structs: bytes passed by value, in which addresses of buffers may stand. */
#include "base/hash.h"
#include "launch/argument_kind.h"
#include "launch/json_member.h"
#include "launch/launch.h"

#include <stdlib.h>
#include <string.h>

enum { POINTER_BYTES = 8 };

static size_t parameter_bytes(const struct argument *argument)
{
    return argument->size;
}

static int parameter(unsigned char *out, const struct argument *argument, size_t index,
                     const struct argument_place *place, struct err *err)
{
    (void)index, (void)err;
    memcpy(out, argument->bytes, argument->size);
    for (size_t k = 0; k < argument->pointer_count; k++) {
        const struct argument_pointer *pointer = &argument->pointers[k];
        const uint64_t address = place->address(place->context, pointer->buffer);

        memcpy(out + pointer->offset, &address, POINTER_BYTES);
    }
    return 0;
}

static uint64_t hash_scalar(uint64_t hash, const struct argument *argument)
{
    hash = hash_bytes(hash_u64(hash, argument->size), argument->bytes, argument->size);
    for (size_t k = 0; k < argument->pointer_count; k++)
        hash = hash_u64(hash_u64(hash, argument->pointers[k].offset), argument->pointers[k].buffer);
    return hash;
}

static int check(const struct argument *argument, const struct launch *launch, struct err *err)
{
    for (size_t k = 0; k < argument->pointer_count; k++) {
        if (check_buffer(launch, argument->pointers[k].buffer, err))
            return ERR_USAGE;
        if (argument->size < POINTER_BYTES || argument->pointers[k].offset > argument->size - POINTER_BYTES)
            return err_set(err, ERR_USAGE, "pointers: lie outside of the %zu bytes", argument->size);
    }
    return 0;
}

static void write(struct js_line *line, const struct argument *argument)
{
    bytes_write(line, "bytes", argument->bytes, argument->size);
    if (!argument->pointer_count)
        return;
    js_line_array(line, "pointers"); /* offset and argument of each in turn */
    for (size_t k = 0; k < argument->pointer_count; k++) {
        js_line_integer(line, NULL, (int64_t)argument->pointers[k].offset);
        js_line_integer(line, NULL, (int64_t)argument->pointers[k].buffer);
    }
    js_line_close(line, ']');
}

static int read_pointers(struct argument *argument, const struct js_at *list, struct err *err)
{
    const size_t count = js_count(list) / 2;
    uint64_t numbers[2];

    if (js_expect(list, JS_ARRAY, err))
        return ERR_USAGE;
    argument->pointers = calloc(count + 1, sizeof *argument->pointers);
    if (!argument->pointers)
        return err_memory(err);
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < 2; i++) {
            const struct js_at at = js_element(list, 2 * k + i);

            if (js_unsigned(&numbers[i], &at, err))
                return ERR_USAGE;
        }
        argument->pointers[argument->pointer_count++] =
            (struct argument_pointer){.offset = numbers[0], .buffer = numbers[1]};
    }
    return 0;
}

static int read(struct argument *argument, const struct js_at *at, struct err *err)
{
    struct js_at list;
    const int rc = member_bytes(&argument->bytes, &argument->size, at, "bytes", err);

    return rc || !js_find(&list, at, "pointers") ? rc : read_pointers(argument, &list, err);
}

const struct argument_ops argument_scalar = {
    .text = "scalar",
    .memory = ARGUMENT_NO_MEMORY,
    .parameter_bytes = parameter_bytes,
    .parameter = parameter,
    .hash = hash_scalar,
    .check = check,
    .write = write,
    .read = read,
};
