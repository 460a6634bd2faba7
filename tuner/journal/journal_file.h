/* A journal as a file: what reading and writing it share. Nobody else includes this. */
#ifndef TUNER_JOURNAL_JOURNAL_FILE_H
#define TUNER_JOURNAL_JOURNAL_FILE_H

#include "tuner/journal/journal.h"
#include "tuner/journal/records.h"

struct journal {
    char *path;
    struct json *head; /* the top level without "cache" */
    struct records records;
    size_t end;      /* bytes that hold the head and complete records */
    bool compressed; /* the file is gzip */
    bool created;    /* by us: without a record it is removed again */
    size_t cut_bytes;
    size_t left_out;            /* another tool's records that tell nothing, */
    struct err left_out_reason; /* and why the first does not */
    int file;                   /* -1 when reading only */
    double synced_s;
};

/* The whole file as text with a zero behind it; gzip is undone on the way. */
int journal_text(char **out, size_t *length, bool *compressed, const char *path, struct err *err);

/* Counts another tool's record that tells neither a time nor a known error. */
void journal_leave_out(struct journal *journal, const struct err *why);

/* Makes records of the head's "results", a list in the T4 format. */
int journal_take_t4(struct journal *journal, struct err *err);

/* Takes over what the text holds, up to where it ends. */
int journal_parse(struct journal *journal, const char *text, size_t length, struct err *err);

#endif
