#include "model/sass/inspect.h"

#include "base/hash.h"
#include "model/sass/flow.h"
#include "model/sass/sass.h"

#include <inttypes.h>

static const char *const columns = "  offset control                instruction";

static void print_mix(FILE *out, const size_t mix[SASS_CLASS_COUNT])
{
    for (int i = 0; i < SASS_CLASS_COUNT; i++)
        if (mix[i])
            fprintf(out, " %s %zu", sass_class_text((enum sass_class)i), mix[i]);
    fputc('\n', out);
}

static void print_code(FILE *out, const struct cubin_kernel *kernel, const struct sass_code *code)
{
    size_t mix[SASS_CLASS_COUNT] = {0};

    if (kernel->parameter_count)
        fprintf(out, "  parameters          %zu in %u bytes at c[0x0][0x%x]\n", kernel->parameter_count,
                kernel->parameter_bytes, kernel->parameter_base);
    if (code->spill_loads || code->spill_stores)
        fprintf(out, "  spills              %zu loads, %zu stores, %zu bytes\n", code->spill_loads,
                code->spill_stores, code->spill_bytes);
    fprintf(out, "  instructions        %zu, %zu unknown", code->count, code->unknown);
    if (code->unclaimed)
        fprintf(out, ", %zu with bits that no field claims", code->unclaimed);
    fputc('\n', out);
    flow_mix(mix, code, 0, code->count);
    for (int i = 0; i < SASS_CLASS_COUNT; i++)
        if (mix[i])
            fprintf(out, "    %-16s  %zu\n", sass_class_text((enum sass_class)i), mix[i]);
}

static void print_loops(FILE *out, const struct flow *flow)
{
    fprintf(out, "  blocks              %zu, loops %zu", flow->block_count, flow->loop_count);
    if (flow->irreducible)
        fprintf(out, ", %zu jumps back that make no natural loop", flow->irreducible);
    fputc('\n', out);
    for (size_t i = 0; i < flow->loop_count; i++) {
        const struct flow_loop *loop = &flow->loops[i];

        fprintf(out, "    %*sloop at %05zx: %zu blocks, %zu instructions:", (int)(2 * (loop->depth - 1)), "",
                flow->blocks[loop->header].first * SASS_BYTES, loop->blocks, loop->instructions);
        print_mix(out, loop->mix);
    }
}

static size_t block_depth(const struct flow *flow, size_t block)
{
    size_t loop = flow->blocks[block].loop;

    return loop == FLOW_NONE ? 0 : flow->loops[loop].depth;
}

static void print_listing(FILE *out, const struct sass_code *code, const struct flow *flow)
{
    char text[256], control[32];

    fprintf(out, "\n%s\n", columns);
    for (size_t b = 0; b < flow->block_count; b++) {
        const struct flow_block *block = &flow->blocks[b];

        fprintf(out, "block %zu%s\n", b, block->reachable ? "" : " (not reached)");
        for (size_t i = block->first; i < block->first + block->count; i++) {
            const struct sass *in = &code->instructions[i];

            sass_text(text, sizeof text, in);
            sass_control_text(control, &in->control);
            fprintf(out, "  %05x  %s  ", in->pc, control);
            for (size_t d = 0; d < block_depth(flow, b); d++)
                fputs("| ", out);
            fputs(text, out);
            if (in->unclaimed_bits)
                fprintf(out, "   unclaimed %016" PRIx64 "%016" PRIx64, in->unclaimed[1], in->unclaimed[0]);
            fputc('\n', out);
        }
    }
}

int inspect_text(FILE *out, const struct cubin_kernel *kernel, bool listing, struct err *err)
{
    struct sass_code code;
    struct flow flow;
    int result = sass_read(&code, kernel, err);

    if (result)
        return result;
    result = flow_read(&flow, &code, kernel, err);
    if (!result) {
        print_code(out, kernel, &code);
        print_loops(out, &flow);
        if (listing)
            print_listing(out, &code, &flow);
        flow_release(&flow);
    }
    sass_release(&code);
    return result;
}

static struct json *mix_json(const size_t mix[SASS_CLASS_COUNT])
{
    struct json *object = js_new_object();
    int i, failed = object ? 0 : 1;

    for (i = 0; i < SASS_CLASS_COUNT && !failed; i++)
        if (mix[i])
            failed = js_set_integer(object, sass_class_text((enum sass_class)i), (int64_t)mix[i]);
    return js_unless(failed, object);
}

