#include "compiled.h"

enum { SKIPPED = 77 };

struct compiler *compiler;

void ok(int rc, const struct err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

void compiled_open(struct compiled *out, const struct compile_request *request)
{
    struct err err = {0};

    ok(compile_cubin(&out->result, compiler, request, &err), &err);
    if (out->result.outcome != OUTCOME_OK)
        fail_msg("%s", out->result.diagnostic);
    compiled_read(out, &out->result, out->result.entry);
}

void compiled_read(struct compiled *out, const struct compile_result *result, const char *entry)
{
    struct err err = {0};

    ok(cubin_init(&out->cubin, result->cubin, result->cubin_bytes, entry, &err), &err);
    ok(cubin_find(&out->kernel, &out->cubin, entry, &err), &err);
    ok(sass_read(&out->code, out->kernel, &err), &err);
}

void compiled_close(struct compiled *c)
{
    sass_release(&c->code);
    cubin_release(&c->cubin);
    compile_result_release(&c->result);
}

struct argument buffer_of(const char *name, enum element_type type, uint64_t count)
{
    return (struct argument){.kind = ARGUMENT_BUFFER, .name = (char *)name, .type = type, .count = count};
}

struct argument scalar_of(int32_t *value)
{
    return (struct argument){.kind = ARGUMENT_SCALAR, .bytes = (unsigned char *)value, .size = sizeof *value};
}

void compiled_run(struct emulate_result *out, const struct compiled *c, const struct launch *launch,
                  const struct emulate_options *options, size_t sample, const char *what)
{
    struct emulation *emulation;
    struct err err = {0};

    ok(emulation_open(&emulation, &c->cubin, c->kernel, &c->code, launch, options, &err), &err);
    ok(sample ? emulate_sample(out, emulation, sample, &err) : emulate_grid(out, emulation, &err), &err);
    if (out->end != EMULATE_DONE)
        fail_msg("%s ended as %s at %#x: %s", what, emulate_end_text(out->end), out->pc, out->reason);
    emulation_close(emulation);
}

int run_group(const char *name, const struct CMUnitTest *tests, size_t count)
{
    struct err err = {0};
    int failed;

    if (compiler_open(&compiler, NULL, getenv("OCCUTUNE_TEST_CACHE"), &err)) {
        fprintf(stderr, "skipped: %s\n", err.text);
        return SKIPPED;
    }
    failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
    compiler_close(compiler);
    return failed;
}
