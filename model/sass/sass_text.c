#include "model/sass/sass_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* Text that grows to the right and is cut at the end of its buffer. */
struct line {
    char *text;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *format, ...)
{
    va_list list;
    int n;

    if (line->length + 1 >= line->size)
        return;
    va_start(list, format);
    n = vsnprintf(line->text + line->length, line->size - line->length, format, list);
    va_end(list);
    if (n > 0)
        line->length += (size_t)n;
    if (line->length >= line->size)
        line->length = line->size - 1;
}

static void put_register(struct line *line, const char *prefix, unsigned index)
{
    if (index == SASS_RZ)
        put(line, "%sZ", prefix);
    else
        put(line, "%s%u", prefix, index);
}

static void put_predicate(struct line *line, const char *prefix, unsigned index, bool invert)
{
    if (index == SASS_PT)
        put(line, "%s%sT", invert ? "!" : "", prefix);
    else
        put(line, "%s%s%u", invert ? "!" : "", prefix, index);
}

static void put_offset(struct line *line, int64_t offset, bool first)
{
    if (offset < 0)
        put(line, "%s0x%" PRIx64, "-", (uint64_t)-offset);
    else if (offset || first)
        put(line, "%s0x%" PRIx64, first ? "" : "+", (uint64_t)offset);
}

/* A floating-point immediate as a number where its bits are those of the number alone. */
static bool put_float(struct line *line, const struct sass *in, const struct sass_operand *operand)
{
    enum sass_class class = sass_info(in->op)->class;

    if (class == SASS_CLASS_FP64) {
        double value;

        memcpy(&value, &operand->value, sizeof value);
        put(line, "%.17g", value);
        return true;
    }
    if (class == SASS_CLASS_FP32 || class == SASS_CLASS_MUFU) {
        uint32_t bits = (uint32_t)operand->value;
        float value;

        memcpy(&value, &bits, sizeof value);
        put(line, "%.9g", (double)value);
        return true;
    }
    return false;
}

static const char *part_text(unsigned part)
{
    static const char *const texts[] = {
        [SASS_PART_WHOLE] = "", [SASS_PART_H0] = ".H0",       [SASS_PART_H1] = ".H1",
        [SASS_PART_B0] = ".B0", [SASS_PART_B1] = ".B1",       [SASS_PART_B2] = ".B2",
        [SASS_PART_B3] = ".B3", [SASS_PART_H0_H0] = ".H0_H0", [SASS_PART_H1_H1] = ".H1_H1",
    };

    return texts[part];
}

static void put_special(struct line *line, unsigned number)
{
    static const struct {
        uint8_t number;
        const char *name;
    } names[] = {
        {SASS_SR_LANEID, "LANEID"},
        {SASS_SR_VIRTID, "VIRTID"},
        {SASS_SR_TID, "TID"},
        {SASS_SR_TID_X, "TID.X"},
        {SASS_SR_TID_Y, "TID.Y"},
        {SASS_SR_TID_Z, "TID.Z"},
        {SASS_SR_CTAID_X, "CTAID.X"},
        {SASS_SR_CTAID_Y, "CTAID.Y"},
        {SASS_SR_CTAID_Z, "CTAID.Z"},
        {SASS_SR_NTID, "NTID"},
        {SASS_SR_LWINHI, "LWINHI"},
        {SASS_SR_SWINHI, "SWINHI"},
        {SASS_SR_SWINLO, "SWINLO"},
        {SASS_SR_SWINSZ, "SWINSZ"},
        {SASS_SR_SMEMSZ, "SMEMSZ"},
        {SASS_SR_LWINLO, "LWINLO"},
        {SASS_SR_LWINSZ, "LWINSZ"},
        {SASS_SR_EQMASK, "EQMASK"},
        {SASS_SR_LTMASK, "LTMASK"},
        {SASS_SR_LEMASK, "LEMASK"},
        {SASS_SR_GTMASK, "GTMASK"},
        {SASS_SR_GEMASK, "GEMASK"},
        {SASS_SR_VIRTUALSMID, "VIRTUALSMID"},
        {SASS_SR_CLOCKLO, "CLOCKLO"},
        {SASS_SR_CLOCKHI, "CLOCKHI"},
        {SASS_SR_GLOBALTIMERLO, "GLOBALTIMERLO"},
        {SASS_SR_GLOBALTIMERHI, "GLOBALTIMERHI"},
        {SASS_SR_CGACTAID, "CgaCtaId"},
        {SASS_SR_CGASIZE, "CgaSize"},
    };

    if (number == SASS_SR_ZERO) {
        put(line, "SRZ");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == number) {
            put(line, "SR_%s", names[i].name);
            return;
        }
    put(line, "SR%u", number);
}

