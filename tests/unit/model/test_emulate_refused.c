/* What the emulator refuses, and what it says of it. */
#include "emulate_fixture.h"

static struct program p;

static void finds_bad_addresses(void **state)
{
    static const int where[] = {250, -1, 1 << 28};
    static const char *const messages[] = {
        "is outside every buffer, at byte 1024 of data, which has 1024",
        "is outside every buffer, at byte 17179869180 of data, which has 1024",
        "is outside every buffer, at byte 1073741824 of data, which has 1024",
    };

    for (unsigned k = 0; k < 3; k++) {
        program_open(&p, 90, "outside", 32);
        program_buffer(&p, ELEMENT_INT32, 256, NULL);
        program_scalar(&p, where[k]);
        program_run(&p, EMULATE_FULL, EMULATE_BAD_ADDRESS);
        assert_int_equal(p.code.instructions[p.result.pc / 16].op, SASS_STG);
        assert_non_null(strstr(p.result.reason, messages[k]));
        program_run(&p, EMULATE_SLICED, EMULATE_BAD_ADDRESS);
    }
}

/* A row of 64 floats, a store by each of 1024 threads. */
static void says_where_shared_memory_ends(void **state)
{
    static const enum emulate_mode modes[] = {EMULATE_FULL, EMULATE_SLICED};

    for (unsigned k = 0; k < 2; k++) {
        program_open(&p, 90, "ring", 1024);
        p.launch.shared_bytes = 100;
        program_scalar(&p, 1);
        program_buffer(&p, ELEMENT_FLOAT32, 1024, NULL);
        program_buffer(&p, ELEMENT_FLOAT32, 1024, NULL);
        program_run(&p, modes[k], EMULATE_BAD_ADDRESS);
        assert_non_null(strstr(p.result.reason,
                               "is outside shared memory, which ends at 0x764: launch.shared is 100 bytes"));
    }
}

static void refuses_symbols_the_code_lacks(void **state)
{
    static char name[] = "factor";
    const struct emulate_options options = {.mode = EMULATE_FULL};
    struct emulation *emulation;
    struct err err = {0};

    program_open(&p, 90, "trap", 32);
    program_buffer(&p, ELEMENT_INT32, 32, NULL);
    p.arguments[1] = (struct argument){.kind = ARGUMENT_SYMBOL, .name = name, .count = 1};
    p.launch.argument_count = 2;
    assert_int_equal(emulation_open(&emulation, &p.cubin, p.kernel, &p.code, &p.launch, &options, &err),
                     ERR_USAGE);
    assert_string_equal(err.text, "symbol 'factor': the code of kernel 'trap' has no such variable");
}

static void refuses_what_it_cannot_know(void **state)
{
    program_open(&p, 90, "tensor", 32);
    program_buffer(&p, ELEMENT_FLOAT16, 256, "i");
    program_buffer(&p, ELEMENT_FLOAT32, 512, NULL);
    program_run(&p, EMULATE_FULL, EMULATE_INCOMPLETE);
    assert_non_null(strstr(p.result.reason, "is unknown"));
    program_run(&p, EMULATE_SLICED, EMULATE_INCOMPLETE);

    program_open(&p, 90, "add", 32);
    program_scalar(&p, 32);
    for (unsigned k = 0; k < 3; k++)
        program_buffer(&p, ELEMENT_FLOAT32, 32, NULL);
    p.code.instructions[3].op = SASS_UNKNOWN;
    program_run(&p, EMULATE_SLICED, EMULATE_INCOMPLETE);
    assert_int_equal(p.result.pc, 0x30);
}

static void finds_bad_branches(void **state)
{
    program_open(&p, 90, "product", 16);
    p.launch.block[1] = 16;
    program_scalar(&p, 1024);
    for (unsigned k = 0; k < 3; k++)
        program_buffer(&p, ELEMENT_FLOAT32, 1024 * 1024, NULL);
    for (size_t i = 0; i < p.code.count; i++)
        if (p.code.instructions[i].op == SASS_BRA)
            p.code.instructions[i].target = 0x100000;
    program_run(&p, EMULATE_FULL, EMULATE_BAD_BRANCH);
}

/* Memory is taken only for what a GPU could launch: 512 KB of local memory a thread, no shared memory beyond
 * that of an SM. */
