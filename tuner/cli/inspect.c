#include "tuner/cli/cli.h"

#include "base/hash.h"
#include "model/cubin.h"
#include "model/sass.h"
#include "tuner/cli/choose.h"

#include <string.h>

static const struct cli_option options[] = {
    {"kernel", 'k', "NAME", "only this kernel"},
    {"listing", 'l', NULL, "list the instructions with their control fields"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

/* How many instructions of each class the code has. */
struct mix {
    size_t counts[SASS_CLASS_COUNT];
};

static void count_mix(struct mix *out, const struct sass_code *code)
{
    size_t i;

    *out = (struct mix){0};
    for (i = 0; i < code->count; i++)
        out->counts[sass_info((enum sass_op)code->instructions[i].op)->class]++;
}

static void put_listing(FILE *out, const struct sass_code *code)
{
    char text[256], control[32];
    size_t i;

    for (i = 0; i < code->count; i++) {
        sass_control_text(control, &code->instructions[i].control);
        sass_text(text, sizeof text, &code->instructions[i]);
        fprintf(out, "  %05x  %s  %s\n", code->instructions[i].pc, control, text);
    }
}

static void put_code(FILE *out, const struct sass_code *code, bool listing)
{
    struct mix mix;
    int c;

    count_mix(&mix, code);
    fprintf(out, "  instructions        %zu, %zu unknown\n", code->count, code->unknown);
    for (c = 0; c < SASS_CLASS_COUNT; c++)
        if (mix.counts[c])
            fprintf(out, "    %-16s  %zu\n", sass_class_text((enum sass_class)c), mix.counts[c]);
    if (listing)
        put_listing(out, code);
}

static struct json *mix_json(const struct sass_code *code)
{
    struct json *object = js_new_object();
    struct mix mix;
    int c, failed = !object;

    count_mix(&mix, code);
    for (c = 0; c < SASS_CLASS_COUNT && !failed; c++)
        if (mix.counts[c])
            failed = js_set_integer(object, sass_class_text((enum sass_class)c), (int64_t)mix.counts[c]);
    return js_unless(failed, object);
}

static struct json *listing_json(const struct sass_code *code)
{
    struct json *list = js_new_array();
    char text[256], control[32], line[320];
    size_t i;
    int failed = !list;

    for (i = 0; i < code->count && !failed; i++) {
        sass_control_text(control, &code->instructions[i].control);
        sass_text(text, sizeof text, &code->instructions[i]);
        snprintf(line, sizeof line, "%05x  %s  %s", code->instructions[i].pc, control, text);
        failed = js_append(list, js_new_string(line));
    }
    return js_unless(failed, list);
}

static struct json *kernel_json(const struct cubin_kernel *kernel, const struct sass_code *code, bool listing)
{
    struct json *object = resources_json(&kernel->resources);
    char hex[17];

    hash_hex(hex, kernel->code_hash);
    if (object &&
        !(js_set_string(object, "kernel", kernel->name) | js_set_string(object, "code_hash", hex) |
          js_set_integer(object, "code_bytes", (int64_t)kernel->code_bytes) |
          js_set_integer(object, "parameter_bytes", kernel->parameter_bytes) |
          js_set_integer(object, "instructions", (int64_t)code->count) |
          js_set_integer(object, "unknown", (int64_t)code->unknown) | js_set(object, "mix", mix_json(code)) |
          (listing ? js_set(object, "listing", listing_json(code)) : 0)))
        return object;
    js_free(object);
    return NULL;
}

static int show_kernel(struct cli *cli, const struct cli_args *args, const struct cubin_kernel *kernel,
                       struct json *all, struct err *err)
{
    struct sass_code code;
    int failed = sass_read(&code, kernel, err);

    if (failed)
        return failed;
    if (all) {
        if (js_append(all, kernel_json(kernel, &code, cli_given(args, "listing"))))
            failed = err_memory(err);
    } else {
        fprintf(cli->out, "%s, %zu bytes of code\n", kernel->name, kernel->code_bytes);
        resources_print(cli->out, &kernel->resources);
        put_code(cli->out, &code, cli_given(args, "listing"));
    }
    sass_release(&code);
    return failed;
}

static int run_inspect(struct cli *cli, const struct cli_args *args, struct err *err)
{
    const struct cubin_kernel *only = NULL;
    struct json *all = NULL;
    struct cubin cubin;
    size_t k;
    int code = cubin_read(&cubin, args->words[0], err);

    if (code)
        return CLI_FAILED;
    if (cli_given(args, "kernel"))
        code = cubin_find(&only, &cubin, cli_text(args, "kernel"), err);
    if (!code && cli_given(args, "json") && (all = js_new_array()) == NULL)
        code = err_memory(err);
    for (k = 0; k < cubin.kernel_count && !code; k++)
        if (!only || only == &cubin.kernels[k])
            code = show_kernel(cli, args, &cubin.kernels[k], all, err);
    if (!code && all)
        code = cli_print_json(cli, all, err);
    else
        js_free(all);
    cubin_release(&cubin);
    return code ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_inspect = {
    "inspect", "CUBIN",    "reads the resources and instructions of compiled kernels", options, 1,
    1,         run_inspect};
