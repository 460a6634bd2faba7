/* Predicted against recorded times of whole spaces:
 *
 *   validation [--device PROFILE] [--every N] [--jobs N] [--output NAME] [--notes FOLDER]
 *              [--cache FOLDER] [--points] KERNEL...
 *
 * KERNEL is the folder of a kernel with a recording. Writes NAME.md and NAME.json, or prints the table; with
 * --points every variant's figures go to stdout as tab-separated lines. */
#include "validation/collect.h"
#include "validation/program.h"
#include "validation/table.h"

#include <stdio.h>
#include <stdlib.h>

struct request {
    const char *device, *output, *notes, *cache;
    unsigned every, jobs;
    bool points;
    char **folders; /* of the kernels */
    size_t folder_count;
};

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    if (done % 200 == 0 || done == total)
        fprintf(stderr, "%s: %llu of %llu\n", (const char *)context, (unsigned long long)done,
                (unsigned long long)total);
}

static void put_points(const struct collection *from)
{
    size_t i;
    int r;

    printf("kernel\tconfiguration\tmeasured_s\testimate_s\tbound_s\tconfidence\tclock_hz\tlimiter\t"
           "hidden\treach\tpredict_s");
    for (r = 0; r < BASELINE_COUNT; r++)
        printf("\t%s", baseline_text((enum baseline)r));
    printf("\n");
    for (i = 0; i < from->count; i++) {
        const struct point *p = &from->points[i];

        printf("%s\t%s\t%.6g\t%.6g\t%.6g\t%.3f\t%.4g\t%s\t%d\t%.3g\t%.3g", from->kernel, p->configuration,
               p->measured_s, p->ranked.estimate_s, p->ranked.bound_s, p->ranked.confidence, p->clock_hz,
               p->ranked.predicted ? resource_name(p->ranked.limiter) : p->ranked.reason,
               p->ranked.latency_hidden, p->reach, p->ranked.predict_s);
        for (r = 0; r < BASELINE_COUNT; r++)
            printf("\t%.6g", p->baselines_s[r]);
        printf("\n");
    }
}

static int write_tables(const struct request *request, const struct verdict *verdicts, size_t count,
                        struct err *err)
{
    struct json *json = table_json(verdicts, count);
    char path[4096];
    FILE *out = stdout;
    int rc = json ? 0 : err_memory(err);

    if (!rc && request->output) {
        snprintf(path, sizeof path, "%s.json", request->output);
        rc = js_write_file(json, path, err);
        snprintf(path, sizeof path, "%s.md", request->output);
        out = rc ? NULL : fopen(path, "w");
        if (!rc && !out)
            rc = err_set(err, ERR_SYSTEM, "%s: cannot be written", path);
    }
    if (!rc)
        rc = table_write(out, verdicts, count, request->notes, err);
    if (out && out != stdout && fclose(out) && !rc)
        rc = err_set(err, ERR_SYSTEM, "%s: cannot be written", path);
    js_free(json);
    return rc;
}

static int validate(void *context, const struct machine *machine, struct err *err)
{
    const struct request *request = context;
    const size_t count = request->folder_count;
    struct collection *collections = calloc(count, sizeof *collections);
    struct verdict *verdicts = calloc(count, sizeof *verdicts);
    struct collect_options options = {
        .every = request->every, .jobs = request->jobs, .machine = machine, .progress = show_progress};
    size_t k;
    int rc = collections && verdicts ? compiler_open(&options.compiler, NULL, request->cache, err)
                                     : err_memory(err);

    for (k = 0; k < count && !rc; k++) {
        options.folder = options.context = request->folders[k];
        rc = collect(&collections[k], &options, err);
        if (!rc && request->points)
            put_points(&collections[k]);
        if (!rc)
            rc = verdict_of(&verdicts[k], &collections[k], err);
    }
    if (!rc && (request->output || !request->points))
        rc = write_tables(request, verdicts, count, err);
    for (k = 0; k < count && collections; k++)
        collection_release(&collections[k]);
    if (options.compiler)
        compiler_close(options.compiler);
    free(collections);
    free(verdicts);
    return rc;
}

static int parse(struct request *request, int argc, char **argv)
{
    const struct program_option options[] = {
        {"device", .text = &request->device}, {"every", .number = &request->every},
        {"jobs", .number = &request->jobs},   {"output", .text = &request->output},
        {"notes", .text = &request->notes},   {"cache", .text = &request->cache},
        {"points", .flag = &request->points}, {0}};
    const int first = program_options(argc, argv, options);

    if (first < 0 || first == argc)
        return -1;
    request->folders = argv + first;
    request->folder_count = (size_t)(argc - first);
    return 0;
}

int main(int argc, char **argv)
{
    struct request request = {
        .device = "nvidia-h200", .notes = "benchmarks/validation/notes", .every = 1, .jobs = 2};

    if (parse(&request, argc, argv)) {
        fprintf(stderr, "usage: validation [--device PROFILE] [--every N] [--jobs N] [--output NAME] "
                        "[--notes FOLDER] [--cache FOLDER] [--points] KERNEL...\n");
        return 2;
    }
    return program_run("validation", request.device, validate, &request);
}
