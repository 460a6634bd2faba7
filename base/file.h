/* Opening and writing the files that a user names. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens a regular file to read its bytes; the caller closes it. Null and "PATH: cannot be read: REASON" when
 * that is not possible: ERR_USAGE where no such file is there or something else stands in its place (of a
 * pipe, opening or reading would wait, maybe for ever), else ERR_SYSTEM. */
FILE *file_open(const char *path, struct err *err);

/* No file that is read whole is larger. */
#define FILE_BYTES_MOST ((size_t)1 << 28)

/* Reads a file whole; `*text` is the caller's to free and ends with a zero that `*size` does not count.
 * file_open's errors; ERR_USAGE for one of FILE_BYTES_MOST or more. */
int file_read(char **text, size_t *size, const char *path, struct err *err);

/* Likewise with a limit of its own, a whole number of MiB. */
int file_read_most(char **text, size_t *size, const char *path, size_t most, struct err *err);

/* Closes a stream of open_memstream(). ERR_MEMORY, and null in *text, where any of it could not be kept: the
 * stream goes on after that, and fclose() alone does not tell. */
int file_close_memory(FILE *stream, char **text, struct err *err);

/* Whether a file of this name can be written when the time comes: 0, or ERR_USAGE and "PATH: cannot be
 * written: REASON" when the name is empty or a directory's, or its directory is missing or closed. */
int file_check_writable(const char *path, struct err *err);

/* Whether two names are of one regular file, or of the same one that is not there yet ("x", "./x"). */
bool file_same(const char *a, const char *b);

/* A new file beside `path` that is to take its name by rename(): open for reading and writing, with the mode
 * of what has the name now. Nothing that was planted under a guessed name is opened. -1, and the reason in
 * errno. */
int file_temporary(char out[PATH_MAX], const char *path);

/* Brings to the disk which names the folder of `path` holds, as after a rename(). -1, and the reason in
 * errno. */
int file_sync_folder(const char *path);

/* Writes a file all or nothing: beside it, to the disk, and only then under its name. Its mode stays. A
 * symbolic link stays one, also where its file is not there yet. What is no regular file (a pipe,
 * /dev/stdout) is written to as it stands. "PATH: cannot be written: REASON": ERR_USAGE where no file can
 * have that name or it is not allowed, else ERR_SYSTEM. */
int file_write(const char *path, const void *bytes, size_t length, struct err *err);

#endif
