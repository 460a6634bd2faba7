#include "check.h"

#include "tuner/evaluate/evaluator.h"

static struct evaluator *recorded(unsigned cores)
{
    struct evaluator *evaluator;
    const struct evaluator_options options = {
        .type = &evaluator_recorded, .cores = 1, .simulated_cores = cores};
    struct err err = {0};

    check_ok(evaluator_open(&evaluator, &options, &err), &err);
    return evaluator;
}

static void submit(struct evaluator *evaluator, struct evaluator_job *job, enum evaluator_kind kind,
                   const struct record *known)
{
    struct err err = {0};

    *job = (struct evaluator_job){.kind = kind, .known = known};
    check_ok(evaluator_submit(evaluator, job, &err), &err);
}

static struct record record_of(double compile_s, double trial_s)
{
    struct record record;

    record_init(&record);
    record.compile_s = compile_s;
    record.trial_s = trial_s;
    return record;
}

/* Three compiles of 3, 1 and 1 s on two cores end at 1, 2 and 3 s. */
static void compiles_on_simulated_cores(void **state)
{
    const struct record three = record_of(3, 0), one = record_of(1, 0);
    struct evaluator *evaluator = recorded(2);
    struct evaluator_job jobs[3], *first, *second, *third;

    submit(evaluator, &jobs[0], EVALUATOR_COMPILE, &three);
    submit(evaluator, &jobs[1], EVALUATOR_COMPILE, &one);
    submit(evaluator, &jobs[2], EVALUATOR_COMPILE, &one);
    assert_int_equal(evaluator_pending(evaluator, EVALUATOR_COMPILE), 3);
    first = evaluator_wait(evaluator, -1);
    check_near(evaluator_now_s(evaluator), 1, 1e-12);
    second = evaluator_wait(evaluator, -1);
    check_near(evaluator_now_s(evaluator), 2, 1e-12);
    third = evaluator_wait(evaluator, -1);
    check_near(evaluator_now_s(evaluator), 3, 1e-12);
    assert_ptr_equal(first, &jobs[1]);
    assert_ptr_equal(second, &jobs[2]);
    assert_ptr_equal(third, &jobs[0]);
    assert_null(evaluator_wait(evaluator, 0));
    check_near(evaluator_busy_s(evaluator, EVALUATOR_COMPILE), 5, 1e-12);
    evaluator_close(evaluator);
}

static void submit_code(struct evaluator *evaluator, struct evaluator_job *job, uint64_t code,
                        const struct record *known)
{
    *job = (struct evaluator_job){.kind = EVALUATOR_COMPILE, .known = known, .code = code};
    assert_int_equal(evaluator_submit(evaluator, job, NULL), 0);
}

/* On two cores, 3 s each: two of one code end together, and the second core had time for another. */
static void equal_code_is_compiled_once(void **state)
{
    const struct record three = record_of(3, 0), two = record_of(2, 0);
    struct evaluator *evaluator = recorded(2);
    struct evaluator_job jobs[4], late;

    submit_code(evaluator, &jobs[0], 7, &three);
    submit_code(evaluator, &jobs[1], 7, &three);
    submit_code(evaluator, &jobs[2], 8, &two);
    submit_code(evaluator, &jobs[3], 0, &two); /* not known which: never shared */
    assert_true(!jobs[0].shared && jobs[1].shared && !jobs[2].shared && !jobs[3].shared);
    assert_int_equal(evaluator_pending(evaluator, EVALUATOR_COMPILE), 4);
    assert_int_equal(evaluator_compiling(evaluator), 3);
    assert_ptr_equal(evaluator_wait(evaluator, -1), &jobs[2]);
    check_near(evaluator_now_s(evaluator), 2, 1e-12);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(evaluator_wait(evaluator, -1)->code, 7);
        check_near(evaluator_now_s(evaluator), 3, 1e-12);
    }
    assert_int_equal(evaluator_compiling(evaluator), 1);
    assert_ptr_equal(evaluator_wait(evaluator, -1), &jobs[3]);
    check_near(evaluator_now_s(evaluator), 4, 1e-12);
    check_near(evaluator_busy_s(evaluator, EVALUATOR_COMPILE), 7, 1e-12);
    submit_code(evaluator, &late, 7, &three);
    assert_true(late.shared);
    assert_ptr_equal(evaluator_wait(evaluator, -1), &late);
    check_near(evaluator_now_s(evaluator), 4, 1e-12);
    evaluator_close(evaluator);
}

