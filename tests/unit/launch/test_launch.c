#include "check.h"

#include "launch/launch.h"

/* One of everything; real values that need all their bits. */
static void example(struct launch *launch)
{
    struct argument *a;

    launch_init(launch);
    launch->grid[0] = 70000;
    launch->block[0] = 128;
    launch->block[1] = 2;
    launch->shared_bytes = 49152;
    launch->carveout = 75;
    launch->cluster[0] = 2;
    launch->cooperative = launch->programmatic = true;
    launch->argument_count = 6;
    a = launch->arguments = calloc(6, sizeof *a);
    a[0] = (struct argument){.kind = ARGUMENT_SCALAR, .size = 4, .bytes = malloc(4)};
    memcpy(a[0].bytes, "\x00\x01\xfe\xff", 4);
    a[1] =
        (struct argument){.kind = ARGUMENT_BUFFER, .name = strdup("A"), .type = ELEMENT_FLOAT16, .count = 12};
    a[1].fill = (struct fill){.kind = FILL_UNIFORM, .seed = UINT64_MAX, .a = -1.0 / 3, .b = 1e-300};
    a[2] = (struct argument){
        .kind = ARGUMENT_SYMBOL, .name = strdup("table"), .type = ELEMENT_INT32, .count = 5};
    a[2].fill =
        (struct fill){.kind = FILL_EXPRESSION, .seed = 2, .expression = strdup("i * s + n"), .name_count = 2};
    a[2].fill.names = calloc(2, sizeof(char *));
    a[2].fill.values = calloc(2, sizeof(struct value));
    a[2].fill.names[0] = strdup("s");
    a[2].fill.names[1] = strdup("n");
    a[2].fill.values[0] = (struct value){.kind = VALUE_REAL, .real = 0.1};
    a[2].fill.values[1] = (struct value){.kind = VALUE_INTEGER, .integer = INT64_MIN};
    a[3] = (struct argument){
        .kind = ARGUMENT_BUFFER, .name = strdup("C"), .type = ELEMENT_INT8, .count = 3, .role = ROLE_INOUT};
    a[3].fill = (struct fill){.kind = FILL_FILE, .path = strdup("c.npy"), .content = 42};
    a[4] = (struct argument){.kind = ARGUMENT_TENSOR_MAP, .tensor_map = malloc(sizeof *a[4].tensor_map)};
    *a[4].tensor_map = (struct tensor_map){.buffer = 1,
                                           .type = TENSOR_FLOAT16,
                                           .rank = 1,
                                           .dimensions = {12, 1, 1, 1, 1},
                                           .strides = {2},
                                           .box = {8, 1, 1, 1, 1},
                                           .element_strides = {1, 1, 1, 1, 1},
                                           .swizzle = TENSOR_SWIZZLE_32,
                                           .l2 = TENSOR_L2_128,
                                           .fill = TENSOR_FILL_NAN};
    a[5] = (struct argument){.kind = ARGUMENT_SCALAR,
                             .size = 16,
                             .bytes = calloc(16, 1),
                             .pointers = calloc(1, sizeof *a[5].pointers),
                             .pointer_count = 1};
    a[5].pointers[0] = (struct argument_pointer){.offset = 8, .buffer = 3};
}

/* Addresses that tell which argument they are of. */
static uint64_t pretended_address(void *context, size_t index)
{
    return 1000 * index;
}

static int pretended_map(void *context, unsigned char *out, const struct tensor_map *map, size_t index,
                         struct err *err)
{
    (void)context, (void)err;
    memset(out, (int)(10 * index + map->buffer), TENSOR_MAP_BYTES);
    return 0;
}

static void parameters_are_what_the_kernel_takes(void **state)
{
    const struct argument_place place = {NULL, pretended_address, pretended_map};
    struct launch launch;
    void **parameters;
    size_t count;

    example(&launch);
    launch.arguments[3].hidden = true;
    assert_int_equal(launch_parameters(&parameters, &count, &launch, &place, NULL), 0);
    assert_int_equal(count, 4); /* neither the symbol nor the hidden buffer */
    assert_memory_equal(parameters[0], "\x00\x01\xfe\xff", 4);
    assert_int_equal(*(uint64_t *)parameters[1], 1000);
    assert_int_equal(((unsigned char *)parameters[2])[127], 41);
    assert_int_equal((uintptr_t)parameters[2] % TENSOR_MAP_ALIGNMENT, 0);
    assert_int_equal(((uint64_t *)parameters[3])[0], 0);
    assert_int_equal(((uint64_t *)parameters[3])[1], 3000);
    free(parameters);
    launch_release(&launch);
}

static void a_launch_survives_json(void **state)
{
    struct launch launch, back;
    struct json *json;
    struct js_at at;
    char *text;

    example(&launch);
    json = launch_to_json(&launch);
    text = js_text(json, JS_LINE);
    js_free(json);
    assert_int_equal(js_read_text(&json, text, strlen(text), "launch", NULL), 0);
    at = js_root(json, "launch");
    assert_int_equal(launch_from_json(&back, &at, NULL), 0);
    assert_true(launch_hash(&back) == launch_hash(&launch));
    assert_memory_equal(back.grid, launch.grid, sizeof back.grid);
    assert_int_equal(back.carveout, 75);
    assert_memory_equal(back.cluster, launch.cluster, sizeof back.cluster);
    assert_true(back.cooperative && back.programmatic);
    assert_memory_equal(back.arguments[4].tensor_map, launch.arguments[4].tensor_map,
                        sizeof(struct tensor_map));
    assert_int_equal(back.arguments[5].pointers[0].offset, 8);
    assert_int_equal(back.arguments[5].pointers[0].buffer, 3);
    assert_memory_equal(back.arguments[0].bytes, "\x00\x01\xfe\xff", 4);
    assert_true(back.arguments[1].fill.a == -1.0 / 3);
    assert_string_equal(back.arguments[3].fill.path, "c.npy");
    assert_int_equal(launch_prepare(&back, NULL), ERR_USAGE);
    js_free(json);
    free(text);
    launch_release(&launch);
    launch_release(&back);
}

