#include "tuner/evaluate/recording.h"

#include "tuner/journal/metadata.h"
#include "tuner/evaluate/environment.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);

    return length >= wanted && !strcmp(text + length - wanted, end);
}

static int is_journal(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".json") || ends_with(entry->d_name, ".json.gz");
}

/* Keeps the better of two fitting journals: the later one of the same device. */
static int choose(struct journal **best, struct journal *next, struct err *err)
{
    struct metadata a, b;

    if (!*best) {
        *best = next;
        return 0;
    }
    metadata_read(&a, *best);
    metadata_read(&b, next);
    if (!environment_same_name(a.device_name, b.device_name)) {
        err_set(err, ERR_USAGE, "recordings of %s and %s are there: choose one with --device", a.device_name,
                b.device_name);
        journal_free(next);
        return ERR_USAGE;
    }
    if (strcmp(a.date, b.date) < 0) {
        journal_free(*best);
        *best = next;
    } else {
        journal_free(next);
    }
    return 0;
}

/* A format without an order of parameters takes that of the spec. */
static int read_for(struct journal **out, const char *path, const struct spec *spec, struct err *err)
{
    const char **names = calloc(spec->parameter_count + 1, sizeof *names);
    int rc;

    if (!names)
        return err_memory(err);
    for (size_t p = 0; p < spec->parameter_count; p++)
        names[p] = spec->parameters[p].name;
    rc = journal_read_ordered(out, path, names, spec->parameter_count, err);
    free(names);
    return rc;
}

/* Opens one file of the folder and keeps it if it fits. */
static int consider(struct journal **best, const char *path, const struct spec *spec, size_t problem,
                    const char *device, struct err *err)
{
    struct journal *journal;
    struct metadata metadata;
    struct err misfit = {0};
    int rc = read_for(&journal, path, spec, err);

    if (rc)
        return rc;
    metadata_read(&metadata, journal);
    if (metadata_check(journal, spec, problem, &misfit) ||
        (device && !environment_same_name(device, metadata.device_name))) {
        journal_free(journal);
        return 0;
    }
    return choose(best, journal, err);
}

static int search_folder(struct journal **best, const char *folder, const struct spec *spec, size_t problem,
                         const char *device, struct err *err)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_journal, alphasort);
    char path[4096 + NAME_MAX + 2];
    int i, rc = 0;

    for (i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (!rc)
            rc = consider(best, path, spec, problem, device, err);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

/* A file that does not name its device answers for any. */
static int check_device(const struct journal *journal, const char *device, struct err *err)
{
    struct metadata metadata;

    metadata_read(&metadata, journal);
    if (!device || !metadata.device_named || environment_same_name(device, metadata.device_name))
        return 0;
    return err_set(err, ERR_USAGE,
                   "%s: was recorded on %s, not on %s: name that device, or another recording",
                   journal_path(journal), metadata.device_name, device);
}

int recording_open(struct journal **out, const char *path, const struct spec *spec, size_t problem,
                   const char *device, struct err *err)
{
    char folder[4096], sizes[256];
    int rc;

    *out = NULL;
    if (path) {
        rc = read_for(out, path, spec, err);
        if (!rc)
            rc = metadata_check(*out, spec, problem, err);
        if (!rc)
            rc = check_device(*out, device, err);
    } else {
        snprintf(folder, sizeof folder, "%srecorded", spec->directory);
        rc = search_folder(out, folder, spec, problem, device, err);
        spec_problem_text(sizes, sizeof sizes, spec, problem);
        if (!rc && !*out)
            rc = err_set(err, ERR_MISSING,
                         "there is no recording of kernel %s%s%s%s%s in %s: name one with --recorded, tune "
                         "on a machine with a GPU, or let `occutune predict` rank the configurations "
                         "without either",
                         spec->kernel.name, *sizes ? " with " : "", sizes, device ? " on " : "",
                         device ? device : "", folder);
    }
    if (rc) {
        journal_free(*out);
        *out = NULL;
    }
    return rc;
}

const struct record *recording_timed(const struct journal *journal, const struct record *record)
{
    record = record ? journal_measured(journal, record) : NULL;
    return record && record->outcome == OUTCOME_OK && record->time_s > 0 ? record : NULL;
}
