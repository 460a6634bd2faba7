#include "model/sass/sass_reader.h"

#include <string.h>

static void read_fields(struct reader *r)
{
    const struct field *field;

    for (field = r->encoding->fields; field->key != KEY_END; field++) {
        const struct key *key = &sass_keys[field->key];
        unsigned code = sass_field(r->out->word, field);

        if (key->choices && (code >= key->count || !key->choices[code].text))
            continue; /* no such modifier: its bits stay unclaimed */
        reader_claim(r, field->lo, field->width);
        reader_claim(r, field->low, field->low_width);
        if (key->mod < SASS_MOD_COUNT && !(key->mod == SASS_MOD_VARIANT && r->out->mod[SASS_MOD_VARIANT]))
            r->out->mod[key->mod] = key->choices ? key->choices[code].value : (uint8_t)code;
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

/* The same of a warp group's: a warp holds 16 rows of the result, 32-bit elements or halves in pairs. */
static void size_group(struct sass *out)
{
    const unsigned words = 4u * out->mod[SASS_MOD_COLUMNS];
    struct sass_operand *added;

    if (!words || !out->destination_count)
        return;
    added = &out->sources[out->source_count - 2]; /* before the predicate that asks for it */
    out->destinations[0].count = (uint8_t)(out->mod[SASS_MOD_TO] == SASS_TYPE_F16 ? words / 2 : words);
    if (added->index != SASS_RZ)
        added->count = out->destinations[0].count;
}

/* Uniform registers of a tensor copy: where in shared memory, the mbarrier of a load, a coordinate for each
 * dimension. */
static void size_tensor_copy(struct sass *out)
{
    const bool loads = out->op == SASS_UTMALDG;

    if (loads || out->op == SASS_UTMASTG || out->op == SASS_UTMAREDG)
        out->sources[0].count = (uint8_t)(1u + loads + out->mod[SASS_MOD_MATRICES]);
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
    const unsigned bits = r->arch->uniform_bits, uniform_none = (1u << bits) - 1;
    const uint64_t *unclaimed = r->out->unclaimed;

    for (size_t i = 0; i < sizeof registers; i++) {
        if (sass_bits(unclaimed, registers[i], READER_REGISTER_BITS) == SASS_RZ)
            reader_claim(r, registers[i], READER_REGISTER_BITS);
        if (sass_bits(unclaimed, registers[i], READER_REGISTER_BITS) == uniform_none)
            reader_claim(r, registers[i], bits);
    }
    for (size_t i = 0; i < sizeof predicates; i++)
        if (sass_bits(unclaimed, predicates[i], 3) == SASS_PT)
            reader_claim(r, predicates[i], 3);
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

    memset(out, 0, sizeof *out);
    for (int i = 0; i < SASS_BYTES; i++)
        out->word[i / 8] |= (uint64_t)bytes[i] << (i % 8 * 8);
    out->pc = pc;
    out->sm = (uint8_t)sm;
    out->opcode = (uint16_t)((out->word[0] & 0xfff) | sass_bits(out->word, 91, 1) << 12);
    out->guard = (uint8_t)sass_bits(out->word, 12, 3);
    out->guard_negated = sass_bits(out->word, 15, 1);
    read_control(out);
    out->unclaimed[0] = out->word[0];
    out->unclaimed[1] = out->word[1];
    reader_claim(&r, 0, 16);
    reader_claim(&r, 91, 1);
    reader_claim(&r, 105, 21);

    r.arch = arch_of(sm);
    r.encoding = r.arch ? sass_encoding(out->word, r.arch->encodings) : NULL;
    if (r.encoding) {
        const struct slot *slot;

        out->op = r.encoding->op;
        out->guard_uniform = r.encoding->uniform && out->op != SASS_VOTEU; /* which asks the lanes */
        r.form = (unsigned)sass_bits(out->word, 9, 3);
        read_fields(&r);
        reader_access(&r);
        for (slot = r.encoding->destinations; slot < r.encoding->destinations + SASS_DESTINATIONS; slot++)
            if (slot->place != PLACE_END)
                reader_slot(&r, &out->destinations[out->destination_count++], slot);
        for (slot = r.encoding->sources; slot < r.encoding->sources + SASS_SOURCES; slot++)
            if (slot->place != PLACE_END)
                reader_slot(&r, &out->sources[out->source_count++], slot);
        size_fragments(out);
        size_group(out);
        size_tensor_copy(out);
        settle_types(out);
        settle_predicates(out);
        claim_absent(&r);
    }
    out->unclaimed_bits =
        (uint8_t)(__builtin_popcountll(out->unclaimed[0]) + __builtin_popcountll(out->unclaimed[1]));
}