static void damaged_json_is_refused(void **state)
{
    static const char *const samples[][2] = {
        {"{}", "launch: the field \"grid\" is missing"},
        {"{\"grid\": [1, 0, 1]}", "launch: grid[1]: must lie between 1 and 2^32 - 1"},
        {"{\"grid\": [1, 1]}", "launch: grid: expected three numbers"},
        {"{\"grid\": [1,1,1], \"block\": [1,1,1], \"shared\": -4}",
         "launch: shared: must lie between 0 and 4294967295"},
        {"{\"grid\": [1,1,1], \"block\": [1,1,1], \"shared\": 0, \"carveout\": 0, \"arguments\": [{\"kind\": "
         "\"pointer\"}]}",
         "launch: arguments[0]: kind: unknown pointer"},
        {"{\"grid\": [1,1,1], \"block\": [1,1,1], \"shared\": 0, \"carveout\": 0, \"arguments\": [{\"kind\": "
         "\"scalar\", "
         "\"bytes\": \"zz\"}]}",
         "launch: arguments[0]: bytes: expected hexadecimal digits"},
        {"{\"grid\": [1,1,1], \"block\": [1,1,1], \"shared\": 0, \"carveout\": 0, \"arguments\": [{\"kind\": "
         "\"buffer\", "
         "\"name\": \"A\", \"type\": \"int\", \"count\": 1, \"role\": \"in\"}]}",
         "launch: arguments[0]: type: unknown int"},
        {"{\"grid\": [1,1,1], \"block\": [1,1,1], \"shared\": 0, \"carveout\": 0, \"arguments\": [{\"kind\": "
         "\"tensor_map\", \"map\": [1, 2]}]}",
         "launch: arguments[0].map: expected 28 numbers"},
        {"{\"grid\": [1,1,1], \"block\": [1,1,1], \"shared\": 0, \"carveout\": 0, \"cluster\": [1,1,1], "
         "\"cooperative\": false, \"programmatic\": false, \"arguments\": [{\"kind\": \"scalar\", \"bytes\": "
         "\"0000000000000000\", \"pointers\": [0, 0]}]}",
         "arguments[0].buffer: argument 0 is none"},
    };
    struct launch launch;
    struct json *json;
    struct js_at at;
    struct err err;

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        err_clear(&err);
        assert_int_equal(js_read_text(&json, samples[i][0], strlen(samples[i][0]), "launch", NULL), 0);
        at = js_root(json, "launch");
        assert_int_equal(launch_from_json(&launch, &at, &err), ERR_USAGE);
        assert_string_equal(err.text, samples[i][1]);
        assert_int_equal(launch.argument_count, 0);
        js_free(json);
    }
}

static void hashes_see_what_matters(void **state)
{
    struct launch one, two;

    example(&one);
    example(&two);
    assert_true(launch_hash(&one) == launch_hash(&two));
    two.arguments[3].role = ROLE_OUT;
    two.arguments[3].count = 4;
    assert_true(launch_result_hash(&one) != launch_result_hash(&two));
    one.arguments[3].role = two.arguments[3].role = ROLE_SCRATCH;
    assert_true(launch_hash(&one) != launch_hash(&two));
    assert_true(launch_result_hash(&one) == launch_result_hash(&two));
    one.arguments[3].role = two.arguments[3].role = ROLE_INOUT;
    two.arguments[3].count = 3;
    two.block[0] = 64;
    assert_true(launch_hash(&one) != launch_hash(&two));
    assert_true(launch_result_hash(&one) != launch_result_hash(&two));
    assert_true(launch_arguments_hash(&one) == launch_arguments_hash(&two));
    two.arguments[3].fill.path[0] = 'd';
    assert_true(launch_arguments_hash(&one) == launch_arguments_hash(&two));
    two.arguments[0].bytes[0] = 1;
    assert_true(launch_arguments_hash(&one) != launch_arguments_hash(&two));
    two.arguments[0].bytes[0] = 0;
    two.arguments[4].tensor_map->box[0] = 12;
    assert_true(launch_arguments_hash(&one) != launch_arguments_hash(&two));
    two.arguments[4].tensor_map->box[0] = 8;
    two.arguments[5].pointers[0].buffer = 1;
    assert_true(launch_arguments_hash(&one) != launch_arguments_hash(&two));
    two.arguments[5].pointers[0].buffer = 3;
    two.block[0] = 128;
    assert_true(launch_hash(&one) == launch_hash(&two));
    two.cluster[0] = 1;
    assert_true(launch_hash(&one) != launch_hash(&two));
    assert_int_equal(launch_threads(&one), 256);
    assert_int_equal(launch_blocks(&one), 70000);
    launch_release(&one);
    launch_release(&two);
}

int main(void)
{
    return RUN_TESTS(a_launch_survives_json, damaged_json_is_refused, parameters_are_what_the_kernel_takes,
                     hashes_see_what_matters);
}
