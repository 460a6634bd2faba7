/* How instructions are laid out: what sass_encodings.def is written in. Private to the files named sass_.
 *
 * An encoding says, for an opcode (bits 0 to 8), a set of forms (bits 9 to 11 and 91) and a set of
 * architectures, where the operands, modifiers and memory access stand. Bit numbers are over the 128-bit
 * word. Arithmetic has operand slots that move with the form:
 *
 *     form                     1    2    3     4    5     6    7
 *     bits 32 to 63 hold       R    imm  c[][] imm  c[][] UR   UR
 *     the second source is at  32   64   64    32   32    32   64
 *     the third source is at   64   32   32    64   64    64   32
 *
 * Forms 3 and 5 with bit 91 set name the constant bank in a uniform register. */
#ifndef MODEL_SASS_TABLE_H
#define MODEL_SASS_TABLE_H

#include "model/sass/arch/arch.h"
#include "model/sass/sass.h"

enum place {
    PLACE_END,
    PLACE_D,        /* register at 16 */
    PLACE_A,        /* register at 24 */
    PLACE_B,        /* see above */
    PLACE_C,        /* see above */
    PLACE_S,        /* whatever the form puts at 32 */
    PLACE_R,        /* register at `lo` */
    PLACE_U,        /* uniform register at `lo` */
    PLACE_P,        /* predicate at `lo` */
    PLACE_UP,       /* uniform predicate at `lo` */
    PLACE_I,        /* immediate of `width` bits at `lo` */
    PLACE_I33,      /* 33-bit signed immediate at 32 */
    PLACE_I64,      /* 64-bit immediate: low byte at 24, the rest at 32 to 87 */
    PLACE_SPECIAL,  /* special register at 72 */
    PLACE_CONVERGE, /* reconvergence register at `lo` */
    PLACE_SCOREBOARD,
    PLACE_LABEL
};

enum slot_flag {
    NEG = 1,        /* has a minus bit: 72, 63 or 75 (packed half at 64: 84) */
    ABS = 2,        /* has an absolute bit: 73, 62 or 74 (packed half at 64: 83) */
    INV = 4,        /* the minus bit means bitwise not */
    HALF = 8,       /* chooses halves of the register: 74-75, 60-61 or 81-82 */
    NOT = 16,       /* predicate with its inversion one bit above */
    PAIR = 32,      /* two registers; an immediate is its high half (FP64) or sign-extended */
    AS_TO = 64,     /* as many registers as the result type needs */
    AS_FROM = 128,  /* as many registers as the source type needs; an immediate is the high half of two */
    AS_DATA = 256,  /* as many registers as the memory access moves, else as the type needs */
    QUAD = 512,     /* four registers */
    PLAIN = 1024,   /* not of the uniform datapath in an operation that is */
    FLIPPED = 2048, /* predicate whose number is stored inverted: 0 is PT */
    THIRD = 4096,   /* reused through the third operand slot although it stands at 32 */
    EITHER = 8192,  /* the bit below tells a uniform predicate */
    LOW = 16384     /* chooses halves at 76-77 although it stands at 64 */
};

struct slot {
    uint8_t place;
    uint8_t lo, width;
    uint16_t flags;
};

/* A modifier: `width` bits at `lo`, with `low_width` further bits at `low` below them. */
struct field {
    uint8_t key; /* enum key, KEY_END ends the list */
    uint8_t lo, width;
    uint8_t low, low_width;
};

struct choice {
    const char *text; /* as printed; null: this value has no meaning, its bits stay unclaimed */
    uint8_t value;    /* of sass.mod[] */
};

struct key {
    uint8_t mod; /* enum sass_mod, or SASS_MOD_COUNT: only printed */
    uint16_t count;
    const struct choice *choices; /* null: the number itself, not printed */
};

enum key_id {
    KEY_END,
#define KEY(name, ...)        KEY_##name,
#define KEY_NUMBER(name, mod) KEY_##name,
#include "model/sass/sass_keys.def"
#undef KEY
#undef KEY_NUMBER
    KEY_COUNT
};

/* Where a memory access takes its address from. */
enum address {
    ADDRESS_NONE,
    ADDRESS_LOAD,         /* A, UR at 32; descriptor bit 76, 64-bit register bit 90 */
    ADDRESS_STORE,        /* the same with UR at 64 */
    ADDRESS_ATOM,         /* UR at 64; descriptor and 64-bit bits depend on the architecture */
    ADDRESS_ATOM_FLOAT,   /* likewise, other bits */
    ADDRESS_RED,          /* likewise */
    ADDRESS_LONG,         /* register only, offset of 32 bits at 32 */
    ADDRESS_CAS,          /* register only */
    ADDRESS_SHARED_U,     /* UR at 24 */
    ADDRESS_SHARED_LOAD,  /* A times scale, UR at 32 */
    ADDRESS_SHARED_STORE, /* A times scale, UR at 64 */
    ADDRESS_LDGSTS,       /* two of them */
    ADDRESS_BANK,         /* c[bank][A + offset] */
    ADDRESS_BANK_U,       /* c[bank][UR + offset] */
    ADDRESS_LDG256,
    ADDRESS_STG256,
    ADDRESS_OPAQUE /* texture, surface, tensor map: only space and direction are known */
};

struct layout {
    uint8_t address; /* enum address */
    uint8_t space, access;
    uint8_t bytes; /* 0: the width field at 73, or the atomic's type */
};

struct encoding {
    uint16_t op;
    uint16_t opcode;
    uint16_t forms; /* bit (form | bit 91 << 3) */
    uint8_t archs;  /* enum arch_encodings */
    bool uniform;   /* registers and predicates are those of the uniform datapath */
    struct slot destinations[SASS_DESTINATIONS];
    struct slot sources[SASS_SOURCES];
    struct field fields[10];
    struct layout layout;
};

/* The encoding of a word among those of an architecture, or null. */
const struct encoding *sass_encoding(const uint64_t word[2], enum arch_encodings set);

extern const struct key sass_keys[KEY_COUNT];

static inline uint64_t sass_bits(const uint64_t word[2], unsigned lo, unsigned width)
{
    uint64_t value = lo >= 64 ? word[1] >> (lo - 64) : word[0] >> lo;

    if (lo < 64 && lo + width > 64)
        value |= word[1] << (64 - lo);
    return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}

static inline unsigned sass_field(const uint64_t word[2], const struct field *field)
{
    return (unsigned)(sass_bits(word, field->lo, field->width) << field->low_width |
                      sass_bits(word, field->low, field->low_width));
}

#endif