static void refuses_impossible_memory(void **state)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    static const struct {
        unsigned local, shared, dynamic;
        const char *message;
    } cases[] = {
        {512 * 1024 + 1, 0, 0,
         "kernel 'trap' takes 524289 bytes of local memory a thread: at most 524288 are possible"},
        {UINT32_MAX, 0, 0,
         "kernel 'trap' takes 4294967295 bytes of local memory a thread: at most 524288 are possible"},
        {512 * 1024, 0, 0,
         "a block of kernel 'trap' takes 537919488 bytes of local memory: 268435456 can be followed"},
        {0, UINT32_MAX, 0,
         "a block of kernel 'trap' takes 4294967295 bytes of shared memory: at most 1048576 are possible"},
        {0, 0, 1 << 30,
         "a block of kernel 'trap' takes 1073741824 bytes of shared memory: at most 1048576 are possible"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct cubin_kernel kernel;
        struct err err = {0};

        program_open(&p, 80, "trap", 1024);
        kernel = *p.kernel;
        kernel.resources.local_bytes = cases[k].local;
        kernel.resources.shared_bytes = cases[k].shared;
        p.launch.shared_bytes = cases[k].dynamic;
        assert_int_equal(emulation_open(&p.emulation, &p.cubin, &kernel, &p.code, &p.launch, &options, &err),
                         ERR_USAGE);
        assert_string_equal(err.text, cases[k].message);
    }
}

/* A table of pages is made for each buffer, whatever is touched of it. */
static void refuses_buffers_no_gpu_has(void **state)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    static const struct {
        uint64_t count;
        const char *message; /* null: taken */
    } cases[] = {
        {UINT64_C(1) << 37, NULL},
        {(UINT64_C(1) << 37) + 1,
         "data: 549755813892 bytes are more than any GPU has: at most 549755813888 can be followed"},
        {UINT64_MAX / 4 + 2,
         "data: 18446744073709551615 bytes are more than any GPU has: at most 549755813888 can be followed"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct err err = {0};

        program_open(&p, 90, "trap", 32);
        program_buffer(&p, ELEMENT_INT32, 32, NULL);
        p.arguments[0].count = cases[k].count;
        assert_int_equal(emulation_open(&p.emulation, &p.cubin, p.kernel, &p.code, &p.launch, &options, &err),
                         cases[k].message ? ERR_USAGE : 0);
        if (cases[k].message)
            assert_string_equal(err.text, cases[k].message);
    }
}

static void refuses_wrong_arguments(void **state)
{
    const struct emulate_options options = {.mode = EMULATE_FULL};
    struct err err = {0};

    program_open(&p, 90, "add", 32);
    program_scalar(&p, 32);
    assert_int_equal(emulation_open(&p.emulation, &p.cubin, p.kernel, &p.code, &p.launch, &options, &err),
                     ERR_USAGE);
    assert_string_equal(err.text, "arguments: kernel 'add' takes 4, 1 are passed");
    err_clear(&err);
    program_scalar(&p, 32);
    assert_int_equal(emulation_open(&p.emulation, &p.cubin, p.kernel, &p.code, &p.launch, &options, &err),
                     ERR_USAGE);
    assert_string_equal(err.text, "arguments[1] has 4 bytes: kernel 'add' takes 8 there");

    err_clear(&err);
    program_open(&p, 90, "add", 32);
    program_scalar(&p, 32);
    for (unsigned k = 0; k < 4; k++)
        program_buffer(&p, ELEMENT_FLOAT32, 32, NULL);
    assert_int_equal(emulation_open(&p.emulation, &p.cubin, p.kernel, &p.code, &p.launch, &options, &err),
                     ERR_USAGE);
    assert_string_equal(err.text, "arguments: kernel 'add' takes 4, 5 are passed");
}

/* What a fill cannot compute is told with the buffer it is of. */
static void names_the_buffer_that_cannot_be_filled(void **state)
{
    const struct emulate_options options = {.mode = EMULATE_FULL};
    struct err err = {0};

    program_open(&p, 90, "trap", 32);
    program_buffer(&p, ELEMENT_INT32, 32, "1 // (i - 20)");
    assert_int_equal(launch_prepare(&p.launch, &err), 0);
    assert_int_equal(emulation_open(&p.emulation, &p.cubin, p.kernel, &p.code, &p.launch, &options, &err), 0);
    assert_int_equal(emulate_grid(&p.result, p.emulation, &err), ERR_USAGE);
    assert_string_equal(err.text, "data: element 20: column 3: division by zero");
}

int main(void)
{
    return RUN_TESTS_EACH(NULL, program_close, finds_bad_addresses, says_where_shared_memory_ends,
                          refuses_symbols_the_code_lacks, refuses_what_it_cannot_know, finds_bad_branches,
                          refuses_impossible_memory, refuses_buffers_no_gpu_has, refuses_wrong_arguments,
                          names_the_buffer_that_cannot_be_filled);
}
