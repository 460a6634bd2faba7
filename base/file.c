#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_directory(const char *path)
{
    struct stat status;

    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* What must not be replaced by a file: a device, a pipe, or a name of something that is open already. */
static bool is_special(const char *path)
{
    struct stat status;

    return !stat(path, &status) && (!S_ISREG(status.st_mode) || !strncmp(path, "/dev/", strlen("/dev/")));
}

/* Reasons that another name would not have. */
static bool is_the_names(int reason)
{
    return reason == ENOENT || reason == ENOTDIR || reason == EISDIR || reason == EACCES || reason == EROFS ||
           reason == ENAMETOOLONG || reason == ELOOP;
}

FILE *file_open(const char *path, struct err *err)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* of a pipe it would wait */
    FILE *file = NULL;
    struct stat status;
    int reason = errno;

    if (descriptor >= 0 && !fstat(descriptor, &status) && !S_ISREG(status.st_mode)) {
        if (S_ISDIR(status.st_mode))
            err_set(err, ERR_USAGE, "%s: cannot be read: %s", path, strerror(EISDIR));
        else
            err_set(err, ERR_USAGE, "%s: cannot be read: it is no regular file", path);
    } else if (descriptor >= 0) {
        file = fdopen(descriptor, "rb");
        reason = errno;
    }
    if (file)
        return file;
    if (descriptor >= 0)
        close(descriptor);
    if (reason == ENOMEM)
        err_memory(err);
    err_set(err, is_the_names(reason) ? ERR_USAGE : ERR_SYSTEM, "%s: cannot be read: %s", path,
            strerror(reason));
    return NULL;
}

int file_read(char **text, size_t *size, const char *path, struct err *err)
{
    return file_read_most(text, size, path, FILE_BYTES_MOST, err);
}

