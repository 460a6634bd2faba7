#include "emulate_fixture.h"

static struct program *opened; /* of the test that runs, or null */

static void ok(int rc, const struct err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

void program_open(struct program *out, unsigned sm, const char *name, unsigned threads)
{
    char path[64];

    snprintf(path, sizeof path, "tests/data/emulate/programs_sm%u.cubin", sm);
    program_open_of(out, path, name, threads);
}

void program_open_of(struct program *out, const char *cubin, const char *name, unsigned threads)
{
    struct err err = {0};

    program_close(NULL);
    memset(out, 0, sizeof *out);
    opened = out;
    ok(cubin_read(&out->cubin, cubin, &err), &err);
    ok(cubin_find(&out->kernel, &out->cubin, name, &err), &err);
    ok(sass_read(&out->code, out->kernel, &err), &err);
    launch_init(&out->launch);
    out->launch.arguments = out->arguments;
    out->launch.block[0] = threads;
}

static struct argument *add(struct program *program)
{
    assert_true(program->launch.argument_count < 8);
    return &program->arguments[program->launch.argument_count++];
}

static void add_scalar(struct program *program, const void *value, size_t size)
{
    struct argument *argument = add(program);

    argument->kind = ARGUMENT_SCALAR;
    argument->size = size;
    argument->bytes = malloc(size);
    assert_non_null(argument->bytes);
    memcpy(argument->bytes, value, size);
}

void program_scalar(struct program *program, int32_t value)
{
    add_scalar(program, &value, sizeof value);
}

void program_scalar64(struct program *program, int64_t value)
{
    add_scalar(program, &value, sizeof value);
}

size_t program_buffer(struct program *program, enum element_type type, uint64_t count, const char *expression)
{
    static char name[] = "data";
    struct argument *argument = add(program);

    argument->kind = ARGUMENT_BUFFER;
    argument->name = name;
    argument->type = type;
    argument->count = count;
    argument->fill.seed = program->launch.argument_count;
    if (expression) {
        argument->fill.kind = FILL_EXPRESSION;
        argument->fill.expression = strdup(expression);
        assert_non_null(argument->fill.expression);
    }
    return program->launch.argument_count - 1;
}

void program_tensor_map(struct program *program, const struct tensor_map *map)
{
    struct argument *argument = add(program);

    argument->kind = ARGUMENT_TENSOR_MAP;
    argument->tensor_map = malloc(sizeof *map);
    assert_non_null(argument->tensor_map);
    *argument->tensor_map = *map;
}

static void stop(struct program *program)
{
    emulate_result_release(&program->result);
    emulation_close(program->emulation);
    program->emulation = NULL;
}

int program_close(void **state)
{
    struct program *program = opened;

    if (!program)
        return 0;
    opened = NULL;
    stop(program);
    for (size_t i = 0; i < program->launch.argument_count; i++) {
        free(program->arguments[i].bytes);
        free(program->arguments[i].tensor_map);
        fill_release(&program->arguments[i].fill);
    }
    sass_release(&program->code);
    cubin_release(&program->cubin);
    return 0;
}

void program_run_within(struct program *program, enum emulate_mode mode, uint64_t budget,
                        enum emulate_end wanted)
{
    const struct emulate_options options = {.mode = mode, .budget = budget};
    struct err err = {0};

    stop(program);
    if (!program->prepared)
        ok(launch_prepare(&program->launch, &err), &err);
    program->prepared = true;
    ok(emulation_open(&program->emulation, &program->cubin, program->kernel, &program->code, &program->launch,
                      &options, &err),
       &err);
    ok(emulate_grid(&program->result, program->emulation, &err), &err);
    if (program->result.end != wanted)
        fail_msg("%s ended as %s at %#x: %s", program->kernel->name, emulate_end_text(program->result.end),
                 program->result.pc, program->result.reason);
}

void program_run(struct program *program, enum emulate_mode mode, enum emulate_end wanted)
{
    program_run_within(program, mode, 0, wanted);
}

void program_read(struct program *program, size_t argument, void *out)
{
    struct err err = {0};

    ok(emulation_read(out, program->emulation, argument, 0, program->arguments[argument].count, &err), &err);
}

static void add_count(struct emulate_count *sum, const struct emulate_count *count)
{
    sum->issued += count->issued;
    sum->requests += count->requests;
    sum->lanes += count->lanes;
    sum->bytes += count->bytes;
    sum->sectors += count->sectors;
    sum->lines += count->lines;
    sum->places += count->places;
    sum->wavefronts += count->wavefronts;
    sum->filled += count->filled;
}

struct emulate_count program_total(const struct program *program)
{
    struct emulate_count sum = {0};

    for (size_t b = 0; b < program->result.block_count; b++)
        for (size_t k = 0; k < program->result.instruction_count; k++)
            add_count(&sum, &program->result.blocks[b].counts[k]);
    return sum;
}

static void check_blocks(const struct emulate_result *a, const struct emulate_result *b, bool in_order)
{
    assert_int_equal(a->block_count, b->block_count);
    for (size_t k = 0; k < a->block_count; k++) {
        const struct emulate_block *x = &a->blocks[k], *y = &b->blocks[k];

        for (size_t i = 0; i < a->instruction_count; i++)
            if (memcmp(&x->counts[i], &y->counts[i], sizeof x->counts[i]))
                fail_msg("block %zu, instruction %#zx: issued %llu and %llu, sectors %llu and %llu, "
                         "wavefronts %llu and %llu",
                         k, 16 * i, (unsigned long long)x->counts[i].issued,
                         (unsigned long long)y->counts[i].issued, (unsigned long long)x->counts[i].sectors,
                         (unsigned long long)y->counts[i].sectors,
                         (unsigned long long)x->counts[i].wavefronts,
                         (unsigned long long)y->counts[i].wavefronts);
        assert_true(footprint_equal(&x->read, &y->read));
        assert_true(footprint_equal(&x->written, &y->written));
        for (unsigned w = 0; w < x->warps && in_order; w++)
            assert_int_equal(a->paths[x->paths[w]].hash, b->paths[y->paths[w]].hash);
    }
}

static void check_modes(struct program *program, bool in_order)
{
    struct emulate_result full;

    program_run(program, EMULATE_FULL, EMULATE_DONE);
    full = program->result;
    memset(&program->result, 0, sizeof program->result);
    program_run(program, EMULATE_SLICED, EMULATE_DONE);
    check_blocks(&full, &program->result, in_order);
    emulate_result_release(&full);
}

void program_check_modes(struct program *program)
{
    check_modes(program, true);
}

void program_check_counts(struct program *program)
{
    check_modes(program, false);
}
