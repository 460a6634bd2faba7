#include "space/launchable.h"

#include "space/variant.h"

/* What keeps one configuration from being launched; empty when nothing does. */
static int try_one(struct err *why, const struct spec *spec, size_t problem, const unsigned *choices,
                   struct err *err)
{
    struct variant variant;
    const int rc = variant_make(&variant, spec, problem, choices, err);

    if (rc)
        return rc;
    if (variant.outcome != OUTCOME_OK)
        err_set(why, ERR_USAGE, "%s", variant.message);
    variant_release(&variant);
    return 0;
}

int space_launchable(const struct space *space, const struct spec *spec, size_t problem, struct err *err)
{
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
    rc = try_one(&first, spec, problem, choices, err);
    if (rc || !first.code)
        return rc;
    for (uint64_t k = 0; k < tried; k++) {
        struct err why = {0};

        space_configuration(choices, space, count / tried * k);
        rc = try_one(&why, spec, problem, choices, err);
        if (rc || !why.code)
            return rc;
    }
    return err_set(err, ERR_USAGE, "%s: no configuration can be launched at this problem size: %s",
                   spec->path, first.text);
}

static int check_problem(const struct spec *spec, size_t problem, struct err *err)
{
    struct space *space;
    uint64_t index;
    int rc = space_open(&space, spec, problem, err);

    if (rc)
        return rc;
    rc = space_default(&index, space, err);
    if (!rc)
        rc = space_launchable(space, spec, problem, err);
    space_close(space);
    return rc;
}

int space_check_problems(const struct spec *spec, struct err *err)
{
    char place[320];
    int rc = 0;

    for (size_t k = 0; k < spec->problem_count && spec->problem_count > 1 && !rc; k++) {
        rc = check_problem(spec, k, err);
        if (rc) {
            spec_problem_place(place, sizeof place, spec, k);
            err_prefix(err, "%s", place);
        }
    }
    return rc;
}
