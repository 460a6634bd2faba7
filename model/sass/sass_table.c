#include "model/sass/sass_table.h"

enum { SM75 = 1, SM80 = 2, SM86 = 4, SM89 = 8, SM90 = 16, SM100 = 32, SM120 = 64 };

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

static unsigned arch_of(unsigned sm)
{
    switch (sm) {
    case 75:
        return SM75;
    case 80:
        return SM80;
    case 86:
    case 87:
        return SM86;
    case 89:
        return SM89;
    case 90:
        return SM90;
    case 120:
    case 121:
        return SM120;
    default:
        return sm >= 100 && sm <= 110 ? SM100 : 0;
    }
}

bool sass_knows(unsigned sm)
{
    return arch_of(sm) != 0;
}

const struct encoding *sass_encoding(const uint64_t word[2], unsigned sm)
{
    const size_t count = sizeof encodings / sizeof encodings[0];
    unsigned opcode = word[0] & 0x1ff, arch = arch_of(sm);
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
        if ((encodings[low].forms & form) && (encodings[low].archs & arch))
            return &encodings[low];
    return NULL;
}
