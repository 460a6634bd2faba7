#include "model/sass/sass_table.h"

#define PRINTED             SASS_MOD_COUNT
#define KEY(name, mod, ...) static const struct choice choices_##name[] = {__VA_ARGS__};
#define KEY_NUMBER(name, mod)
#include "model/sass/sass_keys.def"
#undef KEY
#undef KEY_NUMBER

#define KEY(name, mod, ...)                                                                                  \
    [KEY_##name] = {mod, sizeof choices_##name / sizeof choices_##name[0], choices_##name},
#define KEY_NUMBER(name, mod) [KEY_##name] = {mod, 0, NULL},
const struct key sass_keys[KEY_COUNT] = {
#include "model/sass/sass_keys.def"
};

static const struct encoding encodings[] = {
#define ENC(op, opcode, forms, archs, uniform, destinations, sources, fields, layout)                        \
    {SASS_##op, opcode, forms, archs, uniform, destinations, sources, fields, layout},
#include "model/sass/sass_encodings.def"
};

const struct encoding *sass_encoding(const uint64_t word[2], enum arch_encodings set)
{
    const size_t count = sizeof encodings / sizeof encodings[0];
    unsigned opcode = word[0] & 0x1ff;
    unsigned form = 1u << (sass_bits(word, 9, 3) | sass_bits(word, 91, 1) << 3);
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (encodings[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && encodings[low].opcode == opcode; low++)
        if ((encodings[low].forms & form) && (encodings[low].archs & set))
            return &encodings[low];
    return NULL;
}