/* Compiling and measuring overlap; the GPU does one trial at a time. */
static void measures_beside_compiling(void **state)
{
    const struct record long_compile = record_of(10, 0), trial = record_of(0, 2);
    struct evaluator *evaluator = recorded(1);
    struct evaluator_job compile, trials[2];

    submit(evaluator, &compile, EVALUATOR_COMPILE, &long_compile);
    submit(evaluator, &trials[0], EVALUATOR_MEASURE, &trial);
    submit(evaluator, &trials[1], EVALUATOR_MEASURE, &trial);
    assert_ptr_equal(evaluator_wait(evaluator, -1), &trials[0]);
    check_near(evaluator_now_s(evaluator), 2, 1e-12);
    assert_ptr_equal(evaluator_wait(evaluator, -1), &trials[1]);
    check_near(evaluator_now_s(evaluator), 4, 1e-12);
    assert_ptr_equal(evaluator_wait(evaluator, -1), &compile);
    check_near(evaluator_now_s(evaluator), 10, 1e-12);
    check_near(evaluator_busy_s(evaluator, EVALUATOR_MEASURE), 4, 1e-12);
    evaluator_close(evaluator);
}

/* Records of other tools know no trial time: verification and benchmark stand for it; what is unknown takes
 * no time. */
static void takes_what_the_record_knows(void **state)
{
    struct record foreign = record_of(NAN, NAN);
    struct evaluator *evaluator = recorded(1);
    struct evaluator_job job;

    foreign.verify_s = 0.25;
    foreign.benchmark_s = 0.5;
    submit(evaluator, &job, EVALUATOR_COMPILE, &foreign);
    assert_ptr_equal(evaluator_wait(evaluator, -1), &job);
    check_near(evaluator_now_s(evaluator), 0, 1e-12);
    submit(evaluator, &job, EVALUATOR_MEASURE, &foreign);
    assert_ptr_equal(evaluator_wait(evaluator, -1), &job);
    check_near(evaluator_now_s(evaluator), 0.75, 1e-12);
    evaluator_close(evaluator);
}

/* Compiles that were given up are neither returned nor waited for; what is submitted afterwards is. */
static void gives_up_compiling(void **state)
{
    const struct record slow = record_of(10, 0), trial = record_of(0, 2);
    struct evaluator *evaluator = recorded(2);
    struct evaluator_job early, late, measure;

    submit(evaluator, &early, EVALUATOR_COMPILE, &slow);
    submit(evaluator, &measure, EVALUATOR_MEASURE, &trial);
    evaluator_give_up_compiling(evaluator);
    assert_int_equal(evaluator_pending(evaluator, EVALUATOR_COMPILE), 0);
    assert_int_equal(evaluator_pending(evaluator, EVALUATOR_MEASURE), 1);
    assert_ptr_equal(evaluator_wait(evaluator, -1), &measure);
    check_near(evaluator_now_s(evaluator), 2, 1e-12);
    assert_null(evaluator_wait(evaluator, -1));
    submit(evaluator, &late, EVALUATOR_COMPILE, &slow);
    assert_ptr_equal(evaluator_wait(evaluator, -1), &late);
    check_near(evaluator_now_s(evaluator), 12, 1e-12);
    evaluator_close(evaluator);
}

/* Live, a record answers at once: nothing is simulated. */
static void live_records_take_no_time(void **state)
{
    const struct record slow = record_of(100, 100);
    const struct evaluator_options options = {.type = &evaluator_local, .cores = 1};
    struct evaluator *evaluator;
    struct evaluator_job job;

    assert_int_equal(evaluator_open(&evaluator, &options, NULL), 0);
    submit(evaluator, &job, EVALUATOR_COMPILE, &slow);
    assert_ptr_equal(evaluator_wait(evaluator, 0), &job);
    assert_true(evaluator_now_s(evaluator) < 10);
    evaluator_close(evaluator);
}

int main(void)
{
    return RUN_TESTS(compiles_on_simulated_cores, equal_code_is_compiled_once, measures_beside_compiling,
                     takes_what_the_record_knows, gives_up_compiling, live_records_take_no_time);
}
