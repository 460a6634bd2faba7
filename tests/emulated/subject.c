#include "subject.h"

#include "check.h"

void ok(int rc, const struct err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

void small_spec(struct spec *out, const char *path, const char *const *sets, size_t most)
{
    struct err err = {0};
    size_t count = 0;

    while (count < most && sets[count])
        count++;
    ok(spec_read(out, path, SPEC_WHOLE, sets, count, &err), &err);
}

void subject_open(struct subject *s, const struct spec *spec, struct compiler *compiler, unsigned sm)
{
    struct err err = {0};
    char arch[16];

    snprintf(arch, sizeof arch, "sm_%u", sm);
    assert_int_equal(s->variant.outcome, OUTCOME_OK);
    const struct compile_request request = {.source_path = s->variant.source_path,
                                            .name = s->variant.name,
                                            .options = (const char *const *)s->variant.options,
                                            .option_count = s->variant.option_count,
                                            .arch = arch,
                                            .deadline_s = 120};
    ok(compile_cubin(&s->compiled, compiler, &request, &err), &err);
    if (s->compiled.outcome != OUTCOME_OK)
        fail_msg("%s", s->compiled.diagnostic);
    ok(cubin_init(&s->cubin, s->compiled.cubin, s->compiled.cubin_bytes, spec->kernel.name, &err), &err);
    ok(cubin_find(&s->kernel, &s->cubin, s->compiled.entry, &err), &err);
    ok(sass_read(&s->code, s->kernel, &err), &err);
    ok(launch_prepare(&s->variant.launch, &err), &err);
}

void subject_close(struct subject *s)
{
    sass_release(&s->code);
    cubin_release(&s->cubin);
    compile_result_release(&s->compiled);
    variant_release(&s->variant);
}

void subject_run(struct emulate_result *out, struct emulation **emulation, const struct subject *s,
                 enum emulate_mode mode, const char *what)
{
    const struct emulate_options options = {.mode = mode};
    struct err err = {0};

    ok(emulation_open(emulation, &s->cubin, s->kernel, &s->code, &s->variant.launch, &options, &err), &err);
    ok(emulate_grid(out, *emulation, &err), &err);
    if (out->end != EMULATE_DONE)
        fail_msg("%s ended as %s at %#x: %s", what, emulate_end_text(out->end), out->pc, out->reason);
}
