/* Device profiles that were sent, as what predictions are made with. */
#include "tuner/remote/serving.h"

#include <stdlib.h>

void machines_release(struct map *machines)
{
    for (size_t i = 0; i < machines->capacity; i++) {
        struct known_machine *known = machines->entries[i].value;

        if (!known)
            continue;
        machine_release(&known->machine);
        device_release(&known->profile);
        free(known);
    }
    map_release(machines);
}

static int make_machine(struct known_machine *out, const struct content *content, struct err *err)
{
    struct json *json;
    struct js_at root;
    int rc = js_read_text(&json, (const char *)content->bytes, content->size, "profile", err);

    if (rc)
        return rc;
    root = js_root(json, "profile");
    device_init(&out->profile);
    rc = device_from_json(&out->profile, &root, err);
    js_free(json);
    if (!rc)
        rc = machine_init(&out->machine, &out->profile, err);
    if (rc)
        device_release(&out->profile);
    return rc;
}

int machine_know(struct known_machine **out, struct map *machines, const struct content *content,
                 struct err *err)
{
    struct known_machine *known = calloc(1, sizeof *known);

    if (!known)
        return err_memory(err);
    if (make_machine(known, content, err)) {
        free(known);
        return err->code;
    }
    if (map_put(machines, content->key.low, known, err))
        return ERR_MEMORY; /* the process is about to end */
    *out = known;
    return 0;
}
