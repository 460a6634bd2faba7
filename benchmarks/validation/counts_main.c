/* What the model counts against hardware counters:
 *
 *   validation_counts [--device PROFILE] [--notes FILE] [--cache FOLDER] [--output FILE] [--figures] [TABLE]
 *
 * TABLE is what Nsight Compute counted (counters/README.md). Writes Markdown to stdout or FILE; with
 * --figures the counts themselves, tab-separated, model beside hardware. */
#include "validation/counts.h"
#include "validation/program.h"

#include <stdio.h>

struct request {
    const char *device, *table, *notes, *cache, *output;
    bool figures;
};

static void put_figures(const struct counted_set *set)
{
    printf("kernel\tconfiguration");
    for (int c = 0; c < COUNTER_COUNT; c++)
        if (set->has[c])
            printf("\t%s\thardware", counter_text((enum counter)c));
    printf("\n");
    for (size_t i = 0; i < set->count; i++) {
        const struct counted *item = &set->items[i];

        printf("%s\t%s", item->kernel, item->configuration);
        for (int c = 0; c < COUNTER_COUNT; c++)
            if (set->has[c])
                printf("\t%.10g\t%.10g", item->model[c], item->hardware[c]);
        printf("\n");
    }
}

static int put_table(const struct request *request, const struct counted_set *set, struct err *err)
{
    FILE *out = request->output ? fopen(request->output, "w") : stdout;
    int rc;

    if (!out)
        return err_set(err, ERR_SYSTEM, "%s: cannot be written", request->output);
    rc = counts_write(out, set, request->notes, err);
    if (out != stdout && fclose(out) && !rc)
        rc = err_set(err, ERR_SYSTEM, "%s: cannot be written", request->output);
    return rc;
}

static int compare(void *context, const struct machine *machine, struct err *err)
{
    static const char *const folders[] = {"kernels", "benchmarks/unseen", NULL};
    const struct request *request = context;
    struct compiler *compiler = NULL;
    struct counted_set set;
    int rc = counts_read(&set, request->table, err);

    if (rc)
        return rc;
    rc = compiler_open(&compiler, NULL, request->cache, err);
    for (size_t i = 0; i < set.count && !rc; i++)
        rc = counts_take(&set.items[i], machine, compiler, folders, err);
    if (!rc && request->figures)
        put_figures(&set);
    else if (!rc)
        rc = put_table(request, &set, err);
    if (compiler)
        compiler_close(compiler);
    counts_release(&set);
    return rc;
}

static int parse(struct request *request, int argc, char **argv)
{
    const struct program_option options[] = {
        {"device", .text = &request->device},   {"notes", .text = &request->notes},
        {"cache", .text = &request->cache},     {"output", .text = &request->output},
        {"figures", .flag = &request->figures}, {0}};
    int operand = program_options(argc, argv, options);

    if (operand >= 0 && operand < argc)
        request->table = argv[operand++];
    return operand == argc ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct request request = {.device = "nvidia-h200",
                              .table = "benchmarks/validation/counters/nvidia-h200.csv",
                              .notes = "benchmarks/validation/notes/counts.md"};

    if (parse(&request, argc, argv)) {
        fprintf(stderr, "usage: validation_counts [--device PROFILE] [--notes FILE] [--cache FOLDER] "
                        "[--output FILE] [--figures] [TABLE]\n");
        return 2;
    }
    return program_run("validation_counts", request.device, compare, &request);
}