static void put_operand(struct line *line, const struct sass *in, const struct sass_operand *operand)
{
    bool register_like = operand->kind == SASS_REGISTER || operand->kind == SASS_UNIFORM_REGISTER;

    if (operand->kind != SASS_PREDICATE && operand->kind != SASS_UNIFORM_PREDICATE)
        put(line, "%s%s%s", operand->negate ? "-" : "", operand->invert ? "~" : "",
            operand->absolute ? "|" : "");
    switch ((enum sass_operand_kind)operand->kind) {
    case SASS_REGISTER:
        put_register(line, "R", operand->index);
        break;
    case SASS_UNIFORM_REGISTER:
        put_register(line, "UR", operand->index);
        break;
    case SASS_PREDICATE:
        put_predicate(line, "P", operand->index, operand->invert);
        break;
    case SASS_UNIFORM_PREDICATE:
        put_predicate(line, "UP", operand->index, operand->invert);
        break;
    case SASS_IMMEDIATE:
        if (!put_float(line, in, operand))
            put(line, "0x%" PRIx64, operand->value);
        break;
    case SASS_CONSTANT:
        if (operand->bindless)
            put(line, "cx[UR%u][0x%" PRIx64 "]", operand->index, operand->value);
        else
            put(line, "c[0x%x][0x%" PRIx64 "]", operand->bank, operand->value);
        break;
    case SASS_SPECIAL:
        put_special(line, (unsigned)operand->value);
        break;
    case SASS_RECONVERGENCE:
        put(line, "B%u", operand->index);
        break;
    case SASS_SCOREBOARD:
        put(line, "SB%u", operand->index);
        break;
    case SASS_LABEL:
        put_offset(line, in->target, true);
        break;
    case SASS_NONE:
        break;
    }
    if (operand->absolute)
        put(line, "|");
    if (operand->reuse)
        put(line, ".reuse");
    if (register_like || operand->kind == SASS_CONSTANT)
        put(line, "%s", part_text(operand->part));
}

static void put_access(struct line *line, const struct sass_access *access)
{
    bool first = true;

    if (access->space == SASS_SPACE_CONSTANT)
        put(line, "c[0x%x]", access->bank);
    if (access->descriptor != SASS_URZ)
        put(line, "desc[UR%u]", access->descriptor);
    put(line, "[");
    if (access->index != SASS_RZ) {
        put_register(line, "R", access->index);
        if (access->scale > 1)
            put(line, ".X%u", access->scale);
        if (access->wide)
            put(line, ".64");
        else if (access->zero_extend)
            put(line, ".U32");
        first = false;
    }
    if (access->uniform != SASS_URZ) {
        put(line, "%sUR%u", first ? "" : "+", access->uniform);
        first = false;
    }
    put_offset(line, access->offset, first);
    put(line, "]");
}

static bool has_table(const struct sass *in)
{
    return in->op == SASS_LOP3 || in->op == SASS_ULOP3 || in->op == SASS_PLOP3 || in->op == SASS_UPLOP3;
}

static void put_modifiers(struct line *line, const struct sass *in)
{
    const struct encoding *encoding = sass_encoding(in->word, arch_of(in->sm)->encodings);
    const struct field *field;

    for (field = encoding->fields; field->key != KEY_END; field++) {
        const struct key *key = &sass_keys[field->key];
        unsigned code = sass_field(in->word, field);

        if (key->choices && code < key->count && key->choices[code].text)
            put(line, "%s", key->choices[code].text);
    }
    if (has_table(in))
        put(line, ".LUT");
}

