/* Reads any text as a spec, counts its space where that is small, and makes its first and last variant. */
#include "fuzz.h"

#include "space/space.h"
#include "space/variant.h"

#include <stdlib.h>

static void make(const struct spec *spec, const struct space *space, uint64_t index)
{
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct variant variant;
    uint64_t back;

    space_configuration(choices, space, index);
    if (!space_index(&back, space, choices) || back != index)
        abort();
    if (!spec->kernel.path)
        return;
    if (!variant_make(&variant, spec, 0, choices, NULL)) {
        launch_prepare(&variant.launch, NULL);
        variant_release(&variant);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint64_t combinations = 1;
    struct spec spec;
    struct space *space;

    if (spec_read_text(&spec, (const char *)bytes, size, "fuzz.json", SPEC_SPACE, NULL, 0, NULL))
        return 0;
    for (size_t p = 0; p < spec.parameter_count && combinations < 100000; p++)
        combinations *= spec.parameters[p].value_count;
    if (combinations < 100000 && !space_open(&space, &spec, 0, NULL)) {
        if (space_count(space) > 0) {
            make(&spec, space, 0);
            make(&spec, space, space_count(space) - 1);
        }
        space_close(space);
    }
    spec_release(&spec);
    return 0;
}
