/* Occupancy claims of the founding papers on a GPU of today:
 *
 *   claims [--device PROFILE] [--cache FOLDER] [--jobs N] [--output FOLDER]
 *
 * Predicts every configuration of the specs in benchmarks/claims and holds the predictions against the
 * recordings beside them, without a GPU. Writes results.md and a picture for each claim to FOLDER (default
 * benchmarks/claims); run it from the root of the source tree. */
#include "claims/claim.h"
#include "validation/program.h"

#include <stdio.h>

static const char *const specs = "benchmarks/claims";

struct request {
    const char *device, *cache, *output;
    unsigned jobs;
};

static int write_claims(FILE *out, const struct request *request, const struct machine *machine,
                        struct err *err)
{
    struct collect_options options = {.every = 1, .jobs = request->jobs, .machine = machine};
    struct found found;
    int rc = compiler_open(&options.compiler, NULL, request->cache, err);

    for (size_t c = 0; c < claim_count && !rc; c++) {
        rc = claim_find(&found, &claims[c], &options, specs, err);
        if (!rc && !c)
            fprintf(out, "# Occupancy claims\n\nRecorded on an %s, %s.\n", found.device, found.date);
        if (!rc) {
            claim_write(out, &found);
            rc = claim_draw(request->output, &found, err);
        }
        claim_release(&found);
    }
    compiler_close(options.compiler);
    return rc;
}

static int write_results(void *context, const struct machine *machine, struct err *err)
{
    const struct request *request = context;
    char path[4096];
    FILE *out;
    int rc;

    snprintf(path, sizeof path, "%s/results.md", request->output);
    out = fopen(path, "w");
    if (!out)
        return err_set(err, ERR_SYSTEM, "%s: cannot be written", path);
    rc = write_claims(out, request, machine, err);
    if (fclose(out) && !rc)
        rc = err_set(err, ERR_SYSTEM, "%s: cannot be written", path);
    return rc;
}

static int parse(struct request *request, int argc, char **argv)
{
    const struct program_option options[] = {{"device", .text = &request->device},
                                             {"cache", .text = &request->cache},
                                             {"jobs", .number = &request->jobs},
                                             {"output", .text = &request->output},
                                             {0}};

    return program_options(argc, argv, options) == argc ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct request request = {.device = "nvidia-h200", .output = specs, .jobs = 2};

    if (parse(&request, argc, argv)) {
        fprintf(stderr, "usage: claims [--device PROFILE] [--cache FOLDER] [--jobs N] [--output FOLDER]\n");
        return 2;
    }
    return program_run("claims", request.device, write_results, &request);
}
