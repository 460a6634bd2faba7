/* Shared memory of other blocks of a cluster: what is asked of it, and what that takes. */
#include "compiled.h"
#include "model/predict/analyze.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>
#include <string.h>

enum { BLOCKS = 264, THREADS = 256, ROUNDS = 64 };
enum operation { LOADS, STORES, ADDS, TOLD, COPIES, COPIES_ADD };
enum meeting { MEETS, MEETS_NOT };

struct asked {
    double lines, sectors, parts; /* of a warp's request */
    double estimate_s;
    enum resource limiter;
    bool unrated;
};

static void sum_up(struct asked *out, const struct analysis *analysis)
{
    double requests = 0;

    for (size_t i = 0; i < analysis->code.count; i++) {
        const struct traffic_count *count = &analysis->traffic.counts[i];

        const struct sass *asks = &analysis->code.instructions[i];

        if (!asks->access_count || (asks->accesses[0].space != SASS_SPACE_GENERIC && asks->op != SASS_STAS &&
                                    !sass_is_bulk_across(asks)))
            continue;
        requests += count->requests;
        out->lines += count->remote_lines;
        out->sectors += count->remote_sectors;
        out->parts += count->remote_parts;
    }
    assert_true(requests > 0);
    out->lines /= requests;
    out->sectors /= requests;
    out->parts /= requests;
}

static void analyze_on(struct analysis *out, const char *profile, const struct compile_request *request,
                       int apart)
{
    const struct analyze_options analyzing = {.warm = true};
    int32_t rounds = ROUNDS, words = apart;
    struct argument arguments[] = {buffer_of("out", ELEMENT_UINT32, BLOCKS * THREADS), scalar_of(&rounds),
                                   scalar_of(&words)};
    struct compiled compiled;
    struct machine machine;
    struct device device;
    struct launch launch;
    struct err err = {0};

    compiled_open(&compiled, request);
    launch_init(&launch);
    launch.grid[0] = BLOCKS;
    launch.block[0] = THREADS;
    launch.arguments = arguments;
    launch.argument_count = 3;
    ok(launch_prepare(&launch, &err), &err);
    device_init(&device);
    ok(device_load(&device, profile, "model/device/profiles", &err), &err);
    ok(machine_init(&machine, &device, &err), &err);
    ok(analyze(out, &machine, &compiled.cubin, compiled.kernel, &launch, &analyzing, &err), &err);
    if (!out->predicted)
        fail_msg("%s", out->reason);
    machine_release(&machine);
    device_release(&device);
    compiled_close(&compiled);
}

static struct asked ask_of(const char *profile, enum operation operation, int other, int apart)
{
    char options[2][24];
    const char *list[] = {options[0], options[1]};
    const struct compile_request request = {.source_path = "tests/emulated/remote.cu",
                                            .name = operation < TOLD ? "remote" : "told",
                                            .arch = "sm_90",
                                            .options = list,
                                            .option_count = 2,
                                            .deadline_s = 120};
    struct analysis analysis;
    struct asked out = {0};

    snprintf(options[0], sizeof options[0], "-DOPERATION=%d", operation);
    snprintf(options[1], sizeof options[1], "-DOTHER=%d", other);
    analyze_on(&analysis, profile, &request, apart);
    sum_up(&out, &analysis);
    out.estimate_s = analysis.prediction.estimate_s;
    out.limiter = analysis.prediction.limiter;
    for (size_t k = 0; k < analysis.demands.unrated.count; k++)
        out.unrated |= strstr(analysis.demands.unrated.ops[k].missing, "shared memory") != NULL;
    assert_true(out.unrated || operation < TOLD || !analysis.demands.unrated.count);
    analysis_release(&analysis);
    return out;
}

