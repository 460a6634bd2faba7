#include "check.h"

#include "model/sass/sass_rate.h"
#include "model/sass/sass_table.h"

static const unsigned archs[] = {75, 80, 86, 89, 90, 100, 120};

/* Pipes whose width every architecture is known to have, and so a rate (sass_issue_interval()). */
static bool has_width(enum sass_pipe pipe)
{
    switch (pipe) {
    case SASS_PIPE_FMA:
    case SASS_PIPE_FMA_HEAVY:
    case SASS_PIPE_ALU:
    case SASS_PIPE_FP16:
    case SASS_PIPE_FP64:
    case SASS_PIPE_XU:
    case SASS_PIPE_UNIFORM:
    case SASS_PIPE_BRANCH:
        return true;
    default:
        return false;
    }
}

static void no_operation_is_free_by_omission(void **state)
{
    for (unsigned op = 0; op < SASS_OP_COUNT; op++) {
        const struct sass_info *info = sass_info((enum sass_op)op);
        const struct sass_rate rate = sass_rate((enum sass_op)op);

        if ((rate.kind == SASS_RATE_ISSUE || rate.kind == SASS_RATE_NONE ||
             rate.kind == SASS_RATE_SIMULATED) != (rate.why && *rate.why))
            fail_msg("%s: a reason belongs to what has no rate or takes only issue slots", info->name);
        if (rate.kind == SASS_RATE_PIPE && !has_width(info->pipe) && op != SASS_HFMA2_MMA)
            fail_msg("%s: pipe %s has no rate, and sass_rates.def does not have it", info->name,
                     sass_pipe_text(info->pipe));
        if (rate.kind == SASS_RATE_MATRIX && info->pipe != SASS_PIPE_TENSOR)
            fail_msg("%s: not of the tensor pipe", info->name);
    }
}

/* On every architecture, whatever its form: a word for each opcode. */
static void every_opcode_has_a_rate_or_a_name(void **state)
{
    unsigned opcode, form, a, known = 0;

    for (a = 0; a < sizeof archs / sizeof archs[0]; a++)
        for (opcode = 0; opcode < 512; opcode++)
            for (form = 0; form < 16; form++) {
                unsigned char bytes[SASS_BYTES] = {0};
                struct sass decoded;
                struct sass_rate rate;

                bytes[0] = (unsigned char)opcode;
                bytes[1] = (unsigned char)(opcode >> 8 | (form & 7) << 1);
                bytes[11] = (unsigned char)(form >> 3 << 3);
                sass_decode(&decoded, bytes, 0, archs[a]);
                rate = sass_rate((enum sass_op)decoded.op);
                known += decoded.op != SASS_UNKNOWN;
                if (rate.kind == SASS_RATE_PIPE && decoded.op != SASS_HFMA2_MMA &&
                    sass_issue_interval(&decoded) == 0)
                    fail_msg("%s of sm_%u has no interval", sass_info((enum sass_op)decoded.op)->name,
                             archs[a]);
                if (rate.kind == SASS_RATE_NONE)
                    assert_non_null(rate.why);
            }
    assert_true(known > 5000);
}

/* What accesses memory in a way that is not counted must not pass for traffic that is. */
static void traffic_is_of_known_size(void **state)
{
    for (unsigned a = 0; a < sizeof archs / sizeof archs[0]; a++)
        for (unsigned opcode = 0; opcode < 512; opcode++)
            for (unsigned form = 0; form < 16; form++) {
                const uint64_t word[2] = {opcode | (uint64_t)(form & 7) << 9, (uint64_t)(form >> 3) << 27};
                const struct encoding *encoding = sass_encoding(word, arch_of(archs[a])->encodings);
                struct sass_rate rate;

                if (!encoding || encoding->layout.address != ADDRESS_OPAQUE)
                    continue;
                rate = sass_rate((enum sass_op)encoding->op);
                if (rate.kind != SASS_RATE_NONE && rate.kind != SASS_RATE_ISSUE &&
                    rate.kind != SASS_RATE_SIMULATED) /* emulation counts these copies */
                    fail_msg("%s moves what no operand says, and passes for something with a rate",
                             sass_info((enum sass_op)encoding->op)->name);
            }
}

int main(void)
{
    return RUN_TESTS(no_operation_is_free_by_omission, every_opcode_has_a_rate_or_a_name,
                     traffic_is_of_known_size);
}
