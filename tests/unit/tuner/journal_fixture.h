/* A file for a journal, made for each test and removed after it. */
#ifndef JOURNAL_FIXTURE_H
#define JOURNAL_FIXTURE_H

#include "check.h"

#include "tuner/journal/journal.h"

#include <unistd.h>

static char path[64];

static int setup(void **state)
{
    int file;

    (void)state;
    snprintf(path, sizeof path, "journal-test-XXXXXX");
    file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static struct journal *read_ok(void)
{
    struct journal *journal;
    struct err err = {0};

    if (journal_read(&journal, path, &err))
        fail_msg("%s", err.text);
    return journal;
}

#endif
