/* Goes on in any bytes as in a journal: whatever a run finds there, no record that could be read is lost, a
 * file that is refused stays as it was, and a record that is appended is there afterwards. */
#include "fuzz.h"

#include "base/file.h"
#include "tuner/journal/journal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], path[128];
static struct json *head, *parameters;

static void empty_folder(void)
{
    DIR *listing = opendir(folder);
    char name[400];

    for (struct dirent *entry; listing && (entry = readdir(listing));)
        if (*entry->d_name != '.') {
            snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
            unlink(name);
        }
    if (listing)
        closedir(listing);
}

static void tear_down(void)
{
    empty_folder();
    rmdir(folder);
    js_free(head);
    js_free(parameters);
}

static void set_up(void)
{
    static const char text[] = "{\"device_name\":\"A\",\"kernel_name\":\"k\",\"problem_size\":{\"N\":1},"
                               "\"tune_params_keys\":[\"a\"],\"tune_params\":{\"a\":[1,2]}}",
                      one[] = "{\"a\":2}";

    snprintf(folder, sizeof folder, "%s/fuzz-resume-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(folder) || js_read_text(&head, text, sizeof text - 1, "head", NULL) ||
        js_read_text(&parameters, one, sizeof one - 1, "parameters", NULL))
        abort();
    snprintf(path, sizeof path, "%s/journal.json", folder);
    atexit(tear_down);
}

/* All of `before` is in `after`, with its outcome; the one appended may have replaced its key's. */
static bool has_all(const struct journal *after, const struct journal *before)
{
    for (size_t i = 0; i < journal_count(before); i++) {
        const struct record *record = journal_record(before, i), *found = journal_find(after, record->key);

        if (!found || (found->outcome != record->outcome && strcmp(record->key, "a=2")))
            return false;
    }
    return true;
}

static bool holds(const char *file, const uint8_t *bytes, size_t size)
{
    size_t length;
    char *text;
    bool same;

    if (file_read(&text, &length, file, NULL))
        return false;
    same = length == size && (!size || !memcmp(text, bytes, size));
    free(text);
    return same;
}

/* Whether a file beside the journal is the one that was found. */
static bool kept_aside(const uint8_t *bytes, size_t size)
{
    DIR *listing = opendir(folder);
    bool found = false;
    char name[400];

    for (struct dirent *entry; listing && !found && (entry = readdir(listing));) {
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        found = *entry->d_name != '.' && strcmp(name, path) != 0 && holds(name, bytes, size);
    }
    if (listing)
        closedir(listing);
    return found;
}

static void append_one(struct journal *journal)
{
    static char name[] = "a=2";
    struct record record;

    record_init(&record);
    record.key = name;
    record.outcome = OUTCOME_OK;
    record.time_s = 1e-3;
    if (journal_append(journal, &record, parameters, NULL) || journal_close(journal, NULL, NULL))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct journal *before = NULL, *journal, *after;
    struct err err = {0};
    FILE *file;

    if (!*folder)
        set_up();
    file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        abort();
    if (journal_read(&before, path, NULL))
        before = NULL;
    if (journal_open(&journal, path, head, &err)) {
        if (!holds(path, bytes, size))
            abort();
    } else {
        append_one(journal);
        if (journal_read(&after, path, NULL) || !journal_find(after, "a=2"))
            abort();
        if (before && !has_all(after, before) && !kept_aside(bytes, size))
            abort();
        journal_free(after);
    }
    journal_free(before);
    empty_folder();
    return 0;
}
