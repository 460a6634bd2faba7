#include "check.h"

#include "tuner/source/source.h"

static struct source *recorded(unsigned cores)
{
    struct source *source;
    const struct source_options options = {.level = SOURCE_RECORDED, .cores = 1, .simulated_cores = cores};
    struct err err = {0};

    if (source_open(&source, &options, &err))
        fail_msg("%s", err.text);
    return source;
}

static void submit(struct source *source, struct source_job *job, enum source_kind kind,
                   const struct record *known)
{
    struct err err = {0};

    *job = (struct source_job){.kind = kind, .known = known};
    if (source_submit(source, job, &err))
        fail_msg("%s", err.text);
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
    struct source *source = recorded(2);
    struct source_job jobs[3], *first, *second, *third;

    (void)state;
    submit(source, &jobs[0], SOURCE_COMPILE, &three);
    submit(source, &jobs[1], SOURCE_COMPILE, &one);
    submit(source, &jobs[2], SOURCE_COMPILE, &one);
    assert_int_equal(source_pending(source, SOURCE_COMPILE), 3);
    first = source_wait(source, -1);
    check_near(source_now_s(source), 1, 1e-12);
    second = source_wait(source, -1);
    check_near(source_now_s(source), 2, 1e-12);
    third = source_wait(source, -1);
    check_near(source_now_s(source), 3, 1e-12);
    assert_ptr_equal(first, &jobs[1]);
    assert_ptr_equal(second, &jobs[2]);
    assert_ptr_equal(third, &jobs[0]);
    assert_null(source_wait(source, 0));
    check_near(source_busy_s(source, SOURCE_COMPILE), 5, 1e-12);
    source_close(source);
}

static void submit_code(struct source *source, struct source_job *job, uint64_t code,
                        const struct record *known)
{
    *job = (struct source_job){.kind = SOURCE_COMPILE, .known = known, .code = code};
    assert_int_equal(source_submit(source, job, NULL), 0);
}

/* On two cores, 3 s each: two of one code end together, and the second core had time for another. */
static void equal_code_is_compiled_once(void **state)
{
    const struct record three = record_of(3, 0), two = record_of(2, 0);
    struct source *source = recorded(2);
    struct source_job jobs[4], late;

    (void)state;
    submit_code(source, &jobs[0], 7, &three);
    submit_code(source, &jobs[1], 7, &three);
    submit_code(source, &jobs[2], 8, &two);
    submit_code(source, &jobs[3], 0, &two); /* not known which: never shared */
    assert_true(!jobs[0].shared && jobs[1].shared && !jobs[2].shared && !jobs[3].shared);
    assert_int_equal(source_pending(source, SOURCE_COMPILE), 4);
    assert_int_equal(source_compiling(source), 3);
    assert_ptr_equal(source_wait(source, -1), &jobs[2]);
    check_near(source_now_s(source), 2, 1e-12);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(source_wait(source, -1)->code, 7);
        check_near(source_now_s(source), 3, 1e-12);
    }
    assert_int_equal(source_compiling(source), 1);
    assert_ptr_equal(source_wait(source, -1), &jobs[3]);
    check_near(source_now_s(source), 4, 1e-12);
    check_near(source_busy_s(source, SOURCE_COMPILE), 7, 1e-12);
    submit_code(source, &late, 7, &three);
    assert_true(late.shared);
    assert_ptr_equal(source_wait(source, -1), &late);
    check_near(source_now_s(source), 4, 1e-12);
    source_close(source);
}

/* Compiling and measuring overlap; the GPU does one trial at a time. */
static void measures_beside_compiling(void **state)
{
    const struct record long_compile = record_of(10, 0), trial = record_of(0, 2);
    struct source *source = recorded(1);
    struct source_job compile, trials[2];

    (void)state;
    submit(source, &compile, SOURCE_COMPILE, &long_compile);
    submit(source, &trials[0], SOURCE_MEASURE, &trial);
    submit(source, &trials[1], SOURCE_MEASURE, &trial);
    assert_ptr_equal(source_wait(source, -1), &trials[0]);
    check_near(source_now_s(source), 2, 1e-12);
    assert_ptr_equal(source_wait(source, -1), &trials[1]);
    check_near(source_now_s(source), 4, 1e-12);
    assert_ptr_equal(source_wait(source, -1), &compile);
    check_near(source_now_s(source), 10, 1e-12);
    check_near(source_busy_s(source, SOURCE_MEASURE), 4, 1e-12);
    source_close(source);
}

/* Records of other tools know no trial time: verification and benchmark stand for it; what is unknown takes
 * no time. */
static void takes_what_the_record_knows(void **state)
{
    struct record foreign = record_of(NAN, NAN);
    struct source *source = recorded(1);
    struct source_job job;

    (void)state;
    foreign.verify_s = 0.25;
    foreign.benchmark_s = 0.5;
    submit(source, &job, SOURCE_COMPILE, &foreign);
    assert_ptr_equal(source_wait(source, -1), &job);
    check_near(source_now_s(source), 0, 1e-12);
    submit(source, &job, SOURCE_MEASURE, &foreign);
    assert_ptr_equal(source_wait(source, -1), &job);
    check_near(source_now_s(source), 0.75, 1e-12);
    source_close(source);
}

/* Compiles that were given up are neither returned nor waited for; what is submitted afterwards is. */
static void gives_up_compiling(void **state)
{
    const struct record slow = record_of(10, 0), trial = record_of(0, 2);
    struct source *source = recorded(2);
    struct source_job early, late, measure;

    (void)state;
    submit(source, &early, SOURCE_COMPILE, &slow);
    submit(source, &measure, SOURCE_MEASURE, &trial);
    source_give_up_compiling(source);
    assert_int_equal(source_pending(source, SOURCE_COMPILE), 0);
    assert_int_equal(source_pending(source, SOURCE_MEASURE), 1);
    assert_ptr_equal(source_wait(source, -1), &measure);
    check_near(source_now_s(source), 2, 1e-12);
    assert_null(source_wait(source, -1));
    submit(source, &late, SOURCE_COMPILE, &slow);
    assert_ptr_equal(source_wait(source, -1), &late);
    check_near(source_now_s(source), 12, 1e-12);
    source_close(source);
}

/* Live, a record answers at once: nothing is simulated. */
static void live_records_take_no_time(void **state)
{
    const struct record slow = record_of(100, 100);
    const struct source_options options = {.level = SOURCE_LIVE, .cores = 1};
    struct source *source;
    struct source_job job;

    (void)state;
    assert_int_equal(source_open(&source, &options, NULL), 0);
    submit(source, &job, SOURCE_COMPILE, &slow);
    assert_ptr_equal(source_wait(source, 0), &job);
    assert_true(source_now_s(source) < 10);
    source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiles_on_simulated_cores), cmocka_unit_test(equal_code_is_compiled_once),
        cmocka_unit_test(measures_beside_compiling),   cmocka_unit_test(takes_what_the_record_knows),
        cmocka_unit_test(gives_up_compiling),          cmocka_unit_test(live_records_take_no_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
