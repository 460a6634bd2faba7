/* Counters that hand out work: dealt out in turn, all blocks of a grid together do what they do in any other order. */
#include "compiled.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCKS = 24, TICKETS = 200 };

struct scheduler {
    const char *name;
    bool hands_out;   /* else its atomics are answered from one block alone */
    unsigned spare;   /* warp instructions that depend on which block is the last one */
    unsigned writers; /* warps of a block that write */
};

struct subject {
    struct compiled compiled;
    struct launch launch;
    struct argument arguments[3];
    int32_t tickets;
};

static void subject_open(struct subject *out, const char *name)
{
    const struct compile_request request = {
        .source_path = "tests/emulated/tickets.cu", .name = name, .arch = "sm_90a", .deadline_s = 120};
    struct err err = {0};

    *out = (struct subject){.tickets = TICKETS};
    compiled_open(&out->compiled, &request);
    launch_init(&out->launch);
    out->launch.grid[0] = BLOCKS;
    out->launch.block[0] = 64;
    out->arguments[0] = buffer_of("out", ELEMENT_FLOAT32, (TICKETS + 4) * 32);
    out->arguments[1] = buffer_of("counters", ELEMENT_UINT32, 32);
    out->arguments[2] = scalar_of(&out->tickets);
    out->launch.arguments = out->arguments;
    out->launch.argument_count = 3;
    ok(launch_prepare(&out->launch, &err), &err);
}

static void run(struct emulate_result *out, const struct subject *subject, enum emulate_mode mode,
                size_t sample, uint64_t resident)
{
    const struct emulate_options options = {.mode = mode, .resident = resident};

    compiled_run(out, &subject->compiled, &subject->launch, &options, sample, "the scheduler");
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
        compiled_close(&subject.compiled);
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
        compiled_close(&subject.compiled);
    }
}

static void other_counters_stay_unknown(void **state)
{
    static const char *const names[] = {"append", "uneven"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct emulate_result result;
        struct subject subject;

        subject_open(&subject, names[k]);
        run(&result, &subject, EMULATE_SLICED, 4, BLOCKS);
        assert_false(result.tickets);
        assert_true(result.assumed);
        emulate_result_release(&result);
        compiled_close(&subject.compiled);
    }
}

/* Blocks that come when the first ones end find nothing left, or all that these were content with: nobody knows. */
static void not_where_blocks_wait_for_a_place(void **state)
{
    struct emulate_result result;
    struct subject subject;

    subject_open(&subject, "broadcast");
    run(&result, &subject, EMULATE_SLICED, 4, BLOCKS - 1);
    assert_false(result.tickets);
    assert_true(result.assumed);
    emulate_result_release(&result);
    compiled_close(&subject.compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_taken_once),
        cmocka_unit_test(a_sample_stands_for_the_grid),
        cmocka_unit_test(other_counters_stay_unknown),
        cmocka_unit_test(not_where_blocks_wait_for_a_place),
    };

    return run_group("tickets", tests, sizeof tests / sizeof *tests);
}
