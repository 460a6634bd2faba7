#include "check.h"

#include "model/device/device.h"

#include <unistd.h>

static int read_from(struct device *device, const char *text, struct err *err)
{
    struct json *json;
    struct js_at root;
    int rc = js_read_text(&json, text, strlen(text), "profile", err);

    assert_int_equal(rc, 0);
    root = js_root(json, "profile");
    rc = device_from_json(device, &root, err);
    js_free(json);
    return rc;
}

static const struct {
    const char *text, *message;
} wrong[] = {
    {"{}", "profile: "},
    {"{\"schema\": 9, \"sm\": 90, \"name\": \"x\", \"limits\": {}}",
     "profile: schema: is 9, this program reads 1"},
    {"{\"schema\": 1, \"sm\": 9000, \"name\": \"x\", \"limits\": {}}", "profile: sm: is no architecture"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {\"sm_cuont\": 1}}",
     "profile: limits.sm_cuont"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {\"sm_count\": -1}}",
     "profile: limits.sm_count"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {\"warp_size\": 0}}",
     "profile: limits.warp_size: is 0: leave out what is not known"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {\"subpartitions\": 9}}",
     "profile: limits.subpartitions: is 9: an SM has 1, 2, 4 or at most 8"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {\"carveouts\": [8, 8]}}",
     "profile: limits.carveouts[1]: is not larger"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"values\": {\"dram_latency\": "
     "{\"sustained\": 1, \"best\": 1, \"spread\": 0, \"unit\": \"ns\", \"origin\": \"me\"}}}",
     "profile: values.dram_latency.unit: is \"ns\", this value is in cycles"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"values\": {\"dram_latency\": "
     "{\"sustained\": -1, \"best\": 1, \"spread\": 0, \"unit\": \"cycles\", \"origin\": \"me\"}}}",
     "profile: values.dram_latency.sustained: is negative"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"operations\": {\"FFMB\": {}}}",
     "profile: operations.FFMB"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"pairs\": {\"FFMA\": 1}}",
     "profile: pairs.FFMA: is no pair"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"curves\": {\"loaded_l2\": "
     "{\"x\": [1, 1], \"y\": [1, 2]}}}",
     "profile: curves.loaded_l2: point 1 of a curve does not lie right"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"curves\": {\"dram_spread\": "
     "{\"x\": [0.25, 0.75], \"y\": [1, -0.01]}}}",
     "profile: curves.dram_spread: point 1 of a curve is negative"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"curves\": {\"loaded_l2\": "
     "{\"x\": [-1, 2], \"y\": [1, 1]}}}",
     "profile: curves.loaded_l2: point 0 of a curve is negative"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"pairs\": {\"FFMA+IMAD\": -3}}",
     "profile: pairs.FFMA+IMAD: is negative"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"curves\": {\"loaded_l2\": "
     "{\"x\": [1, 2], \"y\": [1]}}}",
     "profile: curves.loaded_l2: has 2 values of x and 1 of y"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"curves\": {\"dram_read_pieces\": "
     "{\"x\": [64, 128], \"y\": [1e12, 0]}}}",
     "profile: curves.dram_read_pieces.y[1]: is 0, and this curve lies above it"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"curves\": {\"loaded_dram\": "
     "{\"x\": [0], \"y\": [700]}}}",
     "profile: curves.loaded_dram.x[0]: is 0"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"operations\": {\"FFMA\": "
     "{\"roofline\": "
     "{\"x\": [1, 2], \"y\": [0, 1]}}}}",
     "profile: operations.FFMA.roofline.y[0]: is 0"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"values\": {\"dram_read\": "
     "{\"sustained\": 1e12, \"best\": 0, \"spread\": 0, \"unit\": \"B/s\", \"origin\": \"me\"}}}",
     "profile: values.dram_read.best: is 0, and a rate lies above it"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"values\": {\"clock\": "
     "{\"sustained\": 0, \"best\": 1, \"spread\": 0, \"unit\": \"Hz\", \"origin\": \"me\"}}}",
     "profile: values.clock.sustained: is 0, and a rate lies above it"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {\"subpartitions\": 3}}",
     "profile: limits.subpartitions: is 3: an SM has 1, 2, 4 or at most 8"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {\"grid_x_max\": 0}}",
     "profile: limits.grid_x_max: is 0: leave out what is not known"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"\", \"limits\": {}}", "profile: name: is empty"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"values\": {\"clock\": "
     "{\"sustained\": 1e-300, \"best\": 2e9, \"spread\": 0, \"unit\": \"Hz\", \"origin\": \"me\"}}}",
     "profile: values.clock.sustained: is 1e-300, expected 1e+08 to 1e+10 Hz"},
    {"{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"values\": {\"dram_copy\": "
     "{\"sustained\": 1e12, \"best\": 1e300, \"spread\": 0, \"unit\": \"B/s\", \"origin\": \"me\"}}}",
     "profile: values.dram_copy.best: is 1e+300, expected 1e+09 to 1e+15 B/s"},
};

static void wrong_fields_are_named(void **state)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct err err = {0};
        struct device device;

        assert_int_equal(read_from(&device, wrong[i].text, &err), ERR_USAGE);
        if (!strstr(err.text, wrong[i].message))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", i, err.text, wrong[i].message);
        assert_int_equal(device.sm, 0);
    }
}

static void every_unit_has_a_range(void **state)
{
    double least, most = 0;

    for (size_t v = 0; v < DEVICE_VALUE_COUNT; v++)
        assert_false(device_in_range(&least, &most, device_value_info((enum device_value_id)v)->unit, 1e300));
}

static void a_profile_survives_the_round_trip_with_its_holes(void **state)
{
    const double x[] = {1, 2, 4}, y[] = {300, 320, 700};
    struct device device, again;
    char path[] = P_tmpdir "/device_XXXXXX";
    struct err err = {0};
    uint64_t before, after;

    close(mkstemp(path));
    device_init(&device);
    device.sm = 90;
    snprintf(device.name, sizeof device.name, "NVIDIA H200");
    assert_int_equal(device_limits_of(&device.limits, 90, &err), 0);
    device.values[DEVICE_DRAM_LATENCY] = (struct device_value){true, 700.5, 690, 3, "chase"};
    device.ops[DEVICE_OP_FFMA].latency = (struct device_value){true, 4, 4, 0, "chain"};
    snprintf(device.ops[DEVICE_OP_FFMA].pipe, 24, "fma");
    assert_int_equal(device_curve_set(&device.curves[DEVICE_CURVE_LOADED_L2], x, y, 3, "loaded", &err), 0);
    assert_int_equal(device_pair_add(&device, DEVICE_OP_FFMA, DEVICE_OP_IMAD, 3.01, &err), 0);
    assert_int_equal(
        device_source_add(&device, &(struct device_source){"float divide", true, 2, false, 21, 8.5}, &err),
        0);
    assert_int_equal(device_note(&device, &err, "l1_latency: %s", "instruction 3 is MOV"), 0);
    assert_int_equal(device_write(&device, path, &err), 0);
    assert_int_equal(device_load(&again, path, NULL, &err), 0);
    unlink(path);
    assert_true(device_has(&again, DEVICE_DRAM_LATENCY));
    assert_false(device_has(&again, DEVICE_L1_LATENCY));
    assert_true(isnan(device_sustained(&again, DEVICE_L1_LATENCY)));
    check_near(device_best(&again, DEVICE_DRAM_LATENCY), 690, 0);
    check_near(device_curve_at(&again.curves[DEVICE_CURVE_LOADED_L2], 3), 510, 1e-9);
    check_near(device_curve_at(&again.curves[DEVICE_CURVE_LOADED_L2], 100), 700, 0);
    assert_string_equal(again.ops[DEVICE_OP_FFMA].pipe, "fma");
    assert_int_equal(again.source_count, 1);
    assert_string_equal(again.sources[0].name, "float divide");
    assert_true(again.sources[0].fast && !again.sources[0].calls);
    check_near(again.sources[0].interval, 8.5, 0);
    assert_int_equal(again.pair_count, 1);
    assert_int_equal(again.pairs[0].b, DEVICE_OP_IMAD);
    check_near(again.pairs[0].cycles, 3.01, 1e-12);
    assert_string_equal(again.notes[0], "l1_latency: instruction 3 is MOV");
    assert_int_equal(again.limits.carveouts[9], 228 * 1024);
    assert_int_equal(device_hash(&before, &device, &err), 0);
    assert_int_equal(device_hash(&after, &again, &err), 0);
    assert_true(before == after);
    device_release(&device);
    device_release(&again);
}

static void a_profile_without_a_warp_size_survives_the_round_trip(void **state)
{
    static const char text[] = "{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}}";
    struct device device, again;
    struct json *written;
    struct err err = {0};
    struct js_at root;

    assert_int_equal(read_from(&device, text, &err), 0);
    written = device_to_json(&device);
    root = js_root(written, "written");
    assert_int_equal(device_from_json(&again, &root, &err), 0);
    assert_int_equal(again.limits.warp_size, 32);
    device_release(&again);
    device_release(&device);
    js_free(written);
}

static void mnemonics_fall_back_to_fewer_modifiers(void **state)
{
    assert_int_equal(device_op_find("FFMA"), DEVICE_OP_FFMA);
    assert_int_equal(device_op_find("FFMA.FTZ"), DEVICE_OP_FFMA);
    assert_int_equal(device_op_find("LOP3.LUT"), DEVICE_OP_LOP3);
    assert_int_equal(device_op_find("IMAD.WIDE.U32"), DEVICE_OP_IMAD_WIDE);
    assert_int_equal(device_op_find("IMAD.MOV.U32"), DEVICE_OP_IMAD);
    assert_int_equal(device_op_find("MUFU.RCP"), DEVICE_OP_MUFU_RCP);
    assert_int_equal(device_op_find("MUFU"), -1);
    assert_int_equal(device_op_find("FFMAX"), -1);
    assert_int_equal(device_op_find(""), -1);
}

static void unknown_architectures_are_refused(void **state)
{
    struct device_limits limits;
    struct err err = {0};

    assert_int_equal(device_limits_of(&limits, 61, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "sm_61"));
    assert_non_null(strstr(err.text, "sm_90"));
}

static void published_numbers_are_told_from_measured_ones(void **state)
{
    struct device device;

    device_init(&device);
    assert_false(device_is_calibrated(&device));
    assert_false(device_is_published(&device));
    device.ops[DEVICE_OP_DFMA].interval = (struct device_value){true, 2, 2, 0, "pipe"};
    assert_true(device_is_calibrated(&device));
    assert_false(device_is_published(&device));
    device.ops[DEVICE_OP_IMAD].interval = (struct device_value){true, 2, 2, 0, "published: guide"};
    assert_true(device_is_published(&device));
    device.ops[DEVICE_OP_IMAD].interval.known = false;
    assert_false(device_is_published(&device));
    device.values[DEVICE_LOAD_GAP] = (struct device_value){true, 3, 3, 0, "as on nvidia-h200: issue"};
    assert_true(device_is_published(&device));
}

static void names_its_source(const struct device *device, const struct device_value *value)
{
    if (value->known && strncmp(value->origin, "published: ", 11) &&
        strncmp(value->origin, "as on nvidia-", 13))
        fail_msg("%s: \"%s\" names no source", device->name, value->origin);
    if (value->known)
        assert_true(value->sustained > 0 && value->best > 0);
}

static void names_its_sources(const struct device *device)
{
    for (size_t i = 0; i < DEVICE_VALUE_COUNT; i++)
        names_its_source(device, &device->values[i]);
    for (size_t i = 0; i < DEVICE_OP_COUNT; i++) {
        names_its_source(device, &device->ops[i].latency);
        names_its_source(device, &device->ops[i].interval);
    }
}

/* The profiles of GPUs nobody here has measured: limits as the architecture has them, and every number with
 * its source. */
static void published_profiles_load_and_say_so(void **state)
{
    static const struct {
        const char *name;
        unsigned sm;
    } profiles[] = {{"nvidia-t4", 75},       {"nvidia-a100", 80}, {"nvidia-rtx-3090", 86},
                    {"nvidia-rtx-4090", 89}, {"nvidia-h100", 90}, {"nvidia-b200", 100},
                    {"nvidia-rtx-5090", 120}};

    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct device_limits limits;
        struct device device;
        struct err err = {0};

        check_ok(device_load(&device, profiles[i].name, "model/device/profiles", &err), &err);
        assert_int_equal(device.sm, profiles[i].sm);
        assert_true(device_is_published(&device));
        assert_int_equal(device_limits_of(&limits, device.sm, &err), 0);
        assert_true(limits.shared_per_sm == device.limits.shared_per_sm);
        assert_true(limits.warps_per_sm == device.limits.warps_per_sm);
        assert_true(device.limits.sm_count > 0);
        names_its_sources(&device);
        device_release(&device);
    }
}

/* The measured profile: every pipe at its architectural rate, memory at the share of its pins that is to be
 * had. */
static void the_h200_reaches_its_peaks(void **state)
{
    static const struct {
        enum device_op_id op;
        double interval; /* 32 lanes over the pipe's width, per sub-partition */
    } pipes[] = {{DEVICE_OP_FFMA, 1}, {DEVICE_OP_FADD, 1},     {DEVICE_OP_IMAD, 2}, {DEVICE_OP_LOP3, 2},
                 {DEVICE_OP_DADD, 2}, {DEVICE_OP_MUFU_RSQ, 8}, {DEVICE_OP_POPC, 8}, {DEVICE_OP_SHFL, 4}};
    struct device device;
    struct err err = {0};
    double pin;

    check_ok(device_load(&device, "nvidia-h200", "model/device/profiles", &err), &err);
    assert_true(device_is_calibrated(&device));
    assert_false(device_is_published(&device));
    for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++)
        check_near(device.ops[pipes[i].op].interval.sustained, pipes[i].interval, 0.03 * pipes[i].interval);
    check_near(device_sustained(&device, DEVICE_SHARED_READ), 128, 0.03 * 128);
    check_near(device_sustained(&device, DEVICE_SHARED_WAVEFRONT), 1, 0.01);
    pin = device_sustained(&device, DEVICE_DRAM_PIN);
    assert_true(device_sustained(&device, DEVICE_DRAM_READ) >= 0.93 * pin);
    assert_true(device_sustained(&device, DEVICE_DRAM_COPY) >= 0.88 * pin);
    assert_true(device_best(&device, DEVICE_DRAM_WRITE) <= pin);
    /* not slower than the driver's own copy */
    assert_true(device_sustained(&device, DEVICE_DRAM_COPY) >=
                device_sustained(&device, DEVICE_DRAM_DRIVER_COPY));
    device_release(&device);
}

/* The first of a row of issues is at 0, and a fair scheduler spreads nothing. */
static void some_curves_begin_at_0(void **state)
{
    struct device device;
    struct err err = {0};

    if (read_from(&device,
                  "{\"schema\": 1, \"sm\": 90, \"name\": \"x\", \"limits\": {}, \"curves\": {"
                  "\"issue_loads\": {\"x\": [1, 2], \"y\": [0, 4]}, "
                  "\"warp_latency_spread\": {\"x\": [1, 2], \"y\": [0, 0]}}}",
                  &err))
        fail_msg("%s", err.text);
    check_near(device_curve_at(&device.curves[DEVICE_CURVE_ISSUE_LOADS], 1), 0, 0);
    device_release(&device);
}

int main(void)
{
    return RUN_TESTS(
        every_unit_has_a_range, wrong_fields_are_named, a_profile_survives_the_round_trip_with_its_holes,
        a_profile_without_a_warp_size_survives_the_round_trip, mnemonics_fall_back_to_fewer_modifiers,
        unknown_architectures_are_refused, published_numbers_are_told_from_measured_ones,
        published_profiles_load_and_say_so, the_h200_reaches_its_peaks, some_curves_begin_at_0);
}
