#include "space/variant.h"

#include "base/file.h"
#include "base/hash.h"
#include "space/configuration.h"
#include "space/variant_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is compiled --------------------------------------------------------- */

/* The value in C++, in `text` where it is not a string itself: `truth` says how true and false are written. */
static const char *value_of(char text[64], const struct value *value, const char *const truth[2])
{
    if (value->kind == VALUE_BOOL)
        return truth[value->integer != 0];
    if (value->kind == VALUE_STRING)
        return value->string;
    value_text(text, 64, value);
    return text;
}

static void print_value(FILE *stream, const struct value *value, const char *const truth[2])
{
    char text[64];

    fputs(value_of(text, value, truth), stream);
}

/* A macro is 0 or 1, so that both #if and C++ take it; a template argument has to be a bool. */
static const char *const macro_truth[2] = {"0", "1"}, *const template_truth[2] = {"false", "true"};

/* The texts behind each other; malloc'ed. */
static char *join(size_t count, const char *const *texts)
{
    size_t size = 1, length;
    char *whole, *to;

    for (size_t k = 0; k < count; k++)
        size += strlen(texts[k]);
    whole = to = malloc(size);
    for (size_t k = 0; whole && k < count; k++, to += length) {
        length = strlen(texts[k]);
        memcpy(to, texts[k], length + 1);
    }
    return whole;
}

static char *option_text(const struct spec_parameter *parameter, const struct value *value)
{
    char text[64], *option;
    const char *shown = value_of(text, value, macro_truth), *place;
    int length;

    if (!parameter->option)
        return join(4, (const char *const[]){"-D", parameter->name, "=", shown});
    place = strchr(parameter->option, '%');
    if (!place)
        return strdup(parameter->option);
    length =
        asprintf(&option, "%.*s%s%s", (int)(place - parameter->option), parameter->option, shown, place + 1);
    return length < 0 ? NULL : option;
}

static bool is_left_out(const struct spec_parameter *parameter, const struct value *value, bool macros_only)
{
    return parameter->hidden ||
           (parameter->option && (macros_only || (value->kind == VALUE_BOOL && !value->integer)));
}

/* Of a parameter, in what is compiled. */
static const struct value *compiled_value(const struct maker *maker, const unsigned *choices,
                                          size_t parameter)
{
    for (size_t k = 0; k < maker->size_count; k++)
        if (maker->sizes[k].slot == parameter)
            return &maker->slots[parameter];
    return configuration_value(maker->spec, choices, parameter);
}

/* The spec's options, then the parameters'; `macros_only` leaves those out that have an option of their own. */
static int make_options(struct maker *maker, const unsigned *choices, bool macros_only)
{
    const struct spec *spec = maker->spec;
    struct variant *variant = maker->variant;
    const struct spec_parameter *parameter;
    const struct value *value;
    char *option;

    variant->options =
        calloc(spec->kernel.option_count + spec->parameter_count + 1, sizeof *variant->options);
    if (!variant->options)
        return err_memory(maker->err);
    for (size_t k = 0; k < spec->kernel.option_count + spec->parameter_count; k++) {
        if (k < spec->kernel.option_count) {
            option = strdup(spec->kernel.options[k]);
        } else {
            parameter = &spec->parameters[k - spec->kernel.option_count];
            value = compiled_value(maker, choices, k - spec->kernel.option_count);
            if (is_left_out(parameter, value, macros_only))
                continue;
            option = option_text(parameter, value);
        }
        if (!option)
            return err_memory(maker->err);
        variant->options[variant->option_count++] = option;
        variant->tuned_count += k >= spec->kernel.option_count;
    }
    return 0;
}

static const struct value *find_parameter(const struct maker *maker, const unsigned *choices,
                                          const char *name, size_t length)
{
    const struct spec *spec = maker->spec;

    for (size_t p = 0; p < spec->parameter_count; p++)
        if (strlen(spec->names[p]) == length && !memcmp(spec->names[p], name, length))
            return compiled_value(maker, choices, p);
    return NULL;
}

