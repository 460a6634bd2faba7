#include "space/launchable.h"

#include "space/variant.h"

struct place {
    const struct spec *spec;
    size_t problem;
    uint64_t memory_bytes;
};

/* What keeps one configuration from being launched; empty when nothing does. */
static int try_one(struct err *why, const struct place *place, const unsigned *choices, struct err *err)
{
    struct variant variant;
    char reason[256];
    const int rc = variant_make(&variant, place->spec, place->problem, choices, err);

    if (rc)
        return rc;
    if (variant.outcome != OUTCOME_OK)
        err_set(why, ERR_USAGE, "%s", variant.message);
    else if (!launch_memory_fits(reason, sizeof reason, &variant.launch, place->memory_bytes))
        err_set(why, ERR_USAGE, "%s", reason);
    variant_release(&variant);
    return 0;
}

int space_launchable(const struct space *space, const struct spec *spec, size_t problem,
                     uint64_t memory_bytes, struct err *err)
{
    const struct place place = {spec, problem, memory_bytes};
    const uint64_t count = space_count(space);
    const uint64_t tried = count < LAUNCHABLE_TRIED ? count : LAUNCHABLE_TRIED;
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct err first = {0};
    uint64_t index;
    int rc;

    if (!count)
        return 0;
    space_default(&index, space, NULL);
    space_configuration(choices, space, index);
    rc = try_one(&first, &place, choices, err);
    if (rc || !first.code)
        return rc;
    for (uint64_t k = 0; k < tried; k++) {
        struct err why = {0};

        space_configuration(choices, space, count / tried * k);
        rc = try_one(&why, &place, choices, err);
        if (rc || !why.code)
            return rc;
    }
    return err_set(err, ERR_USAGE, "%s: no configuration can be launched at this problem size: %s",
                   spec->path, first.text);
}

static int check_problem(const struct spec *spec, size_t problem, uint64_t memory_bytes,
                         const volatile sig_atomic_t *stop, struct err *err)
{
    struct space *space;
    uint64_t index;
    int rc = space_open_until(&space, spec, problem, stop, err);

    if (rc)
        return rc;
    rc = space_default(&index, space, err);
    if (!rc)
        rc = space_launchable(space, spec, problem, memory_bytes, err);
    space_close(space);
    return rc;
}

int space_check_problems(const struct spec *spec, uint64_t memory_bytes, const volatile sig_atomic_t *stop,
                         struct err *err)
{
    char place[320];
    int rc = 0;

    for (size_t k = 0; k < spec->problem_count && spec->problem_count > 1 && !rc; k++) {
        rc = check_problem(spec, k, memory_bytes, stop, err);
        if (rc) {
            spec_problem_place(place, sizeof place, spec, k);
            err_prefix(err, "%s", place);
        }
    }
    return rc;
}
