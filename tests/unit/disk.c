#include "disk.h"

#include "check.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

static char notes[4096];
static size_t noted;
static int countdown = -1;
static bool struck;
static enum disk_fault planned;
static double ahead_s;

ssize_t __real_write(int file, const void *bytes, size_t count);
ssize_t __real_pwrite(int file, const void *bytes, size_t count, off_t at);
int __real_fsync(int file);
int __real_fdatasync(int file);
int __real_ftruncate(int file, off_t length);
int __real_rename(const char *from, const char *to);
int __real_link(const char *from, const char *to);
int __real_clock_gettime(clockid_t clock, struct timespec *out);
ssize_t __wrap_write(int file, const void *bytes, size_t count);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t count, off_t at);
int __wrap_fsync(int file);
int __wrap_fdatasync(int file);
int __wrap_ftruncate(int file, off_t length);
int __wrap_rename(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);

void disk_start(int nth, enum disk_fault fault)
{
    memset(notes, 0, sizeof notes);
    noted = 0;
    countdown = nth;
    struck = false;
    planned = fault;
}

const char *disk_log(void)
{
    return notes;
}

void disk_pass(double seconds)
{
    ahead_s += seconds;
}

/* Notes the call; true where it is the one to fail. */
static bool meets(char what)
{
    const bool now = countdown >= 0 && countdown-- == 0;

    if (noted + 1 < sizeof notes)
        notes[noted++] = what;
    struck |= now;
    return now;
}

/* How much of a write is let through; -1 and errno where it fails. */
static ssize_t allowed(size_t count)
{
    static bool half_given;
    const bool now = meets('w');

    if (now)
        half_given = false;
    if (!struck)
        return (ssize_t)count;
    if (planned == DISK_SHORT)
        return (ssize_t)(count > 1 ? count / 2 : count);
    if (planned == DISK_FULL && !half_given && count > 1) {
        half_given = true;
        return (ssize_t)(count / 2);
    }
    if (planned != DISK_FULL && !now)
        return (ssize_t)count;
    errno = planned == DISK_FULL ? ENOSPC : planned == DISK_EINTR ? EINTR : EIO;
    return -1;
}

static bool fails(char what)
{
    if (!meets(what) || planned != DISK_EIO)
        return false;
    errno = EIO;
    return true;
}

ssize_t __wrap_write(int file, const void *bytes, size_t count)
{
    const ssize_t n = allowed(count);

    return n < 0 ? n : __real_write(file, bytes, (size_t)n);
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t count, off_t at)
{
    const ssize_t n = allowed(count);

    return n < 0 ? n : __real_pwrite(file, bytes, (size_t)n, at);
}

int __wrap_fsync(int file)
{
    struct stat status;
    const bool folder = !fstat(file, &status) && S_ISDIR(status.st_mode);

    return fails(folder ? 'S' : 's') ? -1 : __real_fsync(file);
}

int __wrap_fdatasync(int file)
{
    return fails('d') ? -1 : __real_fdatasync(file);
}

int __wrap_ftruncate(int file, off_t length)
{
    return fails('t') ? -1 : __real_ftruncate(file, length);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails('r') ? -1 : __real_rename(from, to);
}

int __wrap_link(const char *from, const char *to)
{
    return fails('l') ? -1 : __real_link(from, to);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    const int rc = __real_clock_gettime(clock, out);

    if (clock == CLOCK_MONOTONIC)
        out->tv_sec += (time_t)ahead_s;
    return rc;
}
