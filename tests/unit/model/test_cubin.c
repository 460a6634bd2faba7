#include "check.h"

#include "model/sass/cubin.h"

/* Made from resources.cu; the figures are those of cuobjdump --dump-resource-usage. */
static void open_ok(struct cubin *cubin, unsigned sm)
{
    char path[64];
    struct err err = {0};

    snprintf(path, sizeof path, "tests/data/cubin/resources-sm_%u.cubin", sm);
    check_ok(cubin_read(cubin, path, &err), &err);
}

static const struct cubin_kernel *kernel_of(const struct cubin *cubin, const char *name)
{
    const struct cubin_kernel *kernel;
    struct err err = {0};

    check_ok(cubin_find(&kernel, cubin, name, &err), &err);
    return kernel;
}

static void reads_resources(void **state)
{
    static const struct {
        unsigned sm, registers, shared, reserved, local, constant, spill_registers, spill_local;
    } wanted[] = {{75, 14, 1200, 0, 0, 376, 64, 416}, {90, 15, 1200, 1024, 0, 552, 64, 408}};
    const struct cubin_kernel *kernel;
    struct cubin cubin;

    for (size_t w = 0; w < 2; w++) {
        open_ok(&cubin, wanted[w].sm);
        assert_int_equal(cubin.sm, wanted[w].sm);
        assert_int_equal(cubin.kernel_count, 5);
        kernel = kernel_of(&cubin, "shares");
        assert_int_equal(kernel->resources.registers, wanted[w].registers);
        assert_int_equal(kernel->resources.shared_bytes, wanted[w].shared);
        assert_int_equal(kernel->resources.shared_reserved_bytes, wanted[w].reserved);
        assert_int_equal(kernel->resources.local_bytes, wanted[w].local);
        assert_int_equal(kernel->resources.constant_bytes, wanted[w].constant);
        assert_int_equal(kernel->resources.barriers, 1);
        assert_int_equal(kernel->resources.max_threads[0], 128);
        kernel = kernel_of(&cubin, "spills");
        assert_int_equal(kernel->resources.registers, wanted[w].spill_registers);
        assert_int_equal(kernel->resources.local_bytes, wanted[w].spill_local);
        assert_true(kernel->resources.spill_instructions > 100);
        assert_int_equal(kernel->spill_count, kernel->resources.spill_instructions);
        assert_true(kernel->spills[0] < kernel->code_bytes);
        assert_int_equal(kernel->resources.register_cap, 64);
        cubin_release(&cubin);
    }
}

static void reads_parameters_and_code(void **state)
{
    const struct cubin_kernel *kernel;
    struct cubin cubin;

    open_ok(&cubin, 90);
    kernel = kernel_of(&cubin, "shares");
    assert_int_equal(kernel->parameter_base, 0x210);
    assert_int_equal(kernel->parameter_bytes, 24);
    assert_int_equal(kernel->parameter_count, 3);
    assert_int_equal(kernel->parameters[2].offset, 16);
    assert_int_equal(kernel->parameters[2].bytes, 8);
    assert_int_equal(kernel->code_bytes % 16, 0);
    assert_true(kernel->exit_count >= 1);
    assert_true(kernel_of(&cubin, "branches")->branch_count >= 6);
    assert_true(kernel_of(&cubin, "also_same")->code_hash ==
                kernel_of(&cubin, "_Z4sameILi3EEvPf")->code_hash);
    assert_true(kernel_of(&cubin, "shares")->code_hash != kernel_of(&cubin, "also_same")->code_hash);
    cubin_release(&cubin);
}

static const struct cubin_symbol *symbol_of(const struct cubin *cubin, const char *name)
{
    for (size_t i = 0; i < cubin->symbol_count; i++)
        if (!strcmp(cubin->symbols[i].name, name))
            return &cubin->symbols[i];
    fail_msg("no symbol %s", name);
    return NULL;
}

static void reads_variables(void **state)
{
    const struct cubin_symbol *symbol;
    struct cubin cubin;
    float value;
    size_t i, found = 0;

    open_ok(&cubin, 90);
    symbol = symbol_of(&cubin, "table");
    assert_int_equal(symbol->space, CUBIN_CONSTANT);
    assert_int_equal(symbol->bank, 3);
    assert_int_equal(symbol->size, 256);
    memcpy(&value, symbol->bytes + 4, sizeof value);
    check_near(value, 2, 0);
    assert_int_equal(symbol_of(&cubin, "global_value")->space, CUBIN_GLOBAL);
    assert_null(symbol_of(&cubin, "counters")->bytes);
    for (i = 0; i < cubin.relocation_count; i++)
        found += cubin.relocations[i].symbol == symbol_of(&cubin, "counters") &&
                 cubin.relocations[i].kind == CUBIN_RELOC_64 &&
                 cubin.relocations[i].section == kernel_of(&cubin, "shares")->bank_section[4];
    assert_int_equal(found, 1);
    cubin_release(&cubin);
}

static void check_refused(const void *bytes, size_t size, const char *message)
{
    struct cubin cubin;
    struct err err = {0};

    assert_int_equal(cubin_init(&cubin, bytes, size, "x.cubin", &err), ERR_FORMAT);
    if (!strstr(err.text, message))
        fail_msg("\"%s\" is not in \"%s\"", message, err.text);
}

static void says_what_is_no_cubin(void **state)
{
    static const char ptx[] = "//\n.version 9.0\n.target sm_90\n";
    unsigned char host[64] = "\x7f"
                             "ELF\2\1\1";
    struct cubin cubin;
    const struct cubin_kernel *kernel;
    struct err err = {0};

    check_refused("", 0, "x.cubin: is no ELF file");
    check_refused(ptx, sizeof ptx, "is PTX text");
    check_refused("\x50\xed\x55\xba 123456", 11, "is a fatbin");
    check_refused(host, sizeof host, "another machine");
    assert_int_equal(cubin_read(&cubin, "nothing.cubin", &err), ERR_USAGE);
    err_clear(&err);
    open_ok(&cubin, 90);
    assert_int_equal(cubin_find(&kernel, &cubin, "nobody", &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "shares"));
    err_clear(&err);
    assert_int_equal(cubin_find(&kernel, &cubin, NULL, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "name one of"));
    cubin_release(&cubin);
}

/* Whatever bytes come, reading ends with a result or an error; the sanitizers watch. */
static void survives_damage(void **state)
{
    struct cubin cubin, damaged;
    unsigned char *bytes;

    open_ok(&cubin, 90);
    bytes = malloc(cubin.image_bytes);
    assert_non_null(bytes);
    for (size_t i = 0; i < cubin.image_bytes; i += 7) {
        memcpy(bytes, cubin.image, i);
        if (!cubin_init(&damaged, bytes, i, "cut", NULL))
            cubin_release(&damaged);
        memcpy(bytes, cubin.image, cubin.image_bytes);
        bytes[i] ^= (unsigned char)(1 + i % 255);
        if (!cubin_init(&damaged, bytes, cubin.image_bytes, "changed", NULL))
            cubin_release(&damaged);
    }
    free(bytes);
    cubin_release(&cubin);
}

int main(void)
{
    return RUN_TESTS(reads_resources, reads_parameters_and_code, reads_variables, says_what_is_no_cubin,
                     survives_damage);
}
