/* A file for a journal, made for each test and removed after it. */
#ifndef JOURNAL_FIXTURE_H
#define JOURNAL_FIXTURE_H

#include "check.h"

#include "tuner/journal/journal.h"

#include <glob.h>
#include <unistd.h>

static char path[64];

static inline int setup(void **state)
{
    int file;

    snprintf(path, sizeof path, "%sjournal-test-XXXXXX",
             access("/dev/shm", W_OK) ? "" : "/dev/shm/"); /* where syncing takes no time */
    file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    return 0;
}

/* With what was made beside it. */
static inline int teardown(void **state)
{
    char pattern[80];
    glob_t found;
    size_t i;

    unlink(path);
    snprintf(pattern, sizeof pattern, "%s.*", path);
    if (!glob(pattern, 0, NULL, &found))
        for (i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
    globfree(&found);
    return 0;
}

static inline void write_text(const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static inline struct journal *read_ok(void)
{
    struct journal *journal;
    struct err err = {0};

    check_ok(journal_read(&journal, path, &err), &err);
    return journal;
}

#endif
