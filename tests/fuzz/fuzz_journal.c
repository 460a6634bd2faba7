/* Reads any bytes as a journal; what was read can be found again and copied. */
#include "fuzz.h"

#include "tuner/journal/metadata.h"
#include "tuner/journal/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_records(const struct journal *journal)
{
    struct record copy;

    for (size_t i = 0; i < journal_count(journal); i++) {
        if (journal_find(journal, journal_record(journal, i)->key) != journal_record(journal, i))
            abort();
        if (!record_copy(&copy, journal_record(journal, i), NULL))
            record_release(&copy);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const int file = memfd_create("journal", 0);
    struct journal *journal;
    struct metadata metadata;
    struct err err = {0};
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    if (journal_read(&journal, path, &err)) {
        if (!err.code || journal)
            abort();
    } else {
        metadata_read(&metadata, journal);
        check_records(journal);
        journal_free(journal);
    }
    close(file);
    return 0;
}
