#include "tuner/format/format.h"

#include "base/place.h"

static int find_assets(char *out, size_t size, struct err *err)
{
    if (place_share(out, size, "report"))
        return 0;
    return err_set(err, ERR_MISSING,
                   "the parts of the page were not found near the program: name the folder share/occutune in "
                   "OCCUTUNE_SHARE");
}

static int check(struct err *err)
{
    char assets[4096];
    int rc = find_assets(assets, sizeof assets, err);

    return rc ? rc : report_check(assets, err);
}

static int write_page(FILE *out, const struct format_input *in, struct err *err)
{
    struct report_options options = *in->runs;
    char assets[4096];
    int rc = find_assets(assets, sizeof assets, err);

    options.assets = assets;
    return rc ? rc : report_page(out, &options, err);
}

const struct format format_page = {
    .name = "page", .file = "report.html", .reads_runs = true, .check = check, .write = write_page};
