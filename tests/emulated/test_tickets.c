/* Counters that hand out work: dealt out in turn, all blocks of a grid together do what they do in any other order. */
#include "check.h"
#include "gpu/compile.h"
#include "model/emulate/emulate.h"

#include <math.h>
#include <stdlib.h>

enum { SKIPPED = 77, BLOCKS = 24, TICKETS = 200 };

static struct compiler *compiler;

struct scheduler {
    const char *name;
    bool hands_out;   /* else its atomics are answered from one block alone */
    unsigned spare;   /* warp instructions that depend on which block is the last one */
    unsigned writers; /* warps of a block that write */
};

struct subject {
    struct compile_result compiled;
    struct cubin cubin;
    const struct cubin_kernel *kernel;
    struct sass_code code;
    struct launch launch;
    struct argument arguments[3];
    int32_t tickets;
};

static void ok(int rc, const struct err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

static void subject_open(struct subject *out, const char *name)
{
    const struct compile_request request = {
        .source_path = "tests/emulated/tickets.cu", .name = name, .arch = "sm_90a", .deadline_s = 120};
    struct err err = {0};

    *out = (struct subject){.tickets = TICKETS};
    ok(compile_cubin(&out->compiled, compiler, &request, &err), &err);
    if (out->compiled.outcome != OUTCOME_OK)
        fail_msg("%s", out->compiled.diagnostic);
    ok(cubin_init(&out->cubin, out->compiled.cubin, out->compiled.cubin_bytes, name, &err), &err);
    ok(cubin_find(&out->kernel, &out->cubin, out->compiled.entry, &err), &err);
    ok(sass_read(&out->code, out->kernel, &err), &err);
    launch_init(&out->launch);
    out->launch.grid[0] = BLOCKS;
    out->launch.block[0] = 64;
    out->arguments[0] = (struct argument){
        .kind = ARGUMENT_BUFFER, .name = (char *)"out", .type = ELEMENT_FLOAT32, .count = (TICKETS + 4) * 32};
    out->arguments[1] = (struct argument){
        .kind = ARGUMENT_BUFFER, .name = (char *)"counters", .type = ELEMENT_UINT32, .count = 32};
    out->arguments[2] = (struct argument){
        .kind = ARGUMENT_SCALAR, .bytes = (unsigned char *)&out->tickets, .size = sizeof out->tickets};
    out->launch.arguments = out->arguments;
    out->launch.argument_count = 3;
    ok(launch_prepare(&out->launch, &err), &err);
}

static void subject_close(struct subject *subject)
{
    sass_release(&subject->code);
    cubin_release(&subject->cubin);
    compile_result_release(&subject->compiled);
}

static void run(struct emulate_result *out, const struct subject *subject, enum emulate_mode mode,
                size_t sample, uint64_t resident)
{
    const struct emulate_options options = {.mode = mode, .resident = resident};
    struct emulation *emulation;
    struct err err = {0};

    ok(emulation_open(&emulation, &subject->cubin, subject->kernel, &subject->code, &subject->launch,
                      &options, &err),
       &err);
    ok(sample ? emulate_sample(out, emulation, sample, &err) : emulate_grid(out, emulation, &err), &err);
    if (out->end != EMULATE_DONE)
        fail_msg("ended as %s: %s", emulate_end_text(out->end), out->reason);
    emulation_close(emulation);
}

static double issued_at(const struct emulate_result *result, size_t i)
{
    double sum = 0;

    for (size_t b = 0; b < result->block_count; b++)
        sum += result->blocks[b].weight * (double)result->blocks[b].counts[i].issued;
    return sum;
}

/* In full the first block takes all there is. */
static void compare_totals(const struct scheduler *s, const struct emulate_result *full,
                           const struct emulate_result *dealt)
{
    double apart = 0, all = 0;

    for (size_t i = 0; i < full->instruction_count; i++) {
        apart += fabs(issued_at(full, i) - issued_at(dealt, i));
        all += issued_at(full, i);
    }
    if (apart > s->spare)
        fail_msg("%s: %g of %g warp instructions differ", s->name, apart, all);
}

/* Blocks have at most one number more than others. */
static void check_dealt(const struct scheduler *s, const struct emulate_result *dealt)
{
    size_t least = SIZE_MAX, most = 0;

    for (size_t b = 0; b < dealt->block_count; b++) {
        const struct emulate_block *block = &dealt->blocks[b];

        least = block->ticket_count < least ? block->ticket_count : least;
        most = block->ticket_count > most ? block->ticket_count : most;
        for (size_t k = 1; k < block->ticket_count; k++)
            assert_true(block->tickets[k - 1] < block->tickets[k]);
        assert_true(block->tickets[block->ticket_count - 1] < block->ticket_end);
    }
    if (most > least + 2)
        fail_msg("%s: one block takes %zu numbers, another %zu", s->name, most, least);
}

static const struct scheduler schedulers[] = {
    {"broadcast", true, 0, 1}, {"warps", true, 0, 2}, {"two", true, 0, 1}, {"elected", true, 8, 1}};

static void every_number_is_taken_once(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof schedulers / sizeof *schedulers; k++) {
        struct emulate_result full, dealt;
        struct subject subject;

        subject_open(&subject, schedulers[k].name);
        run(&full, &subject, EMULATE_FULL, 0, 0);
        run(&dealt, &subject, EMULATE_SLICED, 0, BLOCKS);
        assert_true(dealt.tickets);
        compare_totals(&schedulers[k], &full, &dealt);
        check_dealt(&schedulers[k], &dealt);
        emulate_result_release(&full);
        emulate_result_release(&dealt);
        subject_close(&subject);
    }
}

