#include "gpu/unchanged.h"

#include <stdlib.h>
#include <string.h>

static bool is_candidate(const struct binding *binding, size_t i)
{
    return binding->buffers[i] && binding->buffers[i]->role == ROLE_INOUT;
}

/* By argument: whether an `inout` buffer differs from its pristine copy. malloc'ed. */
static int find_changed(bool **changed, const struct binding *binding, struct verifier *verifier,
                        struct err *err)
{
    struct buffers *buffers = verifier->buffers;
    struct found *found = calloc(binding->count + 1, sizeof *found);
    int rc = verify_reserve(verifier, binding->count, err);

    *changed = calloc(binding->count + 1, sizeof **changed);
    if (!rc && (!found || !*changed))
        rc = err_memory(err);
    if (!rc)
        rc = gpu_set(buffers->gpu, verifier->found, 0xff, binding->count * sizeof *found, err);
    for (size_t i = 0; !rc && i < binding->count; i++)
        if (is_candidate(binding, i))
            rc = kernels_differ(buffers->kernels, binding->buffers[i]->data, binding->buffers[i]->pristine,
                                binding->buffers[i]->bytes, verifier->found + i * sizeof *found, err);
    if (!rc)
        rc = gpu_download(found, buffers->gpu, verifier->found, binding->count * sizeof *found, err);
    for (size_t i = 0; !rc && i < binding->count; i++)
        (*changed)[i] = is_candidate(binding, i) && found[i].first != ~(word)0;
    free(found);
    return rc;
}

int unchanged_learn(struct binding *binding, struct verifier *verifier, struct err *err)
{
    bool *changed;
    int rc;

    if (!binding_restores(binding))
        return 0;
    rc = find_changed(&changed, binding, verifier, err);
    for (size_t i = 0; !rc && i < binding->count; i++)
        binding->unchanged[i] = is_candidate(binding, i) && !changed[i];
    free(changed);
    return rc;
}

int unchanged_confirm(bool *confirmed, struct binding *binding, struct verifier *verifier, struct err *err)
{
    bool *changed, any = false;
    int rc;

    *confirmed = true;
    for (size_t i = 0; i < binding->count; i++)
        any |= binding->unchanged[i];
    if (!any)
        return 0;
    rc = find_changed(&changed, binding, verifier, err);
    for (size_t i = 0; !rc && i < binding->count; i++)
        *confirmed &= !(binding->unchanged[i] && changed[i]);
    if (!rc && !*confirmed)
        memset(binding->unchanged, 0, binding->count * sizeof *binding->unchanged);
    free(changed);
    return rc;
}