static void counts_lines_of_others(void **state)
{
    const struct asked row = ask_of("nvidia-h200", LOADS, 1, 1), apart = ask_of("nvidia-h200", LOADS, 1, 32),
                       own = ask_of("nvidia-h200", LOADS, 0, 1), stores = ask_of("nvidia-h200", STORES, 2, 1),
                       pieces = ask_of("nvidia-h200", STORES, 2, 2),
                       told = ask_of("nvidia-h200", TOLD, 1, 32), adds = ask_of("nvidia-h200", ADDS, 3, 1),
                       same = ask_of("nvidia-h200", ADDS, 3, 0);

    check_near(row.lines, 1, 0);
    check_near(row.sectors, 4, 0);
    check_near(row.parts, 0, 0);
    check_near(apart.lines, LANES, 0);
    check_near(apart.sectors, LANES, 0);
    check_near(own.lines, 0, 0);
    check_near(stores.sectors, 4, 0);
    check_near(pieces.lines, 2, 0);
    check_near(pieces.sectors, 8, 0); /* as those of two whole lines */
    check_near(pieces.parts, 0, 0);
    check_near(told.lines, 8, 0);
    check_near(told.sectors, LANES, 0);
    check_near(adds.parts, 4, 0);
    check_near(same.lines, 1, 0);
    check_near(same.parts, LANES, 0); /* one after another */
}

/* Thirty-two lines take many times as long as one, and that much longer than the own shared memory. */
static void takes_its_time(void **state)
{
    const struct asked own = ask_of("nvidia-h200", LOADS, 0, 1), row = ask_of("nvidia-h200", LOADS, 1, 1),
                       apart = ask_of("nvidia-h200", LOADS, 1, 32), adds = ask_of("nvidia-h200", ADDS, 1, 32);

    assert_true(row.estimate_s > 1.3 * own.estimate_s);
    assert_true(apart.estimate_s > 5 * row.estimate_s);
    assert_int_equal(apart.limiter, RESOURCE_REMOTE);
    assert_int_equal(adds.limiter, RESOURCE_REMOTE); /* no atomics of global memory */
    assert_false(apart.unrated);
}

/* Stores that tell an mbarrier take what others take, and what comes of them is waited for. */
static void is_waited_for(void **state)
{
    const struct asked row = ask_of("nvidia-h200", TOLD, 1, 1), apart = ask_of("nvidia-h200", TOLD, 1, 32),
                       stores = ask_of("nvidia-h200", STORES, 1, 32),
                       copies = ask_of("nvidia-h200", COPIES, 1, 1);

    assert_true(row.estimate_s > ROUNDS * 230 / 1.98e9);
    assert_true(apart.estimate_s > stores.estimate_s && apart.estimate_s < 1.8 * stores.estimate_s);
    assert_int_equal(apart.limiter, RESOURCE_REMOTE);
    assert_true(copies.estimate_s > ROUNDS * (230 + 4096 / 20) / 1.98e9);
    assert_false(row.unrated || apart.unrated || copies.unrated);
}

static double estimate_of_meeting(enum meeting meeting)
{
    char option[24];
    const char *list[] = {option, "-DOTHER=1"};
    const struct compile_request request = {.source_path = "tests/emulated/remote.cu",
                                            .name = "met",
                                            .arch = "sm_90",
                                            .options = list,
                                            .option_count = 2,
                                            .deadline_s = 120};
    struct analysis analysis;
    double estimate_s;

    snprintf(option, sizeof option, "-DOPERATION=%d", meeting);
    analyze_on(&analysis, "nvidia-h200", &request, 1);
    estimate_s = analysis.prediction.estimate_s;
    analysis_release(&analysis);
    return estimate_s;
}

/* At the barrier of a cluster all warps wait for the one that works. */
static void meets_at_the_clusters_barrier(void **state)
{
    const double meets = estimate_of_meeting(MEETS), not = estimate_of_meeting(MEETS_NOT);

    if (!(meets > 4 * not ))
        fail_msg("%g s where they meet, %g s where they do not", meets, not );
}

/* Where nobody measured it, that is said. */
static void is_unrated_elsewhere(void **state)
{
    assert_true(ask_of("nvidia-h100", LOADS, 1, 1).unrated);
    assert_false(ask_of("nvidia-h100", LOADS, 0, 1).unrated);
    assert_true(ask_of("nvidia-h100", TOLD, 1, 1).unrated);
    assert_true(ask_of("nvidia-h100", COPIES, 1, 1).unrated);
    assert_true(ask_of("nvidia-h200", COPIES_ADD, 1, 1).unrated); /* nor anywhere */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_lines_of_others),
                                       cmocka_unit_test(takes_its_time), cmocka_unit_test(is_waited_for),
                                       cmocka_unit_test(meets_at_the_clusters_barrier),
                                       cmocka_unit_test(is_unrated_elsewhere)};

    return run_group("remote", tests, sizeof tests / sizeof *tests);
}
