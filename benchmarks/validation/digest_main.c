/* A digest of predictions, by kernel, so that a change that is to leave them as they are can be seen to:
 *
 *   validation_digest [--device PROFILE] [--every N] [--jobs N] [--cache FOLDER] [--against FILE] KERNEL...
 *
 * Prints a line for each kernel: N, how many variants, and a hash of what is predicted of them, to 9 digits:
 * the last ones depend on the C library. With --against, the lines of that FILE are compared with, those of
 * other kernels and of another N apart; 77 without NVRTC, or
 * where another one made it, whose machine code differs. */
#include "base/hash.h"
#include "validation/collect.h"
#include "validation/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 256, SKIPPED = 77 };

struct request {
    const char *device, *cache, *against;
    unsigned every, jobs;
    char **folders; /* of the kernels */
    size_t folder_count;
    unsigned changed, compared;
    bool skipped;
};

static uint64_t add_point(uint64_t hash, const struct point *point)
{
    const struct ranked *r = &point->ranked;
    char text[512];

    hash = hash_text(hash, point->configuration);
    if (!r->predicted)
        return hash_text(hash, r->reason);
    snprintf(text, sizeof text, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g %s %d %d", r->estimate_s, r->bound_s,
             r->interval_low_s, r->interval_high_s, r->needed_warps, r->had_warps, r->confidence,
             resource_name(r->limiter), r->latency_hidden, r->bound_proved);
    return hash_text(hash, text);
}

static void print_line(char line[TEXT], const char *folder, unsigned every, const struct collection *from)
{
    uint64_t hash = HASH_START;
    char digits[17];

    for (size_t i = 0; i < from->count; i++)
        hash = add_point(hash, &from->points[i]);
    hash_hex(digits, hash);
    snprintf(line, TEXT, "%s %u %zu %s", folder, every, from->count, digits);
}

/* Compares a line with that of the same kernel and N in the file, if there is one. */
static int compare(struct request *request, const char *line, struct err *err)
{
    const size_t key = (size_t)(strrchr(line, ' ') - line);
    FILE *file = fopen(request->against, "r");
    char other[TEXT];

    if (!file)
        return err_set(err, ERR_SYSTEM, "%s: cannot be read", request->against);
    while (fgets(other, sizeof other, file)) {
        other[strcspn(other, "\n")] = 0;
        if (strncmp(other, line, key + 1))
            continue;
        request->compared++;
        request->changed += strcmp(other, line) != 0;
        if (strcmp(other, line))
            fprintf(stderr, "validation_digest: was %s\n", other);
    }
    fclose(file);
    return 0;
}

/* Whether the file's first line names this compiler. */
static int check_compiler(struct request *request, const char *own, struct err *err)
{
    FILE *file = fopen(request->against, "r");
    char line[TEXT] = "";
    bool read;

    if (!file)
        return err_set(err, ERR_SYSTEM, "%s: cannot be read", request->against);
    read = fgets(line, sizeof line, file);
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    request->skipped = !read || strcmp(line, own);
    if (request->skipped)
        fprintf(stderr, "skipped: \"%s\" made the digest, here is \"%s\"\n", line, own);
    return 0;
}

static int digest_kernel(struct request *request, const struct collect_options *options, struct err *err)
{
    struct collection collection = {0};
    char line[TEXT];
    int rc = collect(&collection, options, err);

    if (!rc) {
        print_line(line, options->folder, request->every, &collection);
        printf("%s\n", line);
        fflush(stdout);
        rc = request->against ? compare(request, line, err) : 0;
    }
    collection_release(&collection);
    return rc;
}

static int digest(void *context, const struct machine *machine, struct err *err)
{
    struct request *request = context;
    struct collect_options options = {.every = request->every, .jobs = request->jobs, .machine = machine};
    char compiler[TEXT];
    int rc = compiler_open(&options.compiler, NULL, request->cache, err);

    if (rc && request->against) {
        fprintf(stderr, "skipped: %s\n", err->text);
        request->skipped = true;
        return 0;
    }
    if (rc)
        return rc;
    snprintf(compiler, sizeof compiler, "NVRTC %s, %s", compiler_version(options.compiler), request->device);
    if (request->against)
        rc = check_compiler(request, compiler, err);
    else
        printf("%s\n", compiler);
    for (size_t k = 0; k < request->folder_count && !rc && !request->skipped; k++) {
        options.folder = request->folders[k];
        rc = digest_kernel(request, &options, err);
    }
    compiler_close(options.compiler);
    return rc;
}

int main(int argc, char **argv)
{
    struct request request = {.device = "nvidia-h200", .every = 1, .jobs = 2};
    const struct program_option options[] = {
        {"device", .text = &request.device},   {"every", .number = &request.every},
        {"jobs", .number = &request.jobs},     {"cache", .text = &request.cache},
        {"against", .text = &request.against}, {0}};
    const int first = program_options(argc, argv, options);
    int status;

    if (first < 0 || first == argc) {
        fprintf(stderr, "usage: validation_digest [--device PROFILE] [--every N] [--jobs N] [--cache FOLDER] "
                        "[--against FILE] KERNEL...\n");
        return 2;
    }
    request.folders = argv + first;
    request.folder_count = (size_t)(argc - first);
    status = program_run("validation_digest", request.device, digest, &request);
    if (status || request.skipped)
        return status ? status : SKIPPED;
    if (request.against)
        fprintf(stderr, "validation_digest: %u of %u kernels changed\n", request.changed, request.compared);
    return request.changed || (request.against && !request.compared);
}