static int add_code(struct json *object, const struct cubin_kernel *kernel, const struct sass_code *code)
{
    const struct {
        const char *name;
        size_t value;
    } numbers[] = {
        {"code_bytes", kernel->code_bytes}, {"parameter_bytes", kernel->parameter_bytes},
        {"spill_loads", code->spill_loads}, {"spill_stores", code->spill_stores},
        {"spill_bytes", code->spill_bytes}, {"instructions", code->count},
        {"unknown", code->unknown},         {"unclaimed", code->unclaimed},
    };
    size_t mix[SASS_CLASS_COUNT] = {0}, i;
    char hash[17];
    int failed;

    hash_hex(hash, kernel->code_hash);
    flow_mix(mix, code, 0, code->count);
    failed = js_set_string(object, "kernel", kernel->name) | js_set_string(object, "code_hash", hash) |
             js_set(object, "mix", mix_json(mix));
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        failed |= js_set_integer(object, numbers[i].name, (int64_t)numbers[i].value);
    return failed;
}

static int append(struct json *array, struct json *element, int failed)
{
    if (failed || !element) {
        js_free(element);
        return ERR_MEMORY;
    }
    return js_append(array, element);
}

static int add_blocks(struct json *array, const struct sass_code *code, const struct flow *flow)
{
    int failed = array ? 0 : 1;

    for (size_t b = 0; b < flow->block_count && !failed; b++) {
        const struct flow_block *block = &flow->blocks[b];
        size_t mix[SASS_CLASS_COUNT] = {0};
        struct json *element = js_new_object();

        flow_mix(mix, code, block->first, block->count);
        failed |= element ? js_set_integer(element, "offset", (int64_t)(block->first * SASS_BYTES)) : 1;
        failed |= element ? js_set_integer(element, "instructions", (int64_t)block->count) : 1;
        failed |= element ? js_set_integer(element, "depth", (int64_t)block_depth(flow, b)) : 1;
        failed |= element ? js_set(element, "mix", mix_json(mix)) : 1;
        failed = append(array, element, failed);
    }
    return failed;
}

static int add_loops(struct json *array, const struct flow *flow)
{
    int failed = array ? 0 : 1;

    for (size_t i = 0; i < flow->loop_count && !failed; i++) {
        const struct flow_loop *loop = &flow->loops[i];
        size_t offset = flow->blocks[loop->header].first * SASS_BYTES;
        struct json *element = js_new_object();

        failed |= element ? js_set_integer(element, "offset", (int64_t)offset) : 1;
        failed |= element ? js_set_integer(element, "depth", (int64_t)loop->depth) : 1;
        failed |= element ? js_set_integer(element, "instructions", (int64_t)loop->instructions) : 1;
        failed |= element ? js_set(element, "mix", mix_json(loop->mix)) : 1;
        failed = append(array, element, failed);
    }
    return failed;
}

static int add_listing(struct json *array, const struct sass_code *code)
{
    char text[256], control[32];
    int failed = array ? 0 : 1;

    for (size_t i = 0; i < code->count && !failed; i++) {
        struct json *element = js_new_object();

        sass_text(text, sizeof text, &code->instructions[i]);
        sass_control_text(control, &code->instructions[i].control);
        failed |= element ? js_set_integer(element, "offset", code->instructions[i].pc) : 1;
        failed |= element ? js_set_string(element, "control", control) : 1;
        failed |= element ? js_set_string(element, "text", text) : 1;
        failed |=
            element ? js_set_integer(element, "unclaimed_bits", code->instructions[i].unclaimed_bits) : 1;
        failed = append(array, element, failed);
    }
    return failed;
}

static int fill_json(struct json *object, const struct cubin_kernel *kernel, const struct sass_code *code,
                     const struct flow *flow, bool listing)
{
    struct json *blocks = js_new_array(), *loops = js_new_array(), *lines = listing ? js_new_array() : NULL;
    int failed = add_code(object, kernel, code) | add_blocks(blocks, code, flow) | add_loops(loops, flow) |
                 (listing ? add_listing(lines, code) : 0);

    failed |= js_set(object, "blocks", blocks) | js_set(object, "loops", loops);
    return listing ? failed | js_set(object, "listing", lines) : failed;
}

int inspect_json(struct json *object, const struct cubin_kernel *kernel, bool listing, struct err *err)
{
    struct sass_code code;
    struct flow flow;
    int result = sass_read(&code, kernel, err);

    if (result)
        return result;
    result = flow_read(&flow, &code, kernel, err);
    if (!result) {
        if (fill_json(object, kernel, &code, &flow, listing))
            result = err_memory(err);
        flow_release(&flow);
    }
    sass_release(&code);
    return result;
}