/* Within the template arguments of a name expression parameters stand for their values. */
static int make_name(struct maker *maker, const char *name, const unsigned *choices)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    const char *at = name + strcspn(name, "<");
    const struct value *value;
    size_t size, length;
    FILE *stream;

    if (!*at) {
        maker->variant->name = strdup(name);
        return maker->variant->name ? 0 : err_memory(maker->err);
    }
    stream = open_memstream(&maker->variant->name, &size);
    if (!stream)
        return err_memory(maker->err);
    fwrite(name, 1, (size_t)(at - name), stream);
    while (*at) {
        length = strspn(at, letters);
        value = find_parameter(maker, choices, at, length);
        if (value)
            print_value(stream, value, template_truth);
        else
            fwrite(at, 1, length ? length : 1, stream);
        at += length ? length : 1;
    }
    return file_close_memory(stream, &maker->variant->name, maker->err);
}

/* The whole ---------------------------------------------------------------- */

/* What is compiled comes from the configuration `compiled`, what is launched from `launched`. */
struct recipe {
    const struct spec_kernel *kernel;
    const struct spec_launch *launch;
    const unsigned *compiled, *launched;
    bool macros_only;
    const struct spec_size *sizes;
    size_t size_count;
    const size_t *passed; /* see choose_arguments; null: all as they are */
    size_t passed_count;
};

/* A configuration without an objective cannot be compared with others. */
static int make_weight(struct maker *maker)
{
    struct variant *variant = maker->variant;
    struct err why = {0};
    const int failed = spec_weight(&variant->weight, maker->spec, maker->slots, &why);

    if (failed == ERR_MEMORY)
        return err_memory(maker->err);
    if (failed) {
        variant->outcome = OUTCOME_CONSTRAINT;
        snprintf(variant->message, sizeof variant->message, "objective: %.480s", why.text);
    }
    return failed;
}

/* The reference's own sizes; each of the problem's, whatever the others become. */
static int give_sizes(struct maker *maker)
{
    struct value values[SPEC_PARAMETERS_MAX];
    struct err why = {0};

    for (size_t k = 0; k < maker->size_count; k++)
        if (expr_value(&values[k], maker->sizes[k].value, maker->slots, 0, &why))
            return make_unfit(maker, "reference.sizes.%s: \"%s\": %s",
                              maker->spec->names[maker->sizes[k].slot], expr_text(maker->sizes[k].value),
                              why.text);
    for (size_t k = 0; k < maker->size_count; k++)
        maker->slots[maker->sizes[k].slot] = values[k];
    return 0;
}

static int make_all(struct maker *maker, const struct recipe *recipe, size_t problem)
{
    int failed;

    maker->slots = calloc(maker->spec->name_count + 1, sizeof *maker->slots);
    if (!maker->slots)
        return err_memory(maker->err);
    spec_slots(maker->slots, maker->spec, problem, recipe->launched);
    failed = make_weight(maker);
    if (!failed)
        failed = give_sizes(maker);
    if (failed == ERR_MEMORY || make_name(maker, recipe->kernel->name, recipe->compiled) ||
        make_options(maker, recipe->compiled, recipe->macros_only))
        return ERR_MEMORY;
    if (!failed)
        failed = make_launch(maker, recipe->launch);
    if (!failed)
        failed = make_arguments(maker);
    return failed || !recipe->passed ? failed : choose_arguments(maker, recipe->passed, recipe->passed_count);
}

static int make(struct variant *out, const struct spec *spec, size_t problem, const struct recipe *recipe,
                struct err *err)
{
    struct maker maker = {
        .variant = out, .spec = spec, .sizes = recipe->sizes, .size_count = recipe->size_count, .err = err};
    int failed;

