#include "check.h"

#include "model/sass/arch/arch.h"
#include "model/sass/sass.h"

#include <inttypes.h>
#include <zlib.h>

/* One line of a recorded listing: tests/data/sass/README.md. */
struct line {
    uint32_t pc;
    uint64_t word[2];
    char control[32], name[32], registers[128], target[32], text[256];
};

static bool next_line(struct line *out, gzFile file)
{
    char buffer[640];

    if (!gzgets(file, buffer, sizeof buffer))
        return false;
    assert_int_equal(sscanf(buffer, "%" SCNx32 " %" SCNx64 " %" SCNx64 " %31s %31s %127s %31s %255[^\n]",
                            &out->pc, &out->word[0], &out->word[1], out->control, out->name, out->registers,
                            out->target, out->text),
                     8);
    return true;
}

static void decode(struct sass *out, const uint64_t word[2], uint32_t pc, unsigned sm)
{
    unsigned char bytes[SASS_BYTES];

    for (int i = 0; i < SASS_BYTES; i++)
        bytes[i] = (unsigned char)(word[i / 8] >> (i % 8 * 8));
    sass_decode(out, bytes, pc, sm);
}

/* Register names in alphabetical order. */
struct names {
    char text[24][8];
    size_t count;
};

static void add_name(struct names *names, const char *prefix, unsigned index, unsigned none)
{
    if (index != none)
        snprintf(names->text[names->count++], sizeof names->text[0], "%s%u", prefix, index);
}

