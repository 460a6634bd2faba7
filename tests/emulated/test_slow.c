/* Kernels that would take long if every instruction were executed: what they cost to read is bounded, whether
 * they are predicted or refused. Usage: test_slow. */
#include "check.h"
#include "base/clock.h"
#include "gpu/compile.h"
#include "model/predict/expect.h"
#include "space/configuration.h"
#include "space/space.h"
#include "space/variant.h"
#include "tuner/predict/request.h"

#include <stdlib.h>

enum { SKIPPED = 77, DEADLINE_S = 120 };
static const double GENEROUS_S = 10; /* of a core, for what takes less than one second of an idle one */

static struct compiler *compiler;
static struct machine machine;

static void ok(int rc, const struct err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

/* `kind` of slow.cu with a problem size ("ROUNDS=10") or null. */
static void read_kind(struct expectation *out, int kind, const char *set,
                      const struct expect_options *options)
{
    const char *sets[] = {set};
    struct compile_result compiled = {0};
    struct compile_request request;
    const struct cubin_kernel *kernel;
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct variant variant;
    struct cubin cubin;
    struct spec spec;
    struct err err = {0};
    char text[16];

    ok(spec_read(&spec, "tests/emulated/slow/spec.json", SPEC_WHOLE, sets, set != NULL, &err), &err);
    snprintf(text, sizeof text, "KIND=%d", kind);
    ok(configuration_parse(choices, &spec, text, &err), &err);
    ok(variant_make(&variant, &spec, 0, choices, &err), &err);
    request = request_of(&variant, "sm_90", DEADLINE_S);
    ok(compile_cubin(&compiled, compiler, &request, &err), &err);
    assert_int_equal(compiled.outcome, OUTCOME_OK);
    ok(cubin_init(&cubin, compiled.cubin, compiled.cubin_bytes, "slow", &err), &err);
    ok(cubin_find(&kernel, &cubin, compiled.entry, &err), &err);
    ok(launch_prepare(&variant.launch, &err), &err);
    ok(expect(out, &machine, &cubin, kernel, &variant.launch, options, &err), &err);
    cubin_release(&cubin);
    compile_result_release(&compiled);
    variant_release(&variant);
    spec_release(&spec);
}

/* Every kind ends within the budget: what is refused says why. */
static void none_takes_long(void **state)
{
    static const char *const refused[] = {[0] = "out of budget", /* a spin on a volatile flag */
                                          [1] = "out of budget", /* a lock taken with atomicCAS */
                                          [3] = "out of budget", /* a recursion whose depth is loaded */
                                          [7] = NULL};
    const struct expect_options options = {.warm = true};

    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        struct expectation *e = calloc(1, sizeof *e);
        const double begin = clock_core_s();

        assert_non_null(e);
        read_kind(e, kind, NULL, &options);
        if (e->emulation.executed > EXPECT_BUDGET + 1 || clock_core_s() - begin > GENEROUS_S)
            fail_msg("KIND=%d: %llu warp instructions in %g s", kind,
                     (unsigned long long)e->emulation.executed, clock_core_s() - begin);
        if (refused[kind] && (e->predicted || !strstr(e->reason, refused[kind])))
            fail_msg("KIND=%d: \"%s\" is not in \"%s\"", kind, refused[kind], e->reason);
        expectation_release(e);
        free(e);
    }
}

static void a_time_limit_is_named(void **state)
{
    const struct expect_options options = {.warm = true, .time_limit_s = 1e-9};
    struct expectation *e = calloc(1, sizeof *e);

    (void)state;
    assert_non_null(e);
    read_kind(e, 0, NULL, &options);
    assert_false(e->predicted);
    assert_int_equal(e->emulation.end, EMULATE_TIME);
    assert_non_null(strstr(e->reason, "out of time: time limit of 1e-09 s reached"));
    expectation_release(e);
    free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_takes_long),
                                       cmocka_unit_test(a_time_limit_is_named)};
    struct device device;
    struct err err = {0};
    int failed;

    if (compiler_open(&compiler, NULL, NULL, &err)) {
        fprintf(stderr, "skipped: %s\n", err.text);
        return SKIPPED;
    }
    device_init(&device);
    if (device_load(&device, "nvidia-h200", "model/device/profiles", &err) ||
        machine_init(&machine, &device, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    failed = cmocka_run_group_tests_name("slow", tests, NULL, NULL);
    machine_release(&machine);
    device_release(&device);
    compiler_close(compiler);
    return failed;
}
