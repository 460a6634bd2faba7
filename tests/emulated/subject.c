#include "subject.h"

void small_spec(struct spec *out, const char *path, const char *const *sets, size_t most)
{
    struct err err = {0};
    size_t count = 0;

    while (count < most && sets[count])
        count++;
    ok(spec_read(out, path, SPEC_WHOLE, sets, count, &err), &err);
}

void subject_open(struct subject *s, unsigned sm)
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
    compiled_open(&s->compiled, &request);
    ok(launch_prepare(&s->variant.launch, &err), &err);
}

void subject_close(struct subject *s)
{
    compiled_close(&s->compiled);
    variant_release(&s->variant);
}

void subject_run(struct emulate_result *out, struct emulation **emulation, const struct subject *s,
                 enum emulate_mode mode, const char *what)
{
    const struct emulate_options options = {.mode = mode};
    struct err err = {0};

    ok(emulation_open(emulation, &s->compiled.cubin, s->compiled.kernel, &s->compiled.code,
                      &s->variant.launch, &options, &err),
       &err);
    ok(emulate_grid(out, *emulation, &err), &err);
    if (out->end != EMULATE_DONE)
        fail_msg("%s ended as %s at %#x: %s", what, emulate_end_text(out->end), out->pc, out->reason);
}
