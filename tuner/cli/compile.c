#include "tuner/predict/code_facts.h"
#include "tuner/cli/cli.h"

#include "gpu/compile.h"
#include "model/sass/cubin.h"
#include "space/variant.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/kept.h"
#include "tuner/predict/request.h"
#include "tuner/evaluate/environment.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"config", 'c', "K=V,...", "the configuration; what is not named keeps its default"},
    {"set", 0, "NAME=VALUE", "override a problem size; may be repeated"},
    {"arch", 0, "sm_XX", "architecture (default sm_90a)"},
    {"output", 'o', "FILE", "where the cubin goes"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

static int show(struct cli *cli, const struct cli_args *args, const struct compile_result *result,
                struct err *err)
{
    const struct cubin_kernel *kernel;
    struct json *object;
    struct cubin cubin;
    int rc = cubin_init(&cubin, result->cubin, result->cubin_bytes, "compiled code", err);

    if (rc)
        return rc;
    rc = cubin_find(&kernel, &cubin, result->entry, err);
    if (!rc && cli_given(args, "json")) {
        object = resources_json(&kernel->resources);
        object = js_unless(js_set_string(object, "kernel", kernel->name) ||
                               js_set_real(object, "compile_s", result->compile_s) ||
                               js_set_integer(object, "code_bytes", (int64_t)kernel->code_bytes),
                           object);
        rc = cli_print_json(cli, object, err);
    } else if (!rc) {
        fprintf(cli->out, "%s, %zu bytes of code\n", kernel->name, kernel->code_bytes);
        resources_print(cli->out, &kernel->resources);
    }
    cubin_release(&cubin);
    return rc;
}

static const char *arch_of(const struct cli_args *args)
{
    return cli_given(args, "arch") ? cli_text(args, "arch") : "sm_90a";
}

/* What the compiler said is passed on; `name` is what an error calls it. */
static int compile(struct compile_result *out, const struct cli *cli, struct compiler *compiler,
                   const struct variant *variant, const char *arch, const char *name, struct err *err)
{
    const struct compile_request request = request_of(variant, arch, 600);
    int rc = compile_cubin(out, compiler, &request, err);

    if (!rc && out->log)
        fputs(out->log, cli->err);
    if (!rc && out->outcome != OUTCOME_OK)
        rc = err_set(err, ERR_GPU, "%s: %sdoes not compile: %s", variant->source_path, name,
                     out->diagnostic ? out->diagnostic : "no diagnostic");
    return rc;
}

/* Tuning would come to it only on the GPU. */
static int compile_reference(const struct cli *cli, const struct cli_args *args, struct compiler *compiler,
                             const struct spec *spec, const unsigned *choices, struct err *err)
{
    unsigned *compiled = calloc(spec->parameter_count, sizeof *compiled);
    struct compile_result result = {0};
    struct variant variant = {0};
    int rc = compiled ? choose_default(compiled, spec, err) : err_memory(err);

    if (!rc)
        rc = variant_reference(&variant, spec, 0, compiled, choices, err);
    if (!rc && variant.outcome == OUTCOME_OK)
        rc = compile(&result, cli, compiler, &variant, arch_of(args), "the reference ", err);
    if (!rc && result.cubin)
        rc = code_facts_check(&result, &variant, "the reference's ", err);
    compile_result_release(&result);
    variant_release(&variant);
    free(compiled);
    return rc;
}

static int compile_variant(struct cli *cli, const struct cli_args *args, const struct spec *spec,
                           const unsigned *choices, const struct variant *variant, struct err *err)
{
    char cache[4096];
    struct compile_result result = {0};
    struct compiler *kept = cli->kept && cli->kept->environment ? cli->kept->environment->compiler : NULL;
    struct compiler *compiler = kept;
    int rc = kept ? 0 : compiler_open(&compiler, NULL, cli_cache(cli, cache, sizeof cache), err);

    if (rc)
        return rc;
    rc = compiler_check_arch(compiler, arch_of(args), err);
    if (!rc)
        rc = compile(&result, cli, compiler, variant, arch_of(args), "", err);
    if (!rc && cli_given(args, "output"))
        rc = cli_write(cli, cli_text(args, "output"), result.cubin, result.cubin_bytes, err);
    if (!rc && !(cli_given(args, "output") && !strcmp(cli_text(args, "output"), "-")))
        rc = show(cli, args, &result, err);
    /* without arguments it is compiled for a program that launches it with its own */
    if (!rc && variant->outcome == OUTCOME_OK && variant->launch.argument_count)
        rc = code_facts_check(&result, variant, "", err);
    if (!rc && spec->reference.kind == REFERENCE_KERNEL)
        rc = compile_reference(cli, args, compiler, spec, choices, err);
    compile_result_release(&result);
    compiler_close(kept ? NULL : compiler);
    return rc;
}

/* The compiler would blame the source for it. */
static int check_arch(const struct cli_args *args, struct err *err)
{
    const char *arch = cli_text(args, "arch");
    const size_t digits = arch && !strncmp(arch, "sm_", 3) ? strspn(arch + 3, "0123456789") : 0;
    const char *suffix = digits ? arch + 3 + digits : "?"; /* sm_90a: with what only this one has */

    if (!arch || !*suffix || !strcmp(suffix, "a") || !strcmp(suffix, "f"))
        return 0;
    return err_set(err, ERR_USAGE, "--arch: %s is no architecture: write sm_90", arch);
}

static int run_compile(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct variant variant = {0};
    unsigned *choices = NULL;
    struct spec spec;
    int rc;

    if (check_arch(args, err) || cli_check_output(args, "output", NULL, err))
        return CLI_WRONG_USE;
    rc = spec_read(&spec, args->words[0], SPEC_WHOLE, args->sets, args->set_count, err);
    if (rc)
        return CLI_WRONG_USE;
    rc = choose_output(cli_text(args, "output"), "output", &spec, err);
    choices = calloc(spec.parameter_count, sizeof *choices);
    if (!rc)
        rc = choices ? choose_configuration(choices, &spec, args, err) : err_memory(err);
    if (!rc)
        rc = choose_remark(cli, &spec, choices, err);
    if (!rc)
        choose_remark_first(cli, &spec);
    if (!rc)
        rc = variant_make(&variant, &spec, 0, choices, err);
    if (!rc)
        rc = compile_variant(cli, args, &spec, choices, &variant, err);
    variant_release(&variant);
    free(choices);
    spec_release(&spec);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_compile = {
    "compile", "SPEC",     "compiles one configuration, with its resources, and the reference", options, 1,
    1,         run_compile};
