#include "model/sass/lines.h"

#include "base/array.h"
#include "model/sass/cubin_elf.h"

#include <stdlib.h>
#include <string.h>

enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
enum { END_SEQUENCE = 1, SET_ADDRESS, DEFINE_FILE };

/* Reads forward; once something lies beyond the end, everything is 0 and `bad` is set. */
struct cursor {
    const unsigned char *at, *end;
    bool bad;
};

struct table {
    struct lines *out;
    const struct cubin *cubin;
    const struct cubin_kernel *kernel;
    const unsigned char *begin; /* of the section */
    unsigned section;
    struct err *err;
};

/* The head of a unit, and the machine that its program runs on. */
struct unit {
    unsigned version, least_step, line_range, opcode_base, first_file;
    int line_base;
    unsigned char operands[256];
    uint64_t pc;
    int64_t line;
    uint64_t file;
    bool ours; /* the sequence is of the kernel */
};

static uint64_t fixed(struct cursor *c, unsigned bytes)
{
    uint64_t value = 0;

    if ((size_t)(c->end - c->at) < bytes) {
        c->bad = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)c->at[i] << 8 * i;
    c->at += bytes;
    return value;
}

static uint64_t variable(struct cursor *c, unsigned *bits)
{
    uint64_t value = 0, byte = 0x80;
    unsigned shift;

    for (shift = 0; byte & 0x80 && !c->bad; shift += 7) {
        byte = fixed(c, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
    }
    if (bits)
        *bits = byte & 0x40 && shift < 64 ? shift : 0;
    return value;
}

static int64_t signed_variable(struct cursor *c)
{
    unsigned bits;
    const uint64_t value = variable(c, &bits);

    return (int64_t)(bits ? value | ~UINT64_C(0) << bits : value);
}

static const char *text(struct cursor *c)
{
    const unsigned char *zero = c->at < c->end ? memchr(c->at, 0, (size_t)(c->end - c->at)) : NULL;
    const char *found = (const char *)c->at;

    if (!zero) {
        c->bad = true;
        return "";
    }
    c->at = zero + 1;
    return found;
}

static int add_file(struct table *t, const char *name)
{
    struct lines *out = t->out;

    if (ARRAY_GROW(out->files, out->file_count, t->err))
        return ERR_MEMORY;
    out->files[out->file_count++] = name;
    return 0;
}

static int add_row(struct table *t, const struct unit *unit, bool end)
{
    struct lines *out = t->out;
    const uint64_t file = unit->first_file + unit->file - 1;
    const bool known =
        !end && unit->file && file < out->file_count && unit->line > 0 && unit->line <= UINT32_MAX;

    if (!unit->ours || unit->pc > UINT32_MAX)
        return 0;
    if (ARRAY_GROW(out->rows, out->count, t->err))
        return ERR_MEMORY;
    out->rows[out->count] = (struct lines_row){(uint32_t)unit->pc, known ? (unsigned)unit->line : 0,
                                               known ? (unsigned)file : 0, (unsigned)out->count};
    out->count++;
    return 0;
}

/* The loader writes the address: whose code it is stands in the relocation. */
static void set_address(struct unit *unit, const struct table *t, const unsigned char *where)
{
    const uint64_t offset = (uint64_t)(where - t->begin);

    unit->ours = false;
    for (size_t i = 0; i < t->cubin->relocation_count; i++) {
        const struct cubin_relocation *relocation = &t->cubin->relocations[i];

        if (relocation->section != t->section || relocation->offset != offset)
            continue;
        unit->ours = relocation->symbol->section == t->kernel->section;
        unit->pc = relocation->symbol->value + relocation->addend;
    }
}

/* Wraps, as damaged tables may make it. */
static void advance_line(struct unit *unit, int64_t by)
{
    unit->line = (int64_t)((uint64_t)unit->line + (uint64_t)by);
}

static void begin_sequence(struct unit *unit)
{
    unit->pc = 0;
    unit->file = unit->line = 1;
    unit->ours = false;
}

static int extended(struct unit *unit, struct cursor *c, struct table *t)
{
    const uint64_t length = variable(c, NULL);
    struct cursor own = {c->at, c->at, false};
    int rc = 0;

    if (length == 0 || length > (uint64_t)(c->end - c->at)) {
        c->bad = true;
        return 0;
    }
    c->at = own.end = c->at + length;
    switch (fixed(&own, 1)) {
    case END_SEQUENCE:
        rc = add_row(t, unit, true);
        begin_sequence(unit);
        break;
    case SET_ADDRESS:
        set_address(unit, t, own.at);
        break;
    case DEFINE_FILE:
        rc = add_file(t, text(&own));
        break;
    default:
        break;
    }
    c->bad |= own.bad;
    return rc;
}

static int standard(struct unit *unit, struct cursor *c, struct table *t, unsigned opcode)
{
    switch (opcode) {
    case COPY:
        return add_row(t, unit, false);
    case ADVANCE_PC:
        unit->pc += variable(c, NULL) * unit->least_step;
        return 0;
    case ADVANCE_LINE:
        advance_line(unit, signed_variable(c));
        return 0;
    case SET_FILE:
        unit->file = variable(c, NULL);
        return 0;
    case CONST_ADD_PC:
        unit->pc += (uint64_t)(255 - unit->opcode_base) / unit->line_range * unit->least_step;
        return 0;
    case FIXED_ADVANCE_PC:
        unit->pc += fixed(c, 2);
        return 0;
    default:
        for (unsigned i = 0; i < unit->operands[opcode]; i++)
            variable(c, NULL);
        return 0;
    }
}

static int special(struct unit *unit, struct table *t, unsigned opcode)
{
    const unsigned adjusted = opcode - unit->opcode_base;

    unit->pc += (uint64_t)adjusted / unit->line_range * unit->least_step;
    advance_line(unit, unit->line_base + (int)(adjusted % unit->line_range));
    return add_row(t, unit, false);
}

static int run_program(struct unit *unit, struct cursor *c, struct table *t)
{
    int rc = 0;

    begin_sequence(unit);
    while (!rc && !c->bad && c->at < c->end) {
        const unsigned opcode = (unsigned)fixed(c, 1);

        if (!opcode)
            rc = extended(unit, c, t);
        else if (opcode < unit->opcode_base)
            rc = standard(unit, c, t, opcode);
        else
            rc = special(unit, t, opcode);
    }
    return rc;
}

/* The head of a unit up to its program. */
static int read_head(struct unit *unit, struct cursor *c, struct table *t)
{
    const uint64_t length = fixed(c, 4);
    const unsigned char *program = c->at;
    const char *name;
    int rc = 0;

    if (length > (uint64_t)(c->end - c->at)) {
        c->bad = true;
        return 0;
    }
    program += length; /* some bytes may lie between */
    unit->least_step = (unsigned)fixed(c, 1);
    if (unit->version >= 4)
        fixed(c, 1); /* operations per instruction */
    fixed(c, 1);     /* whether a row is a statement */
    unit->line_base = (signed char)fixed(c, 1);
    unit->line_range = (unsigned)fixed(c, 1);
    unit->opcode_base = (unsigned)fixed(c, 1);
    c->bad |= !unit->line_range || !unit->opcode_base;
    for (unsigned i = 1; i < unit->opcode_base; i++)
        unit->operands[i] = (unsigned char)fixed(c, 1);
    while (*text(c)) /* folders */
        ;
    unit->first_file = (unsigned)t->out->file_count;
    while (!rc && *(name = text(c))) {
        rc = add_file(t, name);
        variable(c, NULL);
        variable(c, NULL);
        variable(c, NULL);
    }
    c->bad |= c->at > program;
    c->at = program;
    return rc;
}

static int read_unit(struct cursor *c, struct table *t)
{
    const uint64_t length = fixed(c, 4);
    struct cursor own = {c->at, c->at, false};
    struct unit unit = {0};
    int rc = 0;

    if (c->bad || length > (uint64_t)(c->end - c->at)) {
        c->bad = true;
        return 0;
    }
    c->at = own.end = c->at + length;
    unit.version = (unsigned)fixed(&own, 2);
    if (unit.version < 2 || unit.version > 4)
        return 0;
    rc = read_head(&unit, &own, t);
    if (!rc && !own.bad)
        rc = run_program(&unit, &own, t);
    c->bad |= own.bad;
    return rc;
}

/* Rows at one place stay in order: the last is that of the innermost function. */
static int by_pc(const void *a, const void *b)
{
    const struct lines_row *x = a, *y = b;

    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int read_section(struct lines *out, const struct cubin *cubin, const struct cubin_kernel *kernel,
                        const struct elf *elf, unsigned index, struct err *err)
{
    const Elf64_Shdr section = elf_section(elf, index);
    const unsigned char *content = elf_content(elf, &section);
    struct table t = {.out = out, .cubin = cubin, .kernel = kernel, .section = index, .err = err};
    struct cursor c = {0};
    int rc = 0;

    if (!content || !section.sh_size)
        return 0;
    out->text = malloc(section.sh_size);
    if (!out->text)
        return err_memory(err);
    memcpy(out->text, content, section.sh_size);
    c.at = t.begin = (const unsigned char *)out->text;
    c.end = c.at + section.sh_size;
    while (!rc && !c.bad && c.at < c.end)
        rc = read_unit(&c, &t);
    if (!rc && c.bad)
        rc = err_set(err, ERR_FORMAT, "%s: section .debug_line is damaged", kernel->name);
    return rc;
}

int lines_read(struct lines *out, const struct cubin *cubin, const struct cubin_kernel *kernel,
               struct err *err)
{
    struct elf elf;
    int rc = elf_open(&elf, cubin->image, cubin->image_bytes, kernel->name, err);

    *out = (struct lines){0};
    for (unsigned i = 0; i < elf.section_count && !rc; i++)
        if (!strcmp(elf_section_name(&elf, i), ".debug_line") && !out->text)
            rc = read_section(out, cubin, kernel, &elf, i, err);
    if (rc)
        lines_release(out);
    else if (out->count)
        qsort(out->rows, out->count, sizeof *out->rows, by_pc);
    return rc;
}

void lines_release(struct lines *lines)
{
    free(lines->rows);
    free(lines->files);
    free(lines->text);
    *lines = (struct lines){0};
}

bool lines_find(const char **file, unsigned *line, const struct lines *lines, uint32_t pc)
{
    size_t low = 0, high = lines->count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (lines->rows[middle].pc <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !lines->rows[low - 1].line)
        return false;
    *file = lines->files[lines->rows[low - 1].file];
    *line = lines->rows[low - 1].line;
    return true;
}