/* Operands that change nothing are left out: destinations PT, trailing sources PT, carries that are not taken
 * in, and a MOV to all lanes. */
static bool is_idle(const struct sass *in, const struct sass_operand *operand)
{
    bool predicate = operand->kind == SASS_PREDICATE || operand->kind == SASS_UNIFORM_PREDICATE;
    bool carry = in->op == SASS_IADD3 || in->op == SASS_UIADD3 || in->op == SASS_UIADD3_64 ||
                 in->op == SASS_IADD64 || in->op == SASS_IMAD || in->op == SASS_UIMAD || in->op == SASS_LEA ||
                 in->op == SASS_ULEA;

    if (operand->kind == SASS_LABEL)
        return in->op == SASS_WARPSYNC && !in->has_target;
    if (operand->kind == SASS_IMMEDIATE)
        return in->op == SASS_MOV && operand == &in->sources[1] && operand->value == 15;
    if (!predicate || operand->index != SASS_PT)
        return false;
    return !operand->invert || has_table(in) || (carry && !in->mod[SASS_MOD_EXTENDED]);
}

static void put_operands(struct line *line, const struct sass *in)
{
    const char *separator = " ";
    unsigned i, sources = in->source_count;

    while (sources && is_idle(in, &in->sources[sources - 1]))
        sources--;
    for (i = 0; i < in->destination_count; i++) {
        if (is_idle(in, &in->destinations[i]))
            continue;
        put(line, "%s", separator);
        put_operand(line, in, &in->destinations[i]);
        separator = ", ";
    }
    for (i = in->access_count; i-- > 0;) {
        if (in->accesses[i].space == SASS_SPACE_TEXTURE || in->accesses[i].space == SASS_SPACE_TENSOR ||
            sass_copies_in_bulk(in))
            continue; /* its address is in the operands */
        put(line, "%s", separator);
        put_access(line, &in->accesses[i]);
        separator = ", ";
    }
    for (i = 0; i < sources; i++) {
        if (sass_info(in->op)->class == SASS_CLASS_CONTROL && is_idle(in, &in->sources[i]))
            continue;
        put(line, "%s", separator);
        put_operand(line, in, &in->sources[i]);
        separator = ", ";
    }
    if (has_table(in))
        put(line, "%s0x%x", separator, in->mod[SASS_MOD_LUT]);
    if (in->op == SASS_PLOP3 || in->op == SASS_UPLOP3)
        put(line, "%s0x%x", separator, in->mod[SASS_MOD_LUT2]);
}

void sass_text(char *out, size_t size, const struct sass *in)
{
    struct line line = {out, size, 0};

    if (size)
        out[0] = '\0';
    if (in->guard != SASS_PT || in->guard_negated) {
        put(&line, "@");
        put_predicate(&line, in->guard_uniform ? "UP" : "P", in->guard, in->guard_negated);
        put(&line, " ");
    }
    if (in->op == SASS_UNKNOWN) {
        put(&line, "? 0x%03x", in->opcode);
        return;
    }
    put(&line, "%s", sass_info(in->op)->name);
    put_modifiers(&line, in);
    put_operands(&line, in);
}

void sass_control_text(char out[32], const struct sass_control *control)
{
    struct line line = {out, 32, 0};

    put(&line, "B");
    for (unsigned i = 0; i < 6; i++)
        put(&line, "%c", control->wait_mask >> i & 1 ? (char)('0' + i) : '-');
    put(&line, control->read_barrier == SASS_NO_BARRIER ? ":R-" : ":R%u", control->read_barrier);
    put(&line, control->write_barrier == SASS_NO_BARRIER ? ":W-" : ":W%u", control->write_barrier);
    put(&line, ":%c:S%02u", control->yield ? 'Y' : '-', control->stall);
}