static double issued_in_all(const struct emulate_result *result)
{
    double sum = 0;

    for (size_t i = 0; i < result->instruction_count; i++)
        sum += issued_at(result, i);
    return sum;
}

static void a_sample_stands_for_the_grid(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof schedulers / sizeof *schedulers; k++) {
        struct emulate_result full, sample;
        struct subject subject;
        double ratio;

        subject_open(&subject, schedulers[k].name);
        run(&full, &subject, EMULATE_FULL, 0, 0);
        run(&sample, &subject, EMULATE_SLICED, 16, BLOCKS);
        ratio = issued_in_all(&sample) / issued_in_all(&full);
        if (!(fabs(ratio - 1) < 0.02 + sample.work_error))
            fail_msg("%s: a sample counts %.3f of what there is, error %.3f", schedulers[k].name, ratio,
                     sample.work_error);
        emulate_result_release(&full);
        emulate_result_release(&sample);
        subject_close(&subject);
    }
}

static void other_counters_stay_unknown(void **state)
{
    static const char *const names[] = {"append", "uneven"};

    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct emulate_result result;
        struct subject subject;

        subject_open(&subject, names[k]);
        run(&result, &subject, EMULATE_SLICED, 4, BLOCKS);
        assert_false(result.tickets);
        assert_true(result.assumed);
        emulate_result_release(&result);
        subject_close(&subject);
    }
}

/* Blocks that come when the first ones end find nothing left, or all that these were content with: nobody knows. */
static void not_where_blocks_wait_for_a_place(void **state)
{
    struct emulate_result result;
    struct subject subject;

    (void)state;
    subject_open(&subject, "broadcast");
    run(&result, &subject, EMULATE_SLICED, 4, BLOCKS - 1);
    assert_false(result.tickets);
    assert_true(result.assumed);
    emulate_result_release(&result);
    subject_close(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_taken_once),
        cmocka_unit_test(a_sample_stands_for_the_grid),
        cmocka_unit_test(other_counters_stay_unknown),
        cmocka_unit_test(not_where_blocks_wait_for_a_place),
    };
    struct err err = {0};
    int failed;

    if (compiler_open(&compiler, NULL, getenv("OCCUTUNE_TEST_CACHE"), &err)) {
        fprintf(stderr, "skipped: %s\n", err.text);
        return SKIPPED;
    }
    failed = cmocka_run_group_tests_name("tickets", tests, NULL, NULL);
    compiler_close(compiler);
    return failed;
}
