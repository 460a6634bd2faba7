#include "model/sass_table.h"

#include <string.h>

enum { SM75 = 1, SM80 = 2, SM86 = 4, SM89 = 8, SM90 = 16, SM100 = 32, SM120 = 64 };

#define PRINTED             SASS_MOD_COUNT
#define KEY(name, mod, ...) static const struct choice choices_##name[] = {__VA_ARGS__};
#define KEY_NUMBER(name, mod)
#include "model/sass_keys.def"
#undef KEY
#undef KEY_NUMBER

#define KEY(name, mod, ...)                                                                                  \
    [KEY_##name] = {mod, sizeof choices_##name / sizeof choices_##name[0], choices_##name},
#define KEY_NUMBER(name, mod) [KEY_##name] = {mod, 0, NULL},
const struct key sass_keys[KEY_COUNT] = {
#include "model/sass_keys.def"
};

static const struct encoding encodings[] = {
#define ENC(op, opcode, forms, archs, uniform, destinations, sources, fields, layout)                        \
    {SASS_##op, opcode, forms, archs, uniform, destinations, sources, fields, layout},
#include "model/sass_encodings.def"
};

/* The instruction that is being read. */
struct reader {
    struct sass *out;
    const struct encoding *encoding;
    unsigned form;
    unsigned port;          /* operand slot of the collector that the next source goes through: 0, 1, 2 */
    unsigned uniform_width; /* bits of a uniform register's number: 6 before sm_100, then 8 */
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

static void claim(struct reader *r, unsigned lo, unsigned width)
{
    unsigned i;

    for (i = lo; i < lo + width; i++)
        r->out->unclaimed[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static uint64_t take(struct reader *r, unsigned lo, unsigned width)
{
    claim(r, lo, width);
    return sass_bits(r->out->word, lo, width);
}

static int64_t sign_extend(uint64_t value, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);

    return (int64_t)((value ^ sign) - sign);
}

static unsigned type_bytes(unsigned type)
{
    static const uint8_t bytes[] = {
        [SASS_TYPE_U64] = 8,     [SASS_TYPE_S64] = 8,    [SASS_TYPE_F64] = 8,    [SASS_TYPE_F32X2] = 8,
        [SASS_TYPE_F16X4] = 8,   [SASS_TYPE_BF16X4] = 8, [SASS_TYPE_F32X4] = 16, [SASS_TYPE_F16X8] = 16,
        [SASS_TYPE_BF16X8] = 16, [SASS_TYPE_U128] = 16,
    };

    return type < sizeof bytes && bytes[type] ? bytes[type] : 4;
}

static void read_fields(struct reader *r)
{
    const struct field *field;

    for (field = r->encoding->fields; field->key != KEY_END; field++) {
        const struct key *key = &sass_keys[field->key];
        unsigned code = sass_field(r->out->word, field);

        if (key->choices && (code >= key->count || !key->choices[code].text))
            continue; /* no such modifier: its bits stay unclaimed */
        claim(r, field->lo, field->width);
        claim(r, field->low, field->low_width);
        if (key->mod < SASS_MOD_COUNT && !(key->mod == SASS_MOD_VARIANT && r->out->mod[SASS_MOD_VARIANT]))
            r->out->mod[key->mod] = key->choices ? key->choices[code].value : (uint8_t)code;
    }
}

/* Loads, stores and atomics say how much they move in different ways. */
static unsigned access_bytes(struct reader *r)
{
    static const uint8_t widths[8] = {1, 1, 2, 2, 4, 8, 16, 0};
    const struct layout *layout = &r->encoding->layout;

    if (layout->bytes)
        return layout->bytes * (r->out->mod[SASS_MOD_MATRICES] ? r->out->mod[SASS_MOD_MATRICES] : 1);
    if (layout->address == ADDRESS_OPAQUE || !layout->access || layout->access == SASS_PREFETCHES)
        return 0;
    if (layout->access & SASS_ATOMICALLY || r->encoding->op == SASS_LDGMC)
        return type_bytes(r->out->mod[SASS_MOD_TYPE]);
    if (layout->address == ADDRESS_LDGSTS && r->uniform_width == 8)
        return widths[4 + sass_bits(r->out->word, 74, 2)];
    return widths[sass_bits(r->out->word, 73, 3)];
}

static uint8_t uniform_register(struct reader *r, unsigned lo)
{
    unsigned number = (unsigned)take(r, lo, r->uniform_width);

    return (uint8_t)(r->uniform_width == 6 && number == 63 ? SASS_URZ : number);
}

/* Register plus uniform register or descriptor, and a 24-bit offset: what most accesses to memory have. The
 * bits that tell a descriptor and a 64-bit register wander between operations and architectures. */
static void read_global(struct reader *r, struct sass_access *access, unsigned uniform_lo)
{
    static const struct {
        uint8_t wide, descriptor, wide100,
            descriptor100; /* bit numbers, before and from sm_100; 0: always set */
    } bits[] = {
        [ADDRESS_LOAD] = {90, 76, 90, 76}, [ADDRESS_STORE] = {90, 76, 90, 76},
        [ADDRESS_ATOM] = {70, 71, 63, 76}, [ADDRESS_ATOM_FLOAT] = {70, 71, 63, 90},
        [ADDRESS_RED] = {90, 71, 90, 81},  [ADDRESS_LDGSTS] = {70, 76, 83, 76},
        [ADDRESS_LDG256] = {0, 76, 0, 76}, [ADDRESS_STG256] = {0, 76, 0, 76},
    };
    bool recent = r->uniform_width == 8;
    unsigned address = r->encoding->layout.address, wide, descriptor;

    access->index = (uint8_t)take(r, 24, 8);
    access->wide = sass_bits(r->out->word, 72, 1);
    if (!sass_bits(r->out->word, 91, 1))
        return;
    wide = recent ? bits[address].wide100 : bits[address].wide;
    descriptor = recent ? bits[address].descriptor100 : bits[address].descriptor;
    access->uniform = uniform_register(r, uniform_lo);
    access->uniform_wide = true;
    access->wide = wide == 0 || take(r, wide, 1);
    access->zero_extend = !access->wide;
    if (r->out->sm == 75 || !take(r, descriptor, 1))
        return;
    access->descriptor = access->uniform;
    access->uniform = SASS_URZ;
    access->uniform_wide = false;
}

static void read_shared(struct reader *r, struct sass_access *access, unsigned uniform_lo)
{
    access->index = (uint8_t)take(r, 24, 8);
    access->offset = (int32_t)sign_extend(take(r, 40, 24), 24);
    if (r->encoding->layout.space == SASS_SPACE_SHARED && r->encoding->op != SASS_LDSM &&
        r->encoding->op != SASS_STSM && r->encoding->op != SASS_SYNCS) {
        static const uint8_t scales[4] = {1, 4, 8, 16};

        access->scale = scales[take(r, 78, 2)];
    }
    if (sass_bits(r->out->word, 91, 1))
        access->uniform = uniform_register(r, uniform_lo);
}

static void read_bank(struct reader *r, struct sass_access *access, bool uniform)
{
    access->bank = (uint8_t)take(r, 54, 5);
    if (r->encoding->op == SASS_LDCU)
        access->offset = (int32_t)sign_extend(take(r, 37, 17), 17);
    else
        access->offset = (int32_t)sign_extend(take(r, 38, 16), 16);
    if (!uniform)
        access->index = (uint8_t)take(r, 24, 8);
    else if (r->uniform_width == 8)
        access->uniform = uniform_register(r, 24);
}

/* LDGSTS: [0] reads global memory at bits 24 and 32, [1] writes shared memory at 16 and 44. */
static void read_copy(struct reader *r)
{
    struct sass_access *from = &r->out->accesses[0], *to = &r->out->accesses[1];

    read_global(r, from, 64);
    from->offset = (int32_t)sign_extend(take(r, 32, 12), 12);
    *to = (struct sass_access){.space = SASS_SPACE_SHARED,
                               .access = SASS_WRITES,
                               .bytes = from->bytes,
                               .scale = 1,
                               .uniform = SASS_URZ,
                               .descriptor = SASS_URZ};
    to->index = (uint8_t)take(r, 16, 8);
    to->offset = (int32_t)sign_extend(take(r, 44, 20), 20);
    r->out->access_count = 2;
}

static void read_access(struct reader *r)
{
    const struct layout *layout = &r->encoding->layout;
    struct sass_access *access = &r->out->accesses[0];
    unsigned width;
    bool load = layout->address == ADDRESS_LOAD || layout->address == ADDRESS_SHARED_LOAD;

    if (layout->address == ADDRESS_NONE)
        return;
    *access = (struct sass_access){.space = layout->space,
                                   .access = layout->access,
                                   .scale = 1,
                                   .index = SASS_RZ,
                                   .uniform = SASS_URZ,
                                   .descriptor = SASS_URZ};
    r->out->access_count = 1;
    access->bytes = (uint8_t)access_bytes(r);
    access->sign = layout->access == SASS_READS && access->bytes < 4 && sass_bits(r->out->word, 73, 1);
    switch ((enum address)layout->address) {
    case ADDRESS_LOAD:
    case ADDRESS_STORE:
    case ADDRESS_ATOM:
    case ADDRESS_ATOM_FLOAT:
    case ADDRESS_RED:
    case ADDRESS_CAS:
        if (layout->address == ADDRESS_CAS) {
            access->index = (uint8_t)take(r, 24, 8);
            access->wide = sass_bits(r->out->word, 72, 1);
        } else {
            read_global(r, access, load ? 32 : 64);
        }
        /* From sm_100 on the top bit of an atomic's offset tells a 64-bit register. */
        width = r->out->unclaimed[0] >> 63 || sass_bits(r->out->word, 63, 1) == 0 ? 24 : 23;
        access->offset = (int32_t)sign_extend(take(r, 40, width), width);
        break;
    case ADDRESS_LONG:
        access->index = (uint8_t)take(r, 24, 8);
        access->wide = sass_bits(r->out->word, 72, 1);
        access->offset = (int32_t)take(r, 32, 32);
        break;
    case ADDRESS_LDG256:
        read_global(r, access, 32);
        access->offset = (int32_t)sign_extend(take(r, 40, 17), 17);
        break;
    case ADDRESS_STG256:
        read_global(r, access, 64);
        access->offset = (int32_t)sign_extend(take(r, 40, 19), 19);
        break;
    case ADDRESS_SHARED_LOAD:
    case ADDRESS_SHARED_STORE:
        read_shared(r, access, load ? 32 : 64);
        break;
    case ADDRESS_SHARED_U:
        access->uniform = uniform_register(r, 24);
        access->offset = (int32_t)sign_extend(take(r, 40, 24), 24);
        break;
    case ADDRESS_LDGSTS:
        read_copy(r);
        break;
    case ADDRESS_BANK:
    case ADDRESS_BANK_U:
        read_bank(r, access, layout->address == ADDRESS_BANK_U);
        break;
    case ADDRESS_NONE:
    case ADDRESS_OPAQUE:
        break;
    }
}

static unsigned slot_count(struct reader *r, unsigned flags)
{
    const uint8_t *mod = r->out->mod;

    if (flags & QUAD)
        return 4;
    if (flags & PAIR)
        return 2;
    if (flags & AS_TO)
        return type_bytes(mod[SASS_MOD_TO]) / 4;
    if (flags & AS_FROM)
        return type_bytes(mod[SASS_MOD_FROM]) / 4;
    if (flags & AS_DATA && r->out->access_count)
        return r->out->accesses[0].bytes > 4 ? r->out->accesses[0].bytes / 4 : 1;
    if (flags & AS_DATA)
        return type_bytes(mod[SASS_MOD_TYPE]) / 4;
    return 1;
}

static void read_register(struct reader *r, struct sass_operand *operand, unsigned lo, unsigned flags)
{
    operand->count = (uint8_t)slot_count(r, flags);
    if (r->encoding->uniform && !(flags & PLAIN)) {
        operand->kind = SASS_UNIFORM_REGISTER;
        operand->index = uniform_register(r, lo);
    } else {
        operand->kind = SASS_REGISTER;
        operand->index = (uint8_t)take(r, lo, 8);
    }
}

static void read_predicate(struct reader *r, struct sass_operand *operand, unsigned lo, unsigned flags,
                           bool uniform)
{
    if (flags & EITHER)
        uniform = take(r, lo - 1, 1);
    operand->kind = uniform ? SASS_UNIFORM_PREDICATE : SASS_PREDICATE;
    operand->count = 1;
    operand->index = (uint8_t)(take(r, lo, 3) ^ (flags & FLIPPED ? SASS_PT : 0));
    operand->invert = flags & NOT && take(r, lo + 3, 1);
}

/* Minus, absolute value, halves and reuse of the source at bit 24, 32 or 64. */
static void read_signs(struct reader *r, struct sass_operand *operand, unsigned lo, unsigned flags)
{
    bool far = flags & HALF && lo == 64;
    unsigned negate = lo == 24 ? 72 : lo == 32 ? 63 : far ? 84 : 75;
    unsigned absolute = lo == 24 ? 73 : lo == 32 ? 62 : far ? 83 : 74;
    unsigned half = lo == 24 ? 74 : lo == 32 ? 60 : 81;
    bool carry = r->out->mod[SASS_MOD_EXTENDED];

    if (flags & NEG && take(r, negate, 1)) {
        operand->invert = flags & INV || carry;
        operand->negate = !operand->invert;
    }
    if (flags & ABS)
        operand->absolute = take(r, absolute, 1);
    if (flags & HALF) {
        static const uint8_t packed[4] = {SASS_PART_WHOLE, SASS_PART_WHOLE, SASS_PART_H0_H0, SASS_PART_H1_H1};
        static const uint8_t single[4] = {SASS_PART_WHOLE, SASS_PART_H1, SASS_PART_WHOLE, SASS_PART_WHOLE};
        bool convert = sass_info(r->out->op)->class == SASS_CLASS_CONVERT;

        operand->part = (convert ? single : packed)[take(r, half, 2)];
    }
    if (operand->kind == SASS_REGISTER)
        operand->reuse = r->out->control.reuse >> r->port & 1;
}

static void read_immediate(struct reader *r, struct sass_operand *operand, unsigned flags)
{
    operand->kind = SASS_IMMEDIATE;
    operand->count = (uint8_t)slot_count(r, flags);
    operand->value = take(r, 32, 32);
    if (operand->count != 2)
        return;
    if (sass_info(r->out->op)->class == SASS_CLASS_FP64)
        operand->value <<= 32;
    else
        operand->value = (uint64_t)sign_extend(operand->value, 32);
}

static void read_constant(struct reader *r, struct sass_operand *operand, unsigned flags)
{
    operand->kind = SASS_CONSTANT;
    operand->count = (uint8_t)slot_count(r, flags);
    operand->value = take(r, 38, 16);
    operand->bindless = sass_bits(r->out->word, 91, 1);
    if (operand->bindless)
        operand->index = uniform_register(r, 32);
    else
        operand->bank = (uint8_t)take(r, 54, 5);
}

/* What stands at bits 32 to 63, by form. */
static void read_flexible(struct reader *r, struct sass_operand *operand, unsigned flags)
{
    bool uniform = r->encoding->uniform;

    switch (r->form) {
    case 2:
    case 4:
        read_immediate(r, operand, flags);
        return;
    case 3:
    case 5:
        read_constant(r, operand, flags);
        break;
    case 6:
    case 7:
        operand->kind = SASS_UNIFORM_REGISTER;
        operand->count = (uint8_t)slot_count(r, flags);
        operand->index = uniform_register(r, 32);
        break;
    default:
        read_register(r, operand, 32, flags);
    }
    if (!uniform || r->form != 2)
        read_signs(r, operand, 32, flags);
}

static void read_source(struct reader *r, struct sass_operand *operand, unsigned lo, unsigned flags)
{
    read_register(r, operand, lo, flags);
    read_signs(r, operand, lo, flags);
}

/* Branches count from the next instruction in words of 4 bytes. From sm_90 on the offset's low byte has
 * moved down to bit 16. */
static void read_target(struct reader *r)
{
    uint64_t offset;

    r->out->has_target = r->out->op != SASS_BRX && r->out->op != SASS_BRXU && r->out->op != SASS_RET;
    if (r->out->op == SASS_WARPSYNC && !r->out->mod[SASS_MOD_VARIANT]) {
        r->out->has_target = false;
        return;
    }
    if (r->out->op == SASS_BSSY) {
        r->out->target = r->out->pc + SASS_BYTES + sign_extend(take(r, 32, 32), 32);
        return;
    }
    if (r->out->op == SASS_LEPC) {
        offset = take(r, 34, 48) << 8 | take(r, 24, 8);
        r->out->target = r->out->pc + SASS_BYTES + sign_extend(offset, 56);
        return;
    }
    offset = take(r, 34, 48);
    if (r->out->sm >= 90)
        r->out->target = sign_extend(offset << 8 | take(r, 16, 8), 56);
    else
        r->out->target = sign_extend(offset, 48);
    r->out->target = r->out->pc + SASS_BYTES + 4 * r->out->target;
}

static unsigned slot_port(const struct slot *slot)
{
    switch (slot->place) {
    case PLACE_B:
        return 1;
    case PLACE_C:
        return 2;
    case PLACE_S:
        return slot->flags & THIRD ? 2 : 1;
    case PLACE_R:
        return slot->lo == 24 ? 0 : slot->lo == 32 ? 1 : 2;
    default:
        return 0;
    }
}

static void read_slot(struct reader *r, struct sass_operand *operand, const struct slot *slot)
{
    bool swapped = r->form == 2 || r->form == 3 || r->form == 7;
    unsigned flags = slot->flags;

    operand->count = 1;
    r->port = slot_port(slot);
    switch ((enum place)slot->place) {
    case PLACE_D:
        read_register(r, operand, 16, flags);
        break;
    case PLACE_A:
        read_source(r, operand, 24, flags);
        break;
    case PLACE_B:
    case PLACE_C:
        if (swapped == (slot->place == PLACE_C))
            read_flexible(r, operand, flags);
        else
            read_source(r, operand, 64, flags);
        break;
    case PLACE_S:
        read_flexible(r, operand, flags);
        break;
    case PLACE_R:
        if (slot->lo == 16)
            read_register(r, operand, 16, flags);
        else
            read_source(r, operand, slot->lo, flags);
        break;
    case PLACE_U:
        operand->kind = SASS_UNIFORM_REGISTER;
        operand->index = uniform_register(r, slot->lo);
        operand->invert = flags & NOT && r->uniform_width == 6 && take(r, slot->lo + 6, 1);
        break;
    case PLACE_P:
        read_predicate(r, operand, slot->lo, flags, r->encoding->uniform && !(flags & PLAIN));
        break;
    case PLACE_UP:
        read_predicate(r, operand, slot->lo, flags, true);
        break;
    case PLACE_I:
        operand->kind = SASS_IMMEDIATE;
        operand->value = take(r, slot->lo, slot->width);
        break;
    case PLACE_I33:
        operand->kind = SASS_IMMEDIATE;
        operand->count = 2;
        operand->value = (uint64_t)sign_extend(take(r, 32, 33), 33);
        break;
    case PLACE_I64:
        operand->kind = SASS_IMMEDIATE;
        operand->count = 2;
        operand->value = take(r, 32, 56) << 8 | take(r, 24, 8);
        break;
    case PLACE_SPECIAL:
        operand->kind = SASS_SPECIAL;
        operand->value = take(r, 72, 8);
        break;
    case PLACE_CONVERGE:
        operand->kind = SASS_RECONVERGENCE;
        operand->index = (uint8_t)take(r, slot->lo, slot->width);
        break;
    case PLACE_SCOREBOARD:
        operand->kind = SASS_SCOREBOARD;
        operand->index = (uint8_t)take(r, slot->lo, slot->width);
        break;
    case PLACE_LABEL:
        operand->kind = SASS_LABEL;
        read_target(r);
        break;
    case PLACE_END:
        break;
    }
}

static void read_control(struct sass *out)
{
    out->control.stall = (uint8_t)sass_bits(out->word, 105, 4);
    out->control.yield = !sass_bits(out->word, 109, 1);
    out->control.write_barrier = (uint8_t)sass_bits(out->word, 110, 3);
    out->control.read_barrier = (uint8_t)sass_bits(out->word, 113, 3);
    out->control.wait_mask = (uint8_t)sass_bits(out->word, 116, 6);
    out->control.reuse = (uint8_t)sass_bits(out->word, 122, 4);
}

/* Registers of the fragments of a tensor operation: of the result, A, B and C. */
static void size_fragments(struct sass *out)
{
    static const struct {
        uint8_t shape, a, b, c; /* for 8-byte elements of C in DMMA and 32-bit ones elsewhere */
    } rows[] = {
        {SASS_M8N8K4, 2, 2, 4},    {SASS_M16N8K4, 2, 1, 4},   {SASS_M16N8K8, 2, 1, 4},
        {SASS_M16N8K16, 4, 2, 4},  {SASS_M16N8K32, 4, 2, 4},  {SASS_M16N8K64, 4, 2, 4},
        {SASS_M8N8K16, 1, 1, 2},   {SASS_M8N8K32, 1, 1, 2},   {SASS_M8N8K128, 1, 1, 2},
        {SASS_M16N8K128, 2, 1, 4}, {SASS_M16N8K256, 4, 2, 4},
    };
    unsigned shape = out->mod[SASS_MOD_SHAPE], half = out->mod[SASS_MOD_TO] == SASS_TYPE_F16;
    size_t i;

    if (out->op == SASS_MOVM || !shape || out->source_count < 3 || !out->destination_count)
        return;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].shape == shape)
            break;
    if (i == sizeof rows / sizeof rows[0])
        return;
    out->sources[0].count = rows[i].a;
    out->sources[1].count = rows[i].b;
    out->sources[2].count = out->destinations[0].count = (uint8_t)(half ? rows[i].c / 2 : rows[i].c);
    if (out->op == SASS_IMMA && shape == SASS_M16N8K16) {
        out->sources[0].count = 2;
        out->sources[1].count = 1;
    }
    if (out->mod[SASS_MOD_SPARSE])
        out->sources[1].count *= 2;
}

/* Makes integer types tell the same on every architecture. */
static void settle_types(struct sass *out)
{
    uint8_t *mod = out->mod;
    unsigned op = out->op;

    if ((op == SASS_ISETP || op == SASS_UISETP || op == SASS_IMNMX) && !mod[SASS_MOD_TYPE])
        mod[SASS_MOD_TYPE] = mod[SASS_MOD_SIGNED] ? SASS_TYPE_S32 : SASS_TYPE_U32;
    switch (mod[SASS_MOD_TYPE]) {
    case SASS_TYPE_S8:
    case SASS_TYPE_S16:
    case SASS_TYPE_S32:
    case SASS_TYPE_S64:
    case SASS_TYPE_S16X2:
    case SASS_TYPE_S8X4:
        mod[SASS_MOD_SIGNED] = 1;
    }
}

/* A slot that an operation does not use holds RZ or PT, which says nothing. */
static void claim_absent(struct reader *r)
{
    static const uint8_t registers[] = {16, 24, 32, 64}, predicates[] = {81, 84, 87};
    const uint64_t *unclaimed = r->out->unclaimed;
    size_t i;

    for (i = 0; i < sizeof registers; i++) {
        if (sass_bits(unclaimed, registers[i], 8) == SASS_RZ)
            claim(r, registers[i], 8);
        if (r->uniform_width == 6 && sass_bits(unclaimed, registers[i], 8) == 63)
            claim(r, registers[i], 6);
    }
    for (i = 0; i < sizeof predicates; i++)
        if (sass_bits(unclaimed, predicates[i], 3) == SASS_PT)
            claim(r, predicates[i], 3);
}

/* Predicates whose bits are idle unless a modifier asks for them read as PT. */
static void settle_predicates(struct sass *out)
{
    bool fma = out->op == SASS_HFMA2 || out->op == SASS_HFMA2_MMA;
    bool idle = (fma && !out->mod[SASS_MOD_RELU]) ||
                (out->op == SASS_BAR && out->mod[SASS_MOD_BARRIER] < SASS_BAR_RED_POPC);
    struct sass_operand *last;

    if (!out->source_count)
        return;
    last = &out->sources[out->source_count - 1];
    if (idle && last->kind == SASS_PREDICATE && last->index == 0)
        last->index = SASS_PT;
    if (out->op == SASS_HMMA || out->op == SASS_QMMA || out->op == SASS_IMMA || out->op == SASS_BMMA ||
        out->op == SASS_DMMA)
        if (last->kind == SASS_UNIFORM_PREDICATE && last->index == 0 && !last->invert)
            last->index = SASS_PT;
}

void sass_decode(struct sass *out, const unsigned char bytes[SASS_BYTES], uint32_t pc, unsigned sm)
{
    struct reader r = {.out = out};
    int i;

    memset(out, 0, sizeof *out);
    for (i = 0; i < SASS_BYTES; i++)
        out->word[i / 8] |= (uint64_t)bytes[i] << (i % 8 * 8);
    out->pc = pc;
    out->sm = (uint8_t)sm;
    out->opcode = (uint16_t)((out->word[0] & 0xfff) | sass_bits(out->word, 91, 1) << 12);
    out->guard = (uint8_t)sass_bits(out->word, 12, 3);
    out->guard_negated = sass_bits(out->word, 15, 1);
    read_control(out);
    out->unclaimed[0] = out->word[0];
    out->unclaimed[1] = out->word[1];
    claim(&r, 0, 16);
    claim(&r, 91, 1);
    claim(&r, 105, 21);

    r.encoding = sass_encoding(out->word, sm);
    if (r.encoding) {
        const struct slot *slot;

        out->op = r.encoding->op;
        out->guard_uniform = r.encoding->uniform;
        r.form = (unsigned)sass_bits(out->word, 9, 3);
        r.uniform_width = sm >= 100 ? 8 : 6;
        read_fields(&r);
        read_access(&r);
        for (slot = r.encoding->destinations; slot < r.encoding->destinations + SASS_DESTINATIONS; slot++)
            if (slot->place != PLACE_END)
                read_slot(&r, &out->destinations[out->destination_count++], slot);
        for (slot = r.encoding->sources; slot < r.encoding->sources + SASS_SOURCES; slot++)
            if (slot->place != PLACE_END)
                read_slot(&r, &out->sources[out->source_count++], slot);
        size_fragments(out);
        settle_types(out);
        settle_predicates(out);
        claim_absent(&r);
    }
    out->unclaimed_bits =
        (uint8_t)(__builtin_popcountll(out->unclaimed[0]) + __builtin_popcountll(out->unclaimed[1]));
}
