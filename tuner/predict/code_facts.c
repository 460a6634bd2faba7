#include "tuner/predict/code_facts.h"

#include "base/hash.h"
#include "model/emulate/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESOURCES = sizeof(struct cubin_resources) / sizeof(unsigned) };
_Static_assert(sizeof(struct cubin_resources) == RESOURCES * sizeof(unsigned),
               "resources are unsigned alone");

static uint64_t hash_of(const struct cubin_kernel *kernel)
{
    const struct cubin_resources *r = &kernel->resources;
    uint64_t hash = kernel->code_hash;

    hash = hash_u64(hash_u64(hash_u64(hash, r->registers), r->shared_bytes), r->local_bytes);
    hash = hash_u64(hash_u64(hash, r->barriers), (uint64_t)r->cluster[0] * r->cluster[1] * r->cluster[2]);
    for (size_t bank = 1; bank < CUBIN_BANKS; bank++)
        hash = hash_bytes(hash, kernel->banks[bank].bytes ? kernel->banks[bank].bytes : (const void *)"",
                          kernel->banks[bank].bytes ? kernel->banks[bank].size : 0);
    return hash ? hash : 1;
}

void code_facts_release(struct code_facts *facts)
{
    free(facts->parameters);
    *facts = (struct code_facts){0};
}

static int take_kernel(struct code_facts *out, const struct cubin_kernel *kernel, struct err *err)
{
    const size_t count = kernel->parameter_count;

    *out = (struct code_facts){
        .hash = hash_of(kernel), .resources = kernel->resources, .parameter_count = count};
    out->parameters = calloc(count + 1, sizeof *out->parameters);
    if (!out->parameters)
        return err_memory(err);
    if (count)
        memcpy(out->parameters, kernel->parameters, count * sizeof *out->parameters);
    out->known = true;
    return 0;
}

int code_facts_read(struct code_facts *out, const struct compile_result *compiled, const char *name,
                    struct err *err)
{
    const struct cubin_kernel *kernel;
    struct cubin cubin;
    int rc = cubin_init(&cubin, compiled->cubin, compiled->cubin_bytes, name, err);

    *out = (struct code_facts){0};
    if (rc)
        return rc;
    rc = cubin_find(&kernel, &cubin, compiled->entry, err);
    if (!rc)
        rc = take_kernel(out, kernel, err);
    cubin_release(&cubin);
    return rc;
}

bool code_facts_fit(char *reason, size_t size, const struct code_facts *facts, const char *entry,
                    const struct launch *launch)
{
    const struct cubin_kernel kernel = {.name = entry,
                                        .resources = facts->resources,
                                        .parameters = facts->parameters,
                                        .parameter_count = facts->parameter_count};

    return parameters_fit(reason, size, &kernel, launch);
}

int code_facts_check(const struct compile_result *compiled, const struct variant *variant, const char *whose,
                     struct err *err)
{
    struct code_facts facts;
    char reason[256];
    int rc = code_facts_read(&facts, compiled, variant->name, err);

    if (!rc && !code_facts_fit(reason, sizeof reason, &facts, variant->name, &variant->launch))
        rc = err_set(err, ERR_USAGE, "%s: %s%s", variant->source_path, whose, reason);
    code_facts_release(&facts);
    return rc;
}

/* The hash, the resources in their order, the parameters. */
int code_facts_set(struct json *object, const char *key, const struct code_facts *facts)
{
    const size_t size = 24 + 9 * (RESOURCES + facts->parameter_count);
    unsigned resources[RESOURCES];
    char *text = malloc(size);
    size_t used;
    int rc;

    if (!text)
        return ERR_MEMORY;
    used = (size_t)snprintf(text, size, "%" PRIx64, facts->hash);
    memcpy(resources, &facts->resources, sizeof resources);
    for (size_t k = 0; k < RESOURCES; k++)
        used += (size_t)snprintf(text + used, size - used, " %x", resources[k]);
    for (size_t k = 0; k < facts->parameter_count; k++)
        used += (size_t)snprintf(text + used, size - used, " %x", facts->parameters[k].bytes);
    rc = js_set_string(object, key, text);
    free(text);
    return rc;
}

/* The next number; false where there is none. */
static bool take_number(uint64_t *out, const char **text)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = *text + (**text == ' '), *begin = at, *digit;

    for (*out = 0; *at && (digit = strchr(digits, *at)); at++)
        *out = *out << 4 | (uint64_t)(digit - digits);
    *text = at;
    return at > begin && at - begin <= 16;
}

int code_facts_get(struct code_facts *out, const struct js_at *object, const char *key, struct err *err)
{
    unsigned resources[RESOURCES];
    const char *text;
    struct js_at at;
    uint64_t number;
    bool good;

    *out = (struct code_facts){0};
    if (js_member(&at, object, key, err) || js_string(&text, &at, err))
        return ERR_FORMAT;
    good = take_number(&out->hash, &text) && out->hash;
    for (size_t k = 0; k < RESOURCES && good; k++) {
        good = take_number(&number, &text) && number <= UINT32_MAX;
        resources[k] = (unsigned)number;
    }
    out->parameters = calloc(strlen(text) / 2 + 1, sizeof *out->parameters);
    if (!out->parameters)
        return err_memory(err);
    while (good && *text) {
        good = take_number(&number, &text) && number <= UINT32_MAX;
        if (good)
            out->parameters[out->parameter_count++].bytes = (unsigned)number;
    }
    if (!good) {
        code_facts_release(out);
        return js_fail(&at, err, "says nothing of code");
    }
    memcpy(&out->resources, resources, sizeof resources);
    out->known = true;
    return 0;
}
