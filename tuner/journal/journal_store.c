/* A journal's place on the disk: locked, appended to, synced, and found again when it was removed during the
 * run. */
#include "tuner/journal/journal_file.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A journal is read, cut and, while it holds nothing, removed: /dev/null would not survive that. */
static int check_regular(const char *path, struct err *err)
{
    struct stat status;

    if (stat(path, &status))
        return file_check_writable(path, err);
    if (S_ISREG(status.st_mode))
        return 0;
    return err_set(err, ERR_USAGE,
                   "%s: is no regular file, as a journal must be: name another with --journal", path);
}

/* Which file the open one is never changes: it is asked once. */
static void take_identity(struct journal *journal)
{
    struct stat own;

    journal->identified = !fstat(journal->file, &own);
    if (!journal->identified)
        return;
    journal->device = own.st_dev;
    journal->inode = own.st_ino;
}

bool journal_is_in_place(struct journal *journal)
{
    struct stat named;

    journal->looked_s = clock_wall_s();
    return journal->identified && !stat(journal->path, &named) && named.st_dev == journal->device &&
           named.st_ino == journal->inode;
}

static int fail_locked(const char *path, struct err *err)
{
    return err_set(err, ERR_USAGE,
                   "%s: another occutune is writing to it: wait for it, or name another file with "
                   "--journal",
                   path);
}

int journal_lock(struct journal *journal, struct err *err)
{
    enum { TRIES = 10 }; /* where another run renews the file between our opening and locking it */
    int tries, rc = check_regular(journal->path, err);

    for (tries = 0; !rc && tries < TRIES; tries++) {
        journal->file = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (journal->file < 0)
            return err_set(err, ERR_SYSTEM, "%s: cannot be opened for writing: %s", journal->path,
                           strerror(errno));
        if (flock(journal->file, LOCK_EX | LOCK_NB))
            return fail_locked(journal->path, err);
        take_identity(journal);
        if (journal_is_in_place(journal))
            return 0;
        close(journal->file);
        journal->file = -1;
    }
    return rc ? rc : fail_locked(journal->path, err);
}

static int fail_write(const char *path, int reason, struct err *err)
{
    return err_set(err, ERR_SYSTEM, "%s: cannot be written: %s", path, strerror(reason));
}

/* The reason of a failure is in errno. */
static int write_at(int file, const char *text, size_t length, size_t at)
{
    size_t done = 0;
    ssize_t n;

    while (done < length) {
        n = pwrite(file, text + done, length - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}

/* A copy of the texts under a temporary name, on the disk and locked; its descriptor, or -1 and the reason in
 * errno. */
static int write_copy(char temporary[PATH_MAX], const char *path, const struct span *texts, size_t count)
{
    const int file = file_temporary(temporary, path);
    size_t at = 0, i;
    int failed = file < 0, reason;

    for (i = 0; i < count && !failed; i++) {
        failed = write_at(file, texts[i].text, texts[i].length, at);
        at += texts[i].length;
    }
    if (!failed && !fsync(file) && !flock(file, LOCK_EX | LOCK_NB))
        return file;
    reason = errno;
    if (file >= 0) {
        unlink(temporary);
        close(file);
    }
    errno = reason;
    return -1;
}

/* Gives the file `from` a further name that nothing has yet: `path`, an end and, from 2 on, a number. */
static int link_free(char out[PATH_MAX], const char *from, const char *path, const char *end)
{
    for (unsigned n = 1; n < 10000; n++) {
        char number[16] = "";

        if (n > 1)
            snprintf(number, sizeof number, ".%u", n);
        if (snprintf(out, PATH_MAX, "%s%s%s", path, end, number) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (!link(from, out))
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static void take_file(struct journal *journal, int file, size_t end)
{
    close(journal->file);
    journal->file = file;
    journal->end = end;
    take_identity(journal);
    journal->synced_s = clock_wall_s();
}

int journal_renew(struct journal *journal, const struct span *texts, size_t count, bool aside,
                  struct err *err)
{
    char temporary[PATH_MAX];
    const int file = write_copy(temporary, journal->path, texts, count);
    size_t length = 0, i;
    int failed, reason;

    if (file < 0)
        return fail_write(journal->path, errno, err);
    failed = (aside && link_free(journal->aside, journal->path, journal->path, ".aside")) ||
             rename(temporary, journal->path) || file_sync_folder(journal->path);
    reason = errno;
    if (failed) {
        unlink(temporary);
        close(file);
        return fail_write(journal->path, reason, err);
    }
    for (i = 0; i < count; i++)
        length += texts[i].length;
    take_file(journal, file, length);
    return 0;
}

/* What the open file holds, which no longer has its name. */
static char *read_own(const struct journal *journal)
{
    char *text = malloc(journal->end + 1);
    size_t used = 0;
    ssize_t n = 1;

    while (text && used < journal->end && n > 0) {
        n = pread(journal->file, text + used, journal->end - used, (off_t)used);
        used += n > 0 ? (size_t)n : 0;
    }
    if (text && used == journal->end)
        return text;
    free(text);
    return NULL;
}

int journal_find_again(struct journal *journal, struct err *err)
{
    char temporary[PATH_MAX], place[PATH_MAX], *path;
    const bool taken = !access(journal->path, F_OK);
    struct span all = {read_own(journal), journal->end};
    int file = -1, failed;

    if (!all.text)
        return err_set(err, ERR_SYSTEM,
                       "%s: was %s during the run, and what was in it cannot be read any more", journal->path,
                       taken ? "replaced" : "removed");
    file = write_copy(temporary, journal->path, &all, 1);
    failed = file < 0 || link_free(place, temporary, journal->path, "");
    path = failed ? NULL : strdup(place);
    if (file >= 0)
        unlink(temporary);
    free((char *)all.text);
    if (!path) {
        err_set(err, ERR_SYSTEM, "%s: was %s during the run and cannot be written again: %s", journal->path,
                taken ? "replaced" : "removed", strerror(errno));
        if (file >= 0)
            close(file);
        return ERR_SYSTEM;
    }
    snprintf(journal->news, sizeof journal->news, "%s: was %s during the run; all of the journal is in %s",
             journal->path, taken ? "replaced" : "removed", path);
    take_file(journal, file, all.length);
    free(journal->path);
    journal->path = path;
    return 0;
}

/* A file that lost its name takes the record all the same, and is written again with it: one look suffices. */
int journal_put(struct journal *journal, const char *text, size_t length, struct err *err)
{
    if (write_at(journal->file, text, length, journal->end)) {
        fail_write(journal->path, errno, err);
        if (ftruncate(journal->file, (off_t)journal->end))
            err_prefix(err, "cutting back failed too");
        return ERR_SYSTEM;
    }
    journal->end += length;
    return journal_is_in_place(journal) ? 0 : journal_find_again(journal, err);
}

int journal_sync(struct journal *journal, bool now, struct err *err)
{
    const double at = clock_wall_s();

    if (!now && at - journal->synced_s < 1)
        return 0;
    journal->synced_s = at;
    if (!fdatasync(journal->file) || errno == EINVAL || errno == EROFS) /* that has nothing to sync */
        return 0;
    return fail_write(journal->path, errno, err);
}
