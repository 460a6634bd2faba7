/* Tunes a spec, or loads the decision made before, and prints how to compile and launch the kernel at one
 * problem size.
 *
 *   best SPEC DECISION [SIZE=VALUE]...          a size that is not given is 1 */
#include <occutune.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const struct occutune_error *error)
{
    fprintf(stderr, "best: %s\n", error->text);
    return 1;
}

static void show_progress(void *context, uint64_t done, uint64_t total, double best_s)
{
    (void)context;
    fprintf(stderr, "\r%llu", (unsigned long long)done);
    if (total)
        fprintf(stderr, " of %llu", (unsigned long long)total);
    fprintf(stderr, " timed, best %.4g ms ", best_s * 1e3);
}

/* The decision in `path`, made now if it is not there. */
static int open_decision(occutune_decision **out, const char *spec, const char *path,
                         struct occutune_error *error)
{
    struct occutune_options options;
    FILE *file = fopen(path, "r");

    if (file) {
        fclose(file);
        return occutune_load(out, path, error);
    }
    occutune_options_init(&options);
    options.progress = show_progress;
    if (occutune_tune(out, spec, &options, error))
        return error->code;
    fprintf(stderr, "\n");
    return occutune_save(*out, path, error);
}

static double size_of(const char *name, int argc, char **argv)
{
    const size_t length = strlen(name);

    for (int i = 3; i < argc; i++)
        if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
            return atof(argv[i] + length + 1);
    return 1;
}

/* Whether every argument gives one of the decision's sizes. */
static int check_sizes(const occutune_decision *decision, int argc, char **argv, struct occutune_error *error)
{
    for (int i = 3; i < argc; i++) {
        const size_t length = strcspn(argv[i], "=");
        const char *name;
        size_t s = 0;

        while ((name = occutune_size_name(decision, s)) && (strncmp(name, argv[i], length) || name[length]))
            s++;
        if (name && argv[i][length])
            continue;
        snprintf(error->text, sizeof error->text, "%s: give a size of the problem, as %s=1024", argv[i],
                 occutune_size_count(decision) ? occutune_size_name(decision, 0) : "N");
        return OCCUTUNE_USAGE;
    }
    return 0;
}

static int print_best(const occutune_decision *decision, int argc, char **argv, struct occutune_error *error)
{
    const size_t count = occutune_size_count(decision);
    struct occutune_configuration best;
    double *sizes = calloc(count + 1, sizeof *sizes);
    int rc;

    if (!sizes)
        return OCCUTUNE_MEMORY;
    for (size_t i = 0; i < count; i++)
        sizes[i] = size_of(occutune_size_name(decision, i), argc, argv);
    rc = occutune_best(&best, decision, NULL, 0, sizes, error);
    free(sizes);
    if (rc)
        return rc;
    printf("%s on %s: %.4g ms\n", occutune_level(decision), best.device, best.time_s * 1e3);
    for (size_t i = 0; i < best.option_count; i++)
        printf("%s ", best.options[i]);
    printf("\nblocks of %u x %u x %u threads, %u bytes of dynamic shared memory\n", best.block[0],
           best.block[1], best.block[2], best.shared_dynamic_bytes);
    return 0;
}

int main(int argc, char **argv)
{
    struct occutune_error error = {0};
    occutune_decision *decision;
    int rc;

    if (argc < 3) {
        fprintf(stderr, "usage: best SPEC DECISION [SIZE=VALUE]...\n");
        return 2;
    }
    if (open_decision(&decision, argv[1], argv[2], &error))
        return fail(&error);
    rc = check_sizes(decision, argc, argv, &error);
    if (!rc)
        rc = print_best(decision, argc, argv, &error);
    occutune_free(decision);
    return rc ? fail(&error) : 0;
}