static void add_operand(struct names *names, const struct sass_operand *operand)
{
    switch (operand->kind) {
    case SASS_REGISTER:
        add_name(names, "R", operand->index, SASS_RZ);
        break;
    case SASS_UNIFORM_REGISTER:
        add_name(names, "UR", operand->index, SASS_URZ);
        break;
    case SASS_PREDICATE:
        add_name(names, "P", operand->index, SASS_PT);
        break;
    case SASS_UNIFORM_PREDICATE:
        add_name(names, "UP", operand->index, SASS_PT);
        break;
    case SASS_RECONVERGENCE:
        add_name(names, "B", operand->index, 256);
        break;
    case SASS_SCOREBOARD:
        add_name(names, "SB", operand->index, 256);
        break;
    case SASS_CONSTANT:
        if (operand->bindless)
            add_name(names, "UR", operand->index, SASS_URZ);
        break;
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_registers(char *out, size_t size, const struct sass *in)
{
    struct names names = {0};
    size_t i, used = 0;

    for (i = 0; i < in->destination_count; i++)
        add_operand(&names, &in->destinations[i]);
    for (i = 0; i < in->source_count; i++)
        add_operand(&names, &in->sources[i]);
    for (i = 0; i < in->access_count; i++) {
        add_name(&names, "R", in->accesses[i].index, SASS_RZ);
        add_name(&names, "UR", in->accesses[i].uniform, SASS_URZ);
        if (in->sm < 80 || in->sm > 89) /* the recorded listings leave descriptors out there */
            add_name(&names, "UR", in->accesses[i].descriptor, SASS_URZ);
    }
    qsort(names.text, names.count, sizeof names.text[0], by_text);
    snprintf(out, size, "%s", names.count ? "" : "-");
    for (i = 0; i < names.count; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "," : "", names.text[i]);
}

static unsigned check_line(const struct line *line, unsigned sm)
{
    char control[32], registers[128], target[32] = "-";
    struct sass in;
    unsigned wrong = 0;

    decode(&in, line->word, line->pc, sm);
    sass_control_text(control, &in.control);
    list_registers(registers, sizeof registers, &in);
    if (in.op == SASS_BRA || in.op == SASS_BSSY || (in.op == SASS_CALL && in.has_target))
        snprintf(target, sizeof target, "%" PRId64, in.target);
    wrong += strcmp(sass_info(in.op)->name, line->name) != 0 && in.op != SASS_UTCMMA;
    wrong += strcmp(control, line->control) != 0;
    wrong += strcmp(registers, line->registers) != 0 && strcmp(line->registers, "?") != 0;
    wrong += strcmp(target, line->target) != 0;
    if (wrong)
        print_error("sm_%u %016" PRIx64 " %016" PRIx64 " %s\n    found %s %s %s %s\n    wanted %s %s %s %s\n",
                    sm, line->word[0], line->word[1], line->text, control, sass_info(in.op)->name, registers,
                    target, line->control, line->name, line->registers, line->target);
    return wrong;
}

static void matches_recorded_listings(void **state)
{
    static const unsigned sms[] = {75, 80, 86, 89, 90, 100, 120};
    size_t i, lines = 0, wrong = 0;
    struct line line;
    char path[64];
    gzFile file;

    for (i = 0; i < sizeof sms / sizeof sms[0]; i++) {
        snprintf(path, sizeof path, "tests/data/sass/sm_%u.txt.gz", sms[i]);
        file = gzopen(path, "rb");
        assert_non_null(file);
        while (next_line(&line, file)) {
            lines++;
            wrong += check_line(&line, sms[i]);
        }
        gzclose(file);
    }
    assert_true(lines > 5000);
    assert_int_equal(wrong, 0);
}

/* Words of sm_90 with a known meaning, field by field. */
static void reads_operands_and_modifiers(void **state)
{
    static const uint64_t ffma[2] = {0xbfc90fda190a7823, 0x000fc80000000000};
    static const uint64_t isetp[2] = {0x0000001f0800780c, 0x001fc80004701270};
    static const uint64_t load[2] = {0x0000000806037981, 0x000ea8000c1e1900};
    static const uint64_t wide[2] = {0x0000000402067825, 0x002fca00078e0004};
    struct sass in;

    decode(&in, ffma, 0, 90);
    assert_int_equal(in.op, SASS_FFMA);
    assert_int_equal(in.destinations[0].index, 10);
    assert_int_equal(in.sources[0].index, 25);
    assert_int_equal(in.sources[1].kind, SASS_IMMEDIATE);
    assert_int_equal(in.sources[1].value, 0xbfc90fda);
    assert_int_equal(in.sources[2].index, 0);
    assert_int_equal(in.unclaimed_bits, 0);

    decode(&in, isetp, 0, 90);
    assert_int_equal(in.op, SASS_ISETP);
    assert_int_equal(in.mod[SASS_MOD_COMPARE], SASS_CMP_LT);
    assert_int_equal(in.mod[SASS_MOD_TYPE], SASS_TYPE_S32);
    assert_int_equal(in.destinations[0].index, 0);
    assert_true(in.sources[2].invert);

    decode(&in, load, 0, 90);
    assert_int_equal(in.op, SASS_LDG);
    assert_int_equal(in.accesses[0].space, SASS_SPACE_GLOBAL);
    assert_int_equal(in.accesses[0].bytes, 4);
    assert_int_equal(in.accesses[0].index, 6);
    assert_true(in.accesses[0].wide);
    assert_int_equal(in.accesses[0].descriptor, 8);
    assert_int_equal(in.accesses[0].uniform, SASS_URZ);
    assert_int_equal(in.control.stall, 4);
    assert_int_equal(in.control.write_barrier, 2);
    assert_int_equal(in.control.read_barrier, SASS_NO_BARRIER);

    decode(&in, wide, 0, 90);
    assert_int_equal(in.op, SASS_IMAD);
    assert_int_equal(in.mod[SASS_MOD_WIDE], 1);
    assert_int_equal(in.destinations[0].count, 2);
    assert_int_equal(in.sources[2].count, 2);
}

/* 32 bytes a thread: two groups of four registers, an offset in units of 32 bytes. */
static void reads_wide_accesses_of_sm_100(void **state)
{
    static const uint64_t load[2] = {0xfe000704040c797e, 0x000ea80008121910};
    static const uint64_t store[2] = {0xf800040c0210797f, 0x004fe8000f121804};
    struct sass in;

    decode(&in, load, 0, 120);
    assert_int_equal(in.op, SASS_LDG);
    assert_int_equal(in.accesses[0].bytes, 32);
    assert_int_equal(in.accesses[0].offset, 0xe0);
    assert_int_equal(in.destinations[0].index, 12);
    assert_int_equal(in.destinations[1].index, 16);
    decode(&in, store, 0, 120);
    assert_int_equal(in.op, SASS_STG);
    assert_int_equal(in.accesses[0].offset, 0x80);
    assert_int_equal(in.sources[0].index, 12);
    assert_int_equal(in.sources[1].index, 16);
}

static void guards_a_vote_by_lanes(void **state)
{
    static const uint64_t vote[2] = {0x0000000000ff8886, 0x000fe20001000100};
    struct sass in;
    char text[64];

    decode(&in, vote, 0, 120);
    assert_false(in.guard_uniform);
    assert_int_equal(in.destinations[1].kind, SASS_UNIFORM_PREDICATE);
    sass_text(text, sizeof text, &in);
    assert_string_equal(text, "@!P0 VOTEU.ANY URZ, UP0, P2");
}

/* What the copy engine does is asked by the uniform datapath: nvdisasm 13 has @UP0. */
static void guards_a_copy_by_a_uniform_predicate(void **state)
{
    static const uint64_t copy[2] = {0x0000000a080003ba, 0x0001e40008000204};
    struct sass in;
    char text[64];

    decode(&in, copy, 0, 90);
    assert_true(in.guard_uniform);
    sass_text(text, sizeof text, &in);
    assert_string_equal(text, "@UP0 UBLKCP.S.G UR10, UR8, UR4");
}

/* As nvdisasm 13 has it, flipped bit by bit: the third source chooses its halves elsewhere than that of HFMA2. */
static void reads_the_greatest_of_three_halves(void **state)
{
    static const struct {
        unsigned bit;
        const char *text;
    } flips[] = {{0, "VHMNMX R16, R16, R3, R19, !PT"},          {77, "VHMNMX R16, R16, R3, R19.H0_H0, !PT"},
                 {84, "VHMNMX R16, R16, R3, -R19, !PT"},        {83, "VHMNMX R16, R16, R3, |R19|, !PT"},
                 {61, "VHMNMX R16, R16, R3.H0_H0, R19, !PT"},   {62, "VHMNMX R16, R16, |R3|, R19, !PT"},
                 {75, "VHMNMX R16, R16.H0_H0, R3, R19, !PT"},   {80, "VHMNMX.FTZ R16, R16, R3, R19, !PT"},
                 {81, "VHMNMX.NAN R16, R16, R3, R19, !PT"},     {82, "VHMNMX.XORSIGN R16, R16, R3, R19, !PT"},
                 {85, "VHMNMX.BF16_V2 R16, R16, R3, R19, !PT"}, {90, "VHMNMX R16, R16, R3, R19"}};
    struct sass in;
    char text[64];

    for (size_t f = 0; f < sizeof flips / sizeof *flips; f++) {
        uint64_t word[2] = {0x0000000310107247, 0x0000000007800013};

        word[flips[f].bit / 64] ^= flips[f].bit ? UINT64_C(1) << flips[f].bit % 64 : 0;
        decode(&in, word, 0, 90);
        assert_int_equal(in.unclaimed_bits, 0);
        sass_text(text, sizeof text, &in);
        assert_string_equal(text, flips[f].text);
    }
}

static void counts_what_it_does_not_know(void **state)
{
    static const uint64_t nothing[2] = {0x00000000000079ff, 0x000fe20000000000};
    uint64_t extra[2] = {0x000000000000794d, 0x000fea0003800000};
    struct sass in;
    char text[64];

    decode(&in, nothing, 0, 90);
    assert_int_equal(in.op, SASS_UNKNOWN);
    assert_int_equal(in.destination_count + in.source_count + in.access_count, 0);
    sass_text(text, sizeof text, &in);
    assert_string_equal(text, "? 0x9ff");
    decode(&in, extra, 0, 90);
    assert_int_equal(in.unclaimed_bits, 0);
    extra[0] |= UINT64_C(1) << 50;
    decode(&in, extra, 0, 90);
    assert_int_equal(in.op, SASS_EXIT);
    assert_int_equal(in.unclaimed_bits, 1);
    assert_int_equal(in.unclaimed[0], UINT64_C(1) << 50);
}

static void keys_the_table_by_architecture(void **state)
{
    static const uint64_t word[2] = {0x0000000a0a0a7235, 0x000fe200078e0200};
    struct sass in;

    decode(&in, word, 0, 90);
    assert_int_equal(in.op, SASS_HFMA2_MMA);
    decode(&in, word, 0, 120);
    assert_int_equal(in.op, SASS_IADD64);
    decode(&in, word, 0, 86);
    assert_int_equal(in.op, SASS_UNKNOWN);
    assert_non_null(arch_of(121));
    assert_null(arch_of(70));
}

static void names_classes_and_intervals(void **state)
{
    static const uint64_t ffma[2] = {0xbfc90fda190a7823, 0x000fc80000000000};
    static const uint64_t dfma[2] = {0x000000060408722b, 0x008fe40000000002};
    struct sass in;

    for (int i = 0; i < SASS_CLASS_COUNT; i++)
        assert_true(*sass_class_text((enum sass_class)i));
    decode(&in, ffma, 0, 90);
    assert_int_equal(sass_issue_interval(&in), 1);
    decode(&in, ffma, 0, 80);
    assert_int_equal(sass_issue_interval(&in), 2);
    decode(&in, dfma, 0, 90);
    assert_int_equal(sass_issue_interval(&in), 2);
    decode(&in, dfma, 0, 86);
    assert_int_equal(sass_issue_interval(&in), 64);
}

static void cuts_long_text(void **state)
{
    static const uint64_t ffma[2] = {0xbfc90fda190a7823, 0x000fc80000000000};
    char text[12];
    struct sass in;

    decode(&in, ffma, 0, 90);
    sass_text(text, sizeof text, &in);
    assert_string_equal(text, "FFMA R10, R");
}

int main(void)
{
    return RUN_TESTS(matches_recorded_listings, reads_operands_and_modifiers, reads_wide_accesses_of_sm_100,
                     guards_a_vote_by_lanes, guards_a_copy_by_a_uniform_predicate,
                     reads_the_greatest_of_three_halves, counts_what_it_does_not_know,
                     keys_the_table_by_architecture, names_classes_and_intervals, cuts_long_text);
}
