/* The check on hand-made code: what is meant passes, and whatever is not is named. */
#include "check.h"

#include "micro/body.h"

static struct sass decoded(uint64_t low, uint64_t high)
{
    unsigned char bytes[SASS_BYTES];
    struct sass instruction;

    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(low >> 8 * i);
        bytes[8 + i] = (unsigned char)(high >> 8 * i);
    }
    sass_decode(&instruction, bytes, 0, 90);
    return instruction;
}

/* FFMA Rto, Rfrom, R8, R9. */
static struct sass fused(uint64_t to, uint64_t from)
{
    return decoded(0x0000000800007223 | to << 16 | from << 24, 0x000fe20000000009);
}

/* CS2R R4, SR_CLOCKLO. */
static struct sass stamp(void)
{
    return decoded(0x0000000000047805, 0x000fce0000015000);
}

static int check(const char *parts, const char *bookkeeping, bool dependent, struct err *err)
{
    struct sass code[] = {fused(1, 1), stamp(),     fused(1, 1), fused(1, 1),
                          stamp(),     fused(1, 1), fused(4, 5), stamp()};
    const struct sass_code all = {.instructions = code, .count = sizeof code / sizeof *code, .sm = 90};
    const struct body body = {
        .parts = parts, .bookkeeping = bookkeeping, .dependent = dependent, .bytes_max = 64};

    err_clear(err);
    return body_check(&all, &body, err);
}

static void code_as_meant_passes(void **state)
{
    struct err err;

    assert_int_equal(check("FFMA*2", NULL, true, &err), 0);
    assert_int_equal(check("FFMA*2 | FFMA*2", NULL, false, &err), 0);
    assert_int_equal(check("(FFMA FFMA)*1", NULL, true, &err), 0);
    assert_int_equal(check("FADD/FFMA*2", NULL, true, &err), 0);
    assert_int_equal(check("FFMA FFMA", NULL, true, &err), 0);
    assert_int_equal(check("FFMA", "FFMA", false, &err), 0);
}

static void other_code_is_named(void **state)
{
    static const struct {
        const char *parts;
        bool dependent;
        const char *message;
    } cases[] = {
        {"FADD*2", false, "instruction 2 (0x0000) is \"FFMA"},
        {"FADD*2", false, "FADD was meant"},
        {"FFMA*3", false, "the timed part ends after 2 instructions: FFMA was meant next"},
        {"FFMA*1", false, "nothing was meant"},
        {"FFMA*2 | FFMA*2", true, "does not read the result before it"},
        {"FFMA*2 | FFMA*2 | FFMA", false, "the kernel has no timed part 2"},
        {"FF*2", false, "FF was meant"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err;

        assert_int_equal(check(cases[i].parts, NULL, cases[i].dependent, &err), ERR_FORMAT);
        if (!strstr(err.text, cases[i].message))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", i, err.text, cases[i].message);
    }
}

static void code_larger_than_the_cache_is_refused(void **state)
{
    struct sass code[8] = {stamp()};
    const struct sass_code all = {.instructions = code, .count = 8, .sm = 90};
    const struct body body = {.parts = "FFMA*6", .bytes_max = 64};
    struct err err = {0};

    for (int i = 1; i < 7; i++)
        code[i] = fused(1, 1);
    code[7] = stamp();
    assert_int_equal(body_check(&all, &body, &err), ERR_FORMAT);
    assert_string_equal(err.text, "the timed part has 96 bytes, an instruction cache of 64 is counted on");
}

int main(void)
{
    return RUN_TESTS(code_as_meant_passes, other_code_is_named, code_larger_than_the_cache_is_refused);
}
