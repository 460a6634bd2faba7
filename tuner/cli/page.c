#include "tuner/cli/page.h"

#include "base/place.h"
#include "tuner/cli/choose.h"
#include "tuner/evaluate/environment.h"

#include <stdio.h>

/* The profile that was asked for, or that of the GPU the journal names. False without an error: there is none. */
static bool open_profile(struct device *out, const struct page_source *source, struct err *err)
{
    struct js_at at;
    const char *name;
    char slug[128];

    device_init(out);
    if (source->profile)
        return !choose_device(out, source->profile, err);
    if (!js_find(&at, &source->problems[0].head, "device_name") || js_string(&name, &at, NULL))
        return false;
    environment_slug(slug, sizeof slug, name);
    return !choose_device(out, slug, NULL);
}

static int find_assets(char *out, size_t size, struct err *err)
{
    if (place_share(out, size, "report"))
        return 0;
    return err_set(err, ERR_MISSING,
                   "the parts of the page were not found near the program: name the folder share/occutune in "
                   "OCCUTUNE_SHARE");
}

int page_check(struct err *err)
{
    char assets[4096];
    int code = find_assets(assets, sizeof assets, err);

    return code ? code : report_check(assets, err);
}

int page_make(char **out, const struct page_source *source, struct err *err)
{
    struct device profile;
    struct err why = {0};
    const bool known = open_profile(&profile, source, &why);
    char assets[4096];
    int code = why.code ? err_set(err, (enum err_code)why.code, "%s", why.text) : 0;

    *out = NULL;
    if (!code)
        code = find_assets(assets, sizeof assets, err);
    if (!code) {
        const struct report_options options = {.problems = source->problems,
                                               .problem_count = source->problem_count,
                                               .signature = source->signature,
                                               .level = source->level,
                                               .profile = known ? &profile : NULL,
                                               .assets = assets,
                                               .version = OCCUTUNE_VERSION,
                                               .live = source->live};

        code = report_page(out, &options, err);
    }
    device_release(&profile);
    return code;
}