    *out = (struct variant){.source_path = recipe->kernel->path, .outcome = OUTCOME_OK};
    launch_init(&out->launch);
    failed = make_all(&maker, recipe, problem);
    free(maker.slots);
    if (failed == ERR_MEMORY) {
        variant_release(out);
        return failed;
    }
    if (failed)
        launch_release(&out->launch);
    return 0;
}

int variant_make(struct variant *out, const struct spec *spec, size_t problem, const unsigned *choices,
                 struct err *err)
{
    const struct recipe recipe = {
        .kernel = &spec->kernel, .launch = &spec->launch, .compiled = choices, .launched = choices};

    return make(out, spec, problem, &recipe, err);
}

/* False with outcome and message when a constraint does not hold, or the configuration is not listed. */
static bool satisfies(struct maker *maker, const unsigned *choices)
{
    const struct spec *spec = maker->spec;
    bool holds;

    for (size_t c = 0; c < spec->constraint_count; c++) {
        if (!expr_bool(&holds, spec->constraints[c], maker->slots, NULL) && holds)
            continue;
        maker->variant->outcome = OUTCOME_CONSTRAINT;
        snprintf(maker->variant->message, sizeof maker->variant->message,
                 "constraints[%zu]: \"%s\" does not hold", c, expr_text(spec->constraints[c]));
        return false;
    }
    if (listed_has(&spec->listed, choices))
        return true;
    maker->variant->outcome = OUTCOME_CONSTRAINT;
    snprintf(maker->variant->message, sizeof maker->variant->message, "configurations: it is not listed");
    return false;
}

int variant_geometry(struct variant *out, const struct spec *spec, const struct value *sizes,
                     const unsigned *choices, struct err *err)
{
    struct maker maker = {.variant = out, .spec = spec, .err = err};

    *out = (struct variant){.source_path = spec->kernel.path, .outcome = OUTCOME_OK};
    launch_init(&out->launch);
    maker.slots = calloc(spec->name_count + 1, sizeof *maker.slots);
    if (!maker.slots)
        return err_memory(err);
    spec_slots(maker.slots, spec, 0, choices);
    memcpy(maker.slots + spec->parameter_count, sizes, spec->size_count * sizeof *sizes);
    if (satisfies(&maker, choices))
        make_launch(&maker, &spec->launch); /* what is wrong with it is the outcome */
    free(maker.slots);
    return 0;
}

int variant_reference(struct variant *out, const struct spec *spec, size_t problem, const unsigned *compiled,
                      const unsigned *choices, struct err *err)
{
    const struct recipe recipe = {.kernel = &spec->reference.kernel,
                                  .launch = &spec->reference.launch,
                                  .compiled = compiled,
                                  .launched = choices,
                                  .macros_only = true,
                                  .sizes = spec->reference.sizes,
                                  .size_count = spec->reference.size_count,
                                  .passed = spec->reference.passed,
                                  .passed_count = spec->reference.passed_count};

    return make(out, spec, problem, &recipe, err);
}

void variant_release(struct variant *variant)
{
    for (size_t k = 0; k < variant->option_count; k++)
        free(variant->options[k]);
    free(variant->options);
    free(variant->name);
    launch_release(&variant->launch);
    *variant = (struct variant){0};
}

int variant_source_hash(uint64_t *out, const struct variant *variant, struct err *err)
{
    unsigned char block[4096];
    FILE *file = file_open(variant->source_path, err);
    size_t n;
    int failed;

    *out = 0;
    if (!file)
        return err ? err->code : ERR_SYSTEM;
    *out = hash_text(HASH_START, variant->name);
    for (size_t k = 0; k < variant->option_count; k++)
        *out = hash_text(*out, variant->options[k]);
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        *out = hash_bytes(*out, block, n);
    failed = ferror(file);
    fclose(file);
    return failed ? err_set(err, ERR_SYSTEM, "%s: cannot be read", variant->source_path) : 0;
}
