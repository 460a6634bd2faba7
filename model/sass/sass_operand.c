/* The operands of an instruction, out of its bits. */
#include "model/sass/sass_reader.h"

void reader_claim(struct reader *r, unsigned lo, unsigned width)
{
    for (unsigned i = lo; i < lo + width; i++)
        r->out->unclaimed[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

uint64_t reader_take(struct reader *r, unsigned lo, unsigned width)
{
    reader_claim(r, lo, width);
    return sass_bits(r->out->word, lo, width);
}

int64_t sass_sign_extend(uint64_t value, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);

    return (int64_t)((value ^ sign) - sign);
}

unsigned sass_type_bytes(unsigned type)
{
    static const uint8_t bytes[] = {
        [SASS_TYPE_U64] = 8,     [SASS_TYPE_S64] = 8,    [SASS_TYPE_F64] = 8,    [SASS_TYPE_F32X2] = 8,
        [SASS_TYPE_F16X4] = 8,   [SASS_TYPE_BF16X4] = 8, [SASS_TYPE_F32X4] = 16, [SASS_TYPE_F16X8] = 16,
        [SASS_TYPE_BF16X8] = 16, [SASS_TYPE_U128] = 16,
    };

    return type < sizeof bytes && bytes[type] ? bytes[type] : 4;
}

uint8_t reader_uniform(struct reader *r, unsigned lo)
{
    const unsigned bits = r->arch->uniform_bits, number = (unsigned)reader_take(r, lo, bits);

    return (uint8_t)(number == (1u << bits) - 1 ? SASS_URZ : number);
}

static unsigned slot_count(struct reader *r, unsigned flags)
{
    const uint8_t *mod = r->out->mod;

    if (flags & QUAD)
        return 4;
    if (flags & PAIR)
        return 2;
    if (flags & AS_TO)
        return sass_type_bytes(mod[SASS_MOD_TO]) / 4;
    if (flags & AS_FROM)
        return sass_type_bytes(mod[SASS_MOD_FROM]) / 4;
    if (flags & AS_DATA && r->out->access_count)
        return r->out->accesses[0].bytes > 4 ? r->out->accesses[0].bytes / 4 : 1;
    if (flags & AS_DATA)
        return sass_type_bytes(mod[SASS_MOD_TYPE]) / 4;
    return 1;
}

static void read_register(struct reader *r, struct sass_operand *operand, unsigned lo, unsigned flags)
{
    operand->count = (uint8_t)slot_count(r, flags);
    if (r->encoding->uniform && !(flags & PLAIN)) {
        operand->kind = SASS_UNIFORM_REGISTER;
        operand->index = reader_uniform(r, lo);
    } else {
        operand->kind = SASS_REGISTER;
        operand->index = (uint8_t)reader_take(r, lo, 8);
    }
}

static void read_predicate(struct reader *r, struct sass_operand *operand, unsigned lo, unsigned flags,
                           bool uniform)
{
    if (flags & EITHER)
        uniform = reader_take(r, lo - 1, 1);
    operand->kind = uniform ? SASS_UNIFORM_PREDICATE : SASS_PREDICATE;
    operand->count = 1;
    operand->index = (uint8_t)(reader_take(r, lo, 3) ^ (flags & FLIPPED ? SASS_PT : 0));
    operand->invert = flags & NOT && reader_take(r, lo + 3, 1);
}

/* Minus, absolute value, halves and reuse of the source at bit 24, 32 or 64. */
static void read_signs(struct reader *r, struct sass_operand *operand, unsigned lo, unsigned flags)
{
    bool far = flags & HALF && lo == 64;
    unsigned negate = lo == 24 ? 72 : lo == 32 ? 63 : far ? 84 : 75;
    unsigned absolute = lo == 24 ? 73 : lo == 32 ? 62 : far ? 83 : 74;
    unsigned half = lo == 24 ? 74 : lo == 32 ? 60 : flags & LOW ? 76 : 81;
    bool carry = r->out->mod[SASS_MOD_EXTENDED];

    if (flags & NEG && reader_take(r, negate, 1)) {
        operand->invert = flags & INV || carry;
        operand->negate = !operand->invert;
    }
    if (flags & ABS)
        operand->absolute = reader_take(r, absolute, 1);
    if (flags & HALF) {
        static const uint8_t packed[4] = {SASS_PART_WHOLE, SASS_PART_WHOLE, SASS_PART_H0_H0, SASS_PART_H1_H1};
        static const uint8_t single[4] = {SASS_PART_WHOLE, SASS_PART_H1, SASS_PART_WHOLE, SASS_PART_WHOLE};
        static const uint8_t byte[4] = {SASS_PART_WHOLE, SASS_PART_B1, SASS_PART_B2, SASS_PART_B3};
        const unsigned from = r->out->mod[SASS_MOD_FROM];
        const bool convert = sass_info(r->out->op)->class == SASS_CLASS_CONVERT || r->out->op == SASS_UI2F;
        const bool bytes = from == SASS_TYPE_U8 || from == SASS_TYPE_S8;

        operand->part = (!convert ? packed : bytes ? byte : single)[reader_take(r, half, 2)];
    }
    if (operand->kind == SASS_REGISTER) {
        operand->port = (uint8_t)r->port;
        operand->reuse = r->out->control.reuse >> r->port & 1;
    }
}

static void read_immediate(struct reader *r, struct sass_operand *operand, unsigned flags)
{
    operand->kind = SASS_IMMEDIATE;
    operand->count = (uint8_t)slot_count(r, flags);
    operand->value = reader_take(r, 32, 32);
    if (operand->count != 2)
        return;
    if (sass_info(r->out->op)->class == SASS_CLASS_FP64 || flags & (AS_TO | AS_FROM))
        operand->value <<= 32;
    else
        operand->value = (uint64_t)sass_sign_extend(operand->value, 32);
}

static void read_constant(struct reader *r, struct sass_operand *operand, unsigned flags)
{
    operand->kind = SASS_CONSTANT;
    operand->count = (uint8_t)slot_count(r, flags);
    operand->value = reader_take(r, 38, 16);
    operand->bindless = sass_bits(r->out->word, 91, 1);
    if (operand->bindless)
        operand->index = reader_uniform(r, 32);
    else
        operand->bank = (uint8_t)reader_take(r, 54, 5);
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
        operand->index = reader_uniform(r, 32);
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

/* Branches count from the next instruction in words of 4 bytes (enum arch_branches). */
static void read_target(struct reader *r)
{
    uint64_t offset;

    r->out->has_target = r->out->op != SASS_BRX && r->out->op != SASS_BRXU && r->out->op != SASS_RET;
    if (r->out->op == SASS_WARPSYNC && r->out->mod[SASS_MOD_VARIANT] != 1) {
        r->out->has_target = false;
        return;
    }
    if (r->out->op == SASS_BSSY) {
        r->out->target = r->out->pc + SASS_BYTES + sass_sign_extend(reader_take(r, 32, 32), 32);
        return;
    }
    if (r->out->op == SASS_LEPC) {
        offset = reader_take(r, 34, 48) << 8 | reader_take(r, 24, 8);
        r->out->target = r->out->pc + SASS_BYTES + sass_sign_extend(offset, 56);
        return;
    }
    offset = reader_take(r, 34, 48);
    if (r->arch->branches == ARCH_BRANCHES_56)
        r->out->target = sass_sign_extend(offset << 8 | reader_take(r, 16, 8), 56);
    else
        r->out->target = sass_sign_extend(offset, 48);
    r->out->target *= 4;
    if (r->out->op != SASS_CALL || !r->out->mod[SASS_MOD_VARIANT]) /* .ABS */
        r->out->target += r->out->pc + SASS_BYTES;
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

static void put_value(struct sass_operand *operand, enum sass_operand_kind kind, unsigned count,
                      uint64_t value)
{
    operand->kind = (uint8_t)kind;
    operand->count = (uint8_t)count;
    operand->value = value;
}

static void put_index(struct sass_operand *operand, enum sass_operand_kind kind, uint64_t index)
{
    operand->kind = (uint8_t)kind;
    operand->index = (uint8_t)index;
}

/* Slots of vector and uniform registers and of what may stand in their stead; false for another slot. */
static bool read_register_slot(struct reader *r, struct sass_operand *operand, const struct slot *slot)
{
    const bool swapped = r->form == 2 || r->form == 3 || r->form == 7;

    switch ((enum place)slot->place) {
    case PLACE_D:
        read_register(r, operand, 16, slot->flags);
        return true;
    case PLACE_A:
        read_source(r, operand, 24, slot->flags);
        return true;
    case PLACE_B:
    case PLACE_C:
        if (swapped == (slot->place == PLACE_C))
            read_flexible(r, operand, slot->flags);
        else
            read_source(r, operand, 64, slot->flags);
        return true;
    case PLACE_S:
        read_flexible(r, operand, slot->flags);
        return true;
    case PLACE_R:
        if (slot->lo == 16)
            read_register(r, operand, 16, slot->flags);
        else
            read_source(r, operand, slot->lo, slot->flags);
        return true;
    case PLACE_U:
        put_index(operand, SASS_UNIFORM_REGISTER, reader_uniform(r, slot->lo));
        operand->count = slot->flags & PAIR ? 2 : 1;
        operand->invert = slot->flags & NOT && r->arch->uniform_bits < READER_REGISTER_BITS &&
                          reader_take(r, slot->lo + r->arch->uniform_bits, 1);
        return true;
    default:
        return false;
    }
}

void reader_slot(struct reader *r, struct sass_operand *operand, const struct slot *slot)
{
    operand->count = 1;
    r->port = slot_port(slot);
    if (read_register_slot(r, operand, slot))
        return;
    switch ((enum place)slot->place) {
    case PLACE_P:
        read_predicate(r, operand, slot->lo, slot->flags, r->encoding->uniform && !(slot->flags & PLAIN));
        break;
    case PLACE_UP:
        read_predicate(r, operand, slot->lo, slot->flags, true);
        break;
    case PLACE_I:
        put_value(operand, SASS_IMMEDIATE, 1, reader_take(r, slot->lo, slot->width));
        break;
    case PLACE_I33:
        put_value(operand, SASS_IMMEDIATE, 2, (uint64_t)sass_sign_extend(reader_take(r, 32, 33), 33));
        break;
    case PLACE_I64:
        put_value(operand, SASS_IMMEDIATE, 2, reader_take(r, 32, 56) << 8 | reader_take(r, 24, 8));
        break;
    case PLACE_SPECIAL:
        put_value(operand, SASS_SPECIAL, 1, reader_take(r, 72, 8));
        break;
    case PLACE_CONVERGE:
        put_index(operand, SASS_RECONVERGENCE, reader_take(r, slot->lo, slot->width));
        break;
    case PLACE_SCOREBOARD:
        put_index(operand, SASS_SCOREBOARD, reader_take(r, slot->lo, slot->width));
        break;
    case PLACE_LABEL:
        operand->kind = SASS_LABEL;
        read_target(r);
        break;
    default:
        break;
    }
}
