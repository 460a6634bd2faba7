#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_directory(const char *path)
{
    struct stat status;

    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

FILE *file_open(const char *path, struct err *err)
{
    FILE *file = is_directory(path) ? NULL : fopen(path, "rbe");

    if (file)
        return file;
    if (is_directory(path))
        errno = EISDIR;
    err_set(err, errno == ENOENT || errno == ENOTDIR || errno == EISDIR ? ERR_USAGE : ERR_SYSTEM,
            "%s: cannot be read: %s", path, strerror(errno));
    return NULL;
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
    folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (!folder)
        return err_memory(err);
    failed = access(folder, W_OK) ? errno : 0;
    free(folder);
    return failed ? err_set(err, ERR_USAGE, "%s: cannot be written: %s", path, strerror(failed)) : 0;
}
