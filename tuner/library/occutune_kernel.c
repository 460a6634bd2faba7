/* Kernels at run time. */
#include "tuner/library/occutune_own.h"

#include "base/locale.h"
#include "tuner/library/kernel.h"

#include <stdlib.h>

_Static_assert((int)CHOICE_DEFAULT == (int)OCCUTUNE_FIT_DEFAULT, "fits are passed through");

static int open_kernel(occutune_kernel **out, const char *spec, occutune_decision *const *decisions,
                       size_t count, const struct occutune_options *options, struct occutune_error *error)
{
    static const struct occutune_options defaults = {0};
    const struct locale_kept kept = locale_to_c();
    const struct occutune_options *given = options ? options : &defaults;
    const struct decision **list = calloc(count + 1, sizeof *list);
    char cache[4096];
    const struct kernel_options kernel_options = {.nvrtc = given->nvrtc,
                                                  .worker = given->worker,
                                                  .cache = library_cache(cache, sizeof cache, given),
                                                  .message = given->message,
                                                  .context = given->context};
    struct kernel *kernel = NULL;
    struct err err = {0};
    int rc = list ? 0 : err_memory(&err);

    for (size_t i = 0; i < count && !rc; i++)
        list[i] = &decisions[i]->decision;
    if (!rc)
        rc = kernel_open(&kernel, spec, list, count, &kernel_options, &err);
    free(list);
    locale_back(kept);
    *out = (occutune_kernel *)kernel;
    return rc ? library_error(error, &err) : 0;
}

int occutune_kernel_open(occutune_kernel **out, const char *spec, occutune_decision *const *decisions,
                         size_t count, const struct occutune_options *options, struct occutune_error *error)
{
    int rc;

    if (out)
        *out = NULL;
    rc = LIBRARY_NEED(error, {"out", out}, {"spec", spec});
    if (!rc && count)
        rc = LIBRARY_NEED(error, {"decisions", decisions});
    for (size_t i = 0; i < count && !rc; i++)
        rc = LIBRARY_NEED(error, {"one of decisions", decisions[i]});
    return rc ? rc : open_kernel(out, spec, decisions, count, options, error);
}

static struct occutune_launch launch_of(const struct kernel_ready *ready)
{
    const struct variant *variant = &ready->variant->variant;
    const struct launch *launch = &ready->choice.launch;

    return (struct occutune_launch){.function = ready->function,
                                    .module = ready->module,
                                    .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                    .block = {launch->block[0], launch->block[1], launch->block[2]},
                                    .shared_dynamic_bytes = launch->shared_bytes,
                                    .fit = (enum occutune_fit)ready->choice.fit,
                                    .configuration = ready->variant->text,
                                    .options = (const char *const *)variant->options,
                                    .option_count = variant->option_count,
                                    .cluster = {launch->cluster[0], launch->cluster[1], launch->cluster[2]},
                                    .cooperative = launch->cooperative,
                                    .programmatic = launch->programmatic};
}

int occutune_kernel_get(struct occutune_launch *out, occutune_kernel *kernel, const double *sizes,
                        struct occutune_error *error)
{
    struct locale_kept kept;
    struct kernel_ready ready;
    struct err err = {0};
    int rc;

    if (out)
        *out = (struct occutune_launch){0};
    rc = LIBRARY_NEED(error, {"out", out}, {"kernel", kernel});
    if (rc)
        return rc;
    kept = locale_to_c();
    rc = kernel_get(&ready, (struct kernel *)kernel, sizes, &err);

    locale_back(kept);
    if (!rc)
        *out = launch_of(&ready);
    return rc ? library_error(error, &err) : 0;
}

int occutune_kernel_choose(struct occutune_launch *out, const occutune_kernel *kernel, const char *device,
                           unsigned sm, const double *sizes, struct occutune_error *error)
{
    struct locale_kept kept;
    struct kernel_ready ready;
    struct err err = {0};
    int rc;

    if (out)
        *out = (struct occutune_launch){0};
    rc = LIBRARY_NEED(error, {"out", out}, {"kernel", kernel});
    if (rc)
        return rc;
    kept = locale_to_c();
    rc = kernel_choose(&ready, (const struct kernel *)kernel, device, sm, sizes, &err);

    locale_back(kept);
    if (!rc)
        *out = launch_of(&ready);
    return rc ? library_error(error, &err) : 0;
}

void occutune_kernel_close(occutune_kernel *kernel)
{
    kernel_close((struct kernel *)kernel);
}
