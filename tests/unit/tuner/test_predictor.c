#include "check.h"

#include "tuner/predict/predictor.h"
#include "tuner/evaluate/evaluator.h"

#include <unistd.h>

/* `wander` ends after more steps than anybody waits for, and no two of them are alike. */
static const char text[] = "extern \"C\" __global__ void brief() {}\n"
                           "extern \"C\" __global__ void wander() {\n"
                           "    unsigned x = threadIdx.x, n = 0;\n"
                           "    while (n < 1u << 30) {\n"
                           "        x = x * 1664525u + 1013904223u;\n"
                           "        if (x & 0x400u) n++;\n"
                           "        if (x == 12345u) __trap();\n"
                           "    }\n"
                           "}\n";

struct fixture {
    char path[64];
    struct compiler *compiler;
    struct device profile;
    struct machine machine;
    struct variant variant;
    struct evaluator *source;
    struct evaluator_job job;
};

static void set_up(struct fixture *f, const char *kernel)
{
    struct evaluator_options options = {
        .type = &evaluator_local, .cores = 1, .arch = "sm_90", .compile_deadline_s = 60, .warm = true};
    struct err err = {0};
    FILE *file;
    int descriptor;

    *f = (struct fixture){.path = "/tmp/occutune-prediction-XXXXXX.cu"};
    descriptor = mkstemps(f->path, 3);
    file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    check_ok(compiler_open(&f->compiler, NULL, NULL, &err) ||
                 device_load(&f->profile, "nvidia-h200", "model/device/profiles", &err) ||
                 machine_init(&f->machine, &f->profile, &err),
             &err);
    options.compiler = f->compiler;
    options.machine = &f->machine;
    assert_int_equal(evaluator_open(&f->source, &options, NULL), 0);
    launch_init(&f->variant.launch);
    f->variant.launch.block[0] = 32;
    f->variant.source_path = f->path;
    f->variant.name = (char *)kernel;
    f->job =
        (struct evaluator_job){.kind = EVALUATOR_COMPILE, .variant = &f->variant, .read = &f->variant.launch};
}

static void compile(struct fixture *f)
{
    struct err err = {0};

    check_ok(evaluator_submit(f->source, &f->job, &err), &err);
    assert_ptr_equal(evaluator_wait(f->source, -1), &f->job);
    assert_int_equal(f->job.err.code, 0);
    assert_int_equal(f->job.compiled.outcome, OUTCOME_OK);
}

static void tear_down(struct fixture *f)
{
    evaluator_close(f->source);
    compile_result_release(&f->job.compiled);
    launch_release(&f->variant.launch);
    machine_release(&f->machine);
    device_release(&f->profile);
    compiler_close(f->compiler);
    unlink(f->path);
}

static void compiled_code_is_predicted(void **state)
{
    struct fixture f;

    set_up(&f, "brief");
    compile(&f);
    if (!f.job.prediction.told.predicted)
        fail_msg("%s", f.job.prediction.reason);
    tear_down(&f);
}

/* Endless work costs no more than the budget, and nothing is predicted from what was seen of it. */
static void work_beyond_the_budget_is_not_predicted(void **state)
{
    struct fixture f;

    set_up(&f, "wander");
    compile(&f);
    assert_false(f.job.prediction.told.predicted);
    assert_non_null(strstr(f.job.prediction.reason, "out of budget"));
    assert_non_null(strstr(f.job.prediction.reason, "8388608 warp instructions"));
    tear_down(&f);
}

/* At the end of a search what still compiles is neither waited for nor predicted any more. */
static void compiling_can_be_given_up(void **state)
{
    struct fixture f;
    struct err err = {0};

    set_up(&f, "wander");
    check_ok(evaluator_submit(f.source, &f.job, &err), &err);
    evaluator_give_up_compiling(f.source);
    assert_null(evaluator_wait(f.source, -1));
    evaluator_close(f.source);
    f.source = NULL;
    assert_false(f.job.prediction.told.predicted);
    assert_string_equal(f.job.prediction.reason, "");
    tear_down(&f);
}

/* Nor does anybody wait for what is being predicted. */
static void a_prediction_under_way_is_cut_short(void **state)
{
    struct err err = {0};
    struct variant_prediction prediction;
    struct fixture f;
    atomic_bool stop;

    atomic_init(&stop, true);
    set_up(&f, "wander");
    evaluator_give_up_compiling(f.source);
    compile(&f);
    assert_int_equal(
        predict_compiled(&prediction, &f.machine, &f.job.compiled, &f.variant.launch, true, &stop, &err), 0);
    assert_false(prediction.told.predicted);
    assert_non_null(strstr(prediction.reason, "nobody waits"));
    tear_down(&f);
}

int main(void)
{
    return RUN_TESTS(compiled_code_is_predicted, work_beyond_the_budget_is_not_predicted,
                     compiling_can_be_given_up, a_prediction_under_way_is_cut_short);
}
