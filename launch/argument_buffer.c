/* Global memory, and what every kind with memory shares. */
#include "base/hash.h"
#include "launch/argument_kind.h"
#include "launch/json_member.h"

#include <string.h>

static const char *const roles[] = {"in", "inout", "out", "scratch"};

const char *const reduction_texts[REDUCTION_COUNT] = {NULL, "sum", "min", "max"};

uint64_t memory_hash(uint64_t hash, const struct argument *argument)
{
    hash = hash_u64(hash_u64(hash_u64(hash, argument->type), argument->count), argument->role);
    if (argument->reduction)
        hash = hash_u64(hash_u64(hash, argument->reduction), argument->kept);
    return role_is_filled(argument->role) ? fill_hash(hash, &argument->fill) : hash;
}

void memory_write(struct js_line *line, const struct argument *argument)
{
    js_line_string(line, "type", element_text(argument->type));
    js_line_integer(line, "count", (int64_t)argument->count);
    js_line_string(line, "role", roles[argument->role]);
    if (argument->reduction) {
        js_line_string(line, "reduction", reduction_texts[argument->reduction]);
        js_line_integer(line, "kept", (int64_t)argument->kept);
    }
    if (argument->hidden)
        js_line_bool(line, "hidden", true);
    fill_write(line, &argument->fill);
}

/* What reduces to how many; the count is known. */
static int read_reduction(struct argument *argument, const struct js_at *at, struct err *err)
{
    struct js_at member;
    int64_t kept;
    int word;

    if (!js_find(&member, at, "reduction"))
        return 0;
    if (member_word(&word, at, "reduction", reduction_texts + 1, REDUCTION_COUNT - 1, err) ||
        member_integer(&kept, at, "kept", 1, INT64_MAX, err))
        return ERR_USAGE;
    if (argument->count % (uint64_t)kept)
        return js_fail(at, err, "kept: the count is no multiple of it");
    argument->reduction = (enum reduction)(word + 1);
    argument->kept = (uint64_t)kept;
    return 0;
}

int memory_read(struct argument *argument, const struct js_at *at, struct err *err)
{
    struct js_at hidden;
    const char *type;
    int64_t count;
    int role, element;

    if (!argument->name)
        return js_fail(at, err, "the field \"name\" is missing");
    if (member_string(&type, at, "type", err) || member_integer(&count, at, "count", 0, INT64_MAX, err) ||
        member_word(&role, at, "role", roles, sizeof roles / sizeof *roles, err) ||
        (js_find(&hidden, at, "hidden") && js_bool(&argument->hidden, &hidden, err)))
        return ERR_USAGE;
    element = element_parse(type);
    if (element < 0)
        return js_fail(at, err, "type: unknown %s", type);
    argument->type = (enum element_type)element;
    argument->count = (uint64_t)count;
    argument->role = (enum role)role;
    return read_reduction(argument, at, err) ? ERR_USAGE : fill_from_member(&argument->fill, at, err);
}

static size_t parameter_bytes(const struct argument *argument)
{
    return argument->hidden ? 0 : sizeof(uint64_t);
}

static int parameter(unsigned char *out, const struct argument *argument, size_t index,
                     const struct argument_place *place, struct err *err)
{
    const uint64_t address = place->address(place->context, index);

    (void)argument, (void)err;
    memcpy(out, &address, sizeof address);
    return 0;
}

const struct argument_ops argument_buffer = {
    .text = "buffer",
    .memory = ARGUMENT_OWN_MEMORY,
    .parameter_bytes = parameter_bytes,
    .parameter = parameter,
    .hash = memory_hash,
    .write = memory_write,
    .read = memory_read,
};