int file_read_most(char **text, size_t *size, const char *path, size_t most, struct err *err)
{
    FILE *file = file_open(path, err);
    char *buffer = NULL, *larger;
    size_t capacity = 0, used = 0;
    int rc = file ? 0 : err ? err->code : ERR_USAGE;

    *text = NULL;
    *size = 0;
    if (rc)
        return rc;
    do {
        capacity = capacity ? 2 * capacity : 1 << 14;
        capacity = capacity < most + 2 ? capacity : most + 2; /* with the zero, and one byte too many */
        larger = realloc(buffer, capacity);
        if (!larger) {
            rc = err_memory(err);
            break;
        }
        buffer = larger;
        used += fread(buffer + used, 1, capacity - 1 - used, file);
    } while (used == capacity - 1 && used <= most);
    if (!rc && ferror(file))
        rc = err_set(err, ERR_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    else if (!rc && used > most)
        rc = err_set(err, ERR_USAGE, "%s: cannot be read: it is larger than %zu MiB", path, most >> 20);
    fclose(file);
    if (rc) {
        free(buffer);
        return rc;
    }
    buffer[used] = '\0';
    *text = buffer;
    *size = used;
    return 0;
}

int file_close_memory(FILE *stream, char **text, struct err *err)
{
    const bool failed = ferror(stream);

    if (!fclose(stream) && !failed && *text)
        return 0;
    free(*text);
    *text = NULL;
    return err_memory(err);
}

int file_check_writable(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    char *folder;
    int failed;

    if (!*path)
        return err_set(err, ERR_USAGE, "the name of the file is empty");
    if (is_directory(path))
        return err_set(err, ERR_USAGE, "%s: cannot be written: %s", path, strerror(EISDIR));
    if (is_special(path))
        return access(path, W_OK)
                   ? err_set(err, ERR_USAGE, "%s: cannot be written: %s", path, strerror(errno))
                   : 0;
    folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (!folder)
        return err_memory(err);
    failed = access(folder, W_OK) ? errno : 0;
    free(folder);
    return failed ? err_set(err, ERR_USAGE, "%s: cannot be written: %s", path, strerror(failed)) : 0;
}

static bool same_folder(const char *a, size_t a_length, const char *b, size_t b_length)
{
    char *name_a = a_length ? strndup(a, a_length) : strdup(".");
    char *name_b = b_length ? strndup(b, b_length) : strdup(".");
    struct stat status_a, status_b;
    const bool same = name_a && name_b && !stat(name_a, &status_a) && !stat(name_b, &status_b) &&
                      status_a.st_dev == status_b.st_dev && status_a.st_ino == status_b.st_ino;

    free(name_a);
    free(name_b);
    return same;
}

/* The same name in the same folder. */
static bool same_place(const char *a, const char *b)
{
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    const size_t folder_a = slash_a ? (size_t)(slash_a - a) + 1 : 0;
    const size_t folder_b = slash_b ? (size_t)(slash_b - b) + 1 : 0;

    return !strcmp(a, b) || (!strcmp(a + folder_a, b + folder_b) && same_folder(a, folder_a, b, folder_b));
}

bool file_same(const char *a, const char *b)
{
    struct stat status_a, status_b;

    if (stat(a, &status_a) || stat(b, &status_b))
        return same_place(a, b);
    return S_ISREG(status_a.st_mode) && status_a.st_dev == status_b.st_dev &&
           status_a.st_ino == status_b.st_ino;
}

static int write_all(int file, const char *bytes, size_t length)
{
    ssize_t n;

    while (length > 0) {
        n = write(file, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return -1;
        bytes += n;
        length -= (size_t)n;
    }
    return 0;
}

static int write_direct(const char *path, const void *bytes, size_t length)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    int failed = file < 0 || write_all(file, bytes, length);

    if (file >= 0)
        failed |= close(file);
    return failed;
}

int file_temporary(char out[PATH_MAX], const char *path)
{
    enum { TRIES = 100 };
    struct stat status;
    uint64_t word;
    int tries, file = -1;

    for (tries = 0; tries < TRIES && file < 0; tries++) {
        if (getrandom(&word, sizeof word, 0) != sizeof word)
            return -1;
        if (snprintf(out, PATH_MAX, "%s.%08x.tmp", path, (unsigned)word) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        file = open(out, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    if (file >= 0 && !stat(path, &status) && fchmod(file, status.st_mode & 07777)) {
        close(file);
        unlink(out);
        return -1;
    }
    return file;
}

int file_sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    /* a folder that may be written to and not read, or a file system that has nothing to sync, is no failure */
    int failed = file >= 0 && fsync(file) && errno != EINVAL && errno != EROFS && errno != EBADF;

    if (file >= 0)
        close(file);
    free(folder);
    return failed ? -1 : 0;
}

/* The reason of a failure is in errno. */
static int replace(const char *path, const void *bytes, size_t length)
{
    char temporary[PATH_MAX];
    const int file = file_temporary(temporary, path);
    int failed, reason;

    if (file < 0)
        return -1;
    failed = write_all(file, bytes, length) || fsync(file);
    reason = errno;
    if (close(file) && !failed) {
        failed = -1;
        reason = errno;
    }
    if (!failed && !rename(temporary, path))
        return file_sync_folder(path);
    if (!failed)
        reason = errno;
    unlink(temporary);
    errno = reason;
    return -1;
}

/* The file that a name leads to. Where a symbolic link leads to none yet, an empty one is made, so that it is
 * not the link that is replaced. Null, and the reason in errno, when that is not possible. */
static const char *follow(char target[PATH_MAX], const char *path)
{
    struct stat status;
    int file;

    if (realpath(path, target))
        return target;
    if (lstat(path, &status) || !S_ISLNK(status.st_mode))
        return path;
    file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    return file < 0 || close(file) ? NULL : realpath(path, target);
}

int file_write(const char *path, const void *bytes, size_t length, struct err *err)
{
    char target[PATH_MAX];
    const char *name = is_special(path) ? NULL : follow(target, path);
    int failed;

    if (is_special(path))
        failed = write_direct(path, bytes, length);
    else
        failed = !name || replace(name, bytes, length);
    return failed ? err_set(err, is_the_names(errno) ? ERR_USAGE : ERR_SYSTEM, "%s: cannot be written: %s",
                            path, strerror(errno))
                  : 0;
}
