#include "tuner/cli/jobs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* False: it is not there, or is another's, who could show anything. */
static bool find_folder(char out[192], bool make)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
    const char *base = runtime && *runtime == '/'       ? runtime
                       : temporary && *temporary == '/' ? temporary
                                                        : "/tmp";
    struct stat status;

    if (snprintf(out, 192, "%s/occutune-jobs-%u", base, (unsigned)geteuid()) >= 192)
        return false;
    if (make)
        mkdir(out, 0700);
    return !lstat(out, &status) && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           !(status.st_mode & 077);
}

void job_file_open(struct job_file *out)
{
    char folder[192];

    *out = (struct job_file){.fd = -1};
    if (!find_folder(folder, true))
        return;
    snprintf(out->path, sizeof out->path, "%s/%d", folder, (int)getpid());
    out->fd = open(out->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (out->fd >= 0)
        flock(out->fd, LOCK_EX | LOCK_NB);
}

void job_file_write(const struct job_file *file, const char *text, size_t size)
{
    if (file->fd >= 0 && pwrite(file->fd, text, size, 0) == (ssize_t)size && ftruncate(file->fd, (off_t)size))
        return; /* what is there is older */
}

void job_file_close(struct job_file *file)
{
    char folder[192];

    if (!*file->path || file->fd < 0)
        return;
    unlink(file->path);
    if (find_folder(folder, false))
        rmdir(folder); /* unless others are there */
    close(file->fd);
    file->fd = -1;
}

/* The file of a job that was killed is removed. */
static bool print_job(FILE *out, const char *folder, const char *name)
{
    char path[512], text[65536];
    ssize_t n = 0;
    int fd;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    if (!flock(fd, LOCK_SH | LOCK_NB))
        unlink(path);
    else
        n = read(fd, text, sizeof text);
    close(fd);
    if (n <= 0)
        return false;
    fprintf(out, "job %s: %.*s", name, (int)n, text);
    return true;
}

bool jobs_print(FILE *out)
{
    char folder[192];
    DIR *directory = find_folder(folder, false) ? opendir(folder) : NULL;
    const struct dirent *entry;
    bool any = false;

    while (directory && (entry = readdir(directory)))
        if (strspn(entry->d_name, "0123456789") == strlen(entry->d_name))
            any |= print_job(out, folder, entry->d_name);
    if (directory)
        closedir(directory);
    return any;
}
