/* A journal as a file: what reading and writing it share. Nobody else includes this. */
#ifndef TUNER_JOURNAL_JOURNAL_FILE_H
#define TUNER_JOURNAL_JOURNAL_FILE_H

#include "base/json_line.h"
#include "tuner/journal/journal.h"
#include "tuner/journal/records.h"
#include "tuner/journal/scan.h"

#include <limits.h>
#include <sys/types.h>

/* Stretches of the file's text. */
struct spans {
    struct span *items;
    size_t count, capacity;
};

struct journal {
    char *path;
    struct json *head; /* the top level without "cache" */
    struct records records;
    struct js_line line; /* of the record that is being written */
    size_t end;          /* bytes that hold the head and complete records */
    bool comma;          /* the last of them is the comma behind a record */
    bool compressed;     /* the file is gzip */
    bool created;        /* by us: without a record it is removed again */
    size_t cut_bytes;
    size_t damaged;         /* records that are not whole, */
    struct err damage;      /* and why the first is not */
    struct err head_damage; /* what beside the records is damaged; code 0: nothing */
    const char *text;       /* while it is parsed: the file's */
    bool opening;           /* to go on in it: what is damaged is stepped over, and these are noted: */
    struct spans members;   /* of the top level but "cache" and "not_timed", */
    struct spans kept;      /* whole records, */
    bool has_cache,
        beside; /* whether there is a "cache", and what stands behind it that is not "not_timed", be it another "cache", */
    bool loose;                    /* commas are missing */
    bool leftover;                 /* and text behind it all that is nothing known */
    bool begun;                    /* anew, as what stood there was no journal */
    char aside[PATH_MAX];          /* where the file is kept that could not be gone on in; "" none */
    char news[2 * PATH_MAX + 128]; /* what happened to the file during the run; "" nothing */
    size_t left_out;               /* another tool's records that tell nothing, */
    struct err left_out_reason;    /* and why the first does not */
    const char *const *names;      /* of the parameters, for a format that has no order of them; null: any, */
    size_t name_count;             /* and how many */
    int file;                      /* -1 when reading only */
    bool identified;               /* which one it is: */
    dev_t device;
    ino_t inode;
    double looked_s; /* when it was last looked whether the name is its own */
    double synced_s;
};

/* Writing, where it stands in the file: journal_store.c. */

/* Opens and locks the file, which is made if there is none. */
int journal_lock(struct journal *journal, struct err *err);

/* Whether the name is still, or again, that of the open file. */
bool journal_is_in_place(struct journal *journal);

/* Where the file was removed during the run, or another took its name, which is not ours to overwrite: all
 * that was written is put under the name again, or under a free one beside it, and journal->news says so. */
int journal_find_again(struct journal *journal, struct err *err);

/* Writes behind the complete records, all or nothing; into the file that has the name, see
 * journal_find_again(). */
int journal_put(struct journal *journal, const char *text, size_t length, struct err *err);

/* To the disk: once a second, or now. */
int journal_sync(struct journal *journal, bool now, struct err *err);

/* The head without its closing brace, and the opening of the cache; the caller frees it. Null when memory
 * ends. */
char *journal_head_text(const struct json *head);

/* Begins the file anew, all or nothing: `texts` one behind the other. What has the name now is kept under the
 * name journal->aside where `aside`. The file stays open and locked. */
int journal_renew(struct journal *journal, const struct span *texts, size_t count, bool aside,
                  struct err *err);

/* Goes on in the file that holds `text`, for a run whose head is `head`: journal_resume.c. */
int journal_resume(struct journal *journal, const char *text, size_t length, const struct json *head,
                   struct err *err);

/* The whole file as text with a zero behind it; gzip is undone on the way. */
int journal_text(char **out, size_t *length, bool *compressed, const char *path, struct err *err);

/* Counts another tool's record that tells neither a time nor a known error. */
void journal_leave_out(struct journal *journal, const struct err *why);

/* Makes records of the head's "results", a list in the T4 format. */
int journal_take_t4(struct journal *journal, struct err *err);

/* Takes over what the text holds, up to where it ends. */
int journal_parse(struct journal *journal, const char *text, size_t length, struct err *err);

#endif
