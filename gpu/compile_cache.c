#include "gpu/compile_cache.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* An entry is three parts: a line with the hash of all that follows, a line of JSON, the cubin; or, with the other
 * magic, the cubin compressed. */
#define MAGIC        "occutune-cubin-2 "
#define MAGIC_PACKED "occutune-cubin-3 "
enum { FIRST_LINE = sizeof MAGIC - 1 + 16 + 1 };

static void first_line(char out[FIRST_LINE + 1], bool packed, const void *rest, size_t size)
{
    char hex[17];

    hash_hex(hex, packed ? key_bytes(rest, size).low : hash_bytes(HASH_START, rest, size));
    snprintf(out, FIRST_LINE + 1, "%s%s\n", packed ? MAGIC_PACKED : MAGIC, hex);
}

static int entry_path(char out[PATH_MAX], const char *directory, struct key key)
{
    char name[33];
    int n;

    key_hex(name, key);
    n = snprintf(out, PATH_MAX, "%s/%s.cubin", directory, name);
    return n < PATH_MAX ? 0 : -1;
}

void compile_cache_make(const char *directory)
{
    char path[PATH_MAX], *slash;

    if (snprintf(path, sizeof path, "%s", directory) >= PATH_MAX)
        return;
    for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    mkdir(path, 0777);
}

bool compile_cache_is_foreign(const char *directory)
{
    struct stat status;

    return !stat(directory, &status) && status.st_uid != geteuid();
}

/* Whether the entry says that it is of `key`, and of so many bytes. */
static bool is_of(const struct js_at *root, struct key key, size_t bytes)
{
    char wanted[33];
    const char *found;
    struct js_at at;
    uint64_t count;

    key_hex(wanted, key);
    return !js_member(&at, root, "key", NULL) && !js_string(&found, &at, NULL) && !strcmp(found, wanted) &&
           !js_member(&at, root, "bytes", NULL) && !js_unsigned(&count, &at, NULL) && count == bytes;
}

static int read_head(struct compile_result *out, const struct js_at *root)
{
    const char *outcome, *entry, *diagnostic;
    struct js_at at;

    if (js_member(&at, root, "outcome", NULL) || js_string(&outcome, &at, NULL) ||
        js_member(&at, root, "compile_s", NULL) || js_real(&out->compile_s, &at, NULL))
        return -1;
    if (compile_take_outcome(out, outcome))
        return -1;
    if (js_find(&at, root, "entry")) {
        if (js_string(&entry, &at, NULL) || !(out->entry = strdup(entry)))
            return -1;
    }
    if (js_find(&at, root, "diagnostic")) {
        if (js_string(&diagnostic, &at, NULL) || !(out->diagnostic = strdup(diagnostic)))
            return -1;
    }
    return 0;
}

int compile_take_outcome(struct compile_result *out, const char *text)
{
    const int outcome = outcome_parse(text);

    if (outcome != OUTCOME_OK && outcome != OUTCOME_COMPILE)
        return ERR_FORMAT;
    out->outcome = (enum outcome)outcome;
    return 0;
}

int compile_take_payload(struct compile_result *out, void *bytes, size_t count)
{
    if (out->outcome == OUTCOME_OK && count) {
        out->cubin = bytes;
        out->cubin_bytes = count;
        return 0;
    }
    if (out->outcome != OUTCOME_OK && count && !((const char *)bytes)[count - 1]) {
        out->log = bytes;
        return 0;
    }
    free(bytes);
    return out->outcome == OUTCOME_OK || count ? ERR_FORMAT : 0;
}

/* Compressed code with what unpacks it. */
static int take_packed(struct compile_result *out, const struct js_at *root, void *bytes, size_t count)
{
    const char *hex;
    struct js_at at;
    uint64_t plain;

    out->packed = bytes;
    out->packed_bytes = count;
    if (out->outcome != OUTCOME_OK || js_member(&at, root, "plain", NULL) || js_unsigned(&plain, &at, NULL) ||
        js_member(&at, root, "content", NULL) || js_string(&hex, &at, NULL) ||
        !key_from_hex(&out->content, hex))
        return -1;
    out->cubin_bytes = plain;
    return compile_result_unpack(out, NULL);
}

/* `text` is everything after the first line. */
static int parse_entry(struct compile_result *out, struct key key, bool packed, const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    size_t rest = end ? size - (size_t)(end + 1 - text) : 0;
    void *payload;
    struct json *head;
    struct js_at root;
    int rc;

    if (!end || js_read_text(&head, text, (size_t)(end - text), "cache", NULL))
        return -1;
    root = js_root(head, "cache");
    rc = is_of(&root, key, rest) ? read_head(out, &root) : -1;
    payload = rc ? NULL : malloc(rest + 1);
    if (payload) {
        memcpy(payload, end + 1, rest);
        rc = packed ? take_packed(out, &root, payload, rest) : compile_take_payload(out, payload, rest);
    }
    js_free(head);
    return payload ? rc : -1;
}

bool compile_cache_read(struct compile_result *out, const char *directory, struct key key)
{
    char path[PATH_MAX], first[FIRST_LINE + 1], *text;
    size_t size;
    bool good, packed;

    memset(out, 0, sizeof *out);
    if (entry_path(path, directory, key) || file_read(&text, &size, path, NULL))
        return false;
    good = size > FIRST_LINE;
    if (good) {
        packed = !memcmp(text, MAGIC_PACKED, sizeof MAGIC_PACKED - 1);
        first_line(first, packed, text + FIRST_LINE, size - FIRST_LINE);
        good = !memcmp(first, text, FIRST_LINE) &&
               !parse_entry(out, key, packed, text + FIRST_LINE, size - FIRST_LINE);
    }
    free(text);
    if (good) {
        utimensat(AT_FDCWD, path, NULL, 0); /* used now: see compile_cache_trim */
    } else {
        compile_result_release(out);
        unlink(path);
    }
    out->cached = good;
    return good;
}

static const void *payload_of(size_t *count, const struct compile_result *result)
{
    if (result->packed) {
        *count = result->packed_bytes;
        return result->packed;
    }
    *count = result->cubin ? result->cubin_bytes : result->log ? strlen(result->log) + 1 : 0;
    return result->cubin ? (const void *)result->cubin : result->log;
}

static int set_packed(struct json *head, const struct compile_result *result)
{
    char hex[33];

    if (!result->packed)
        return 0;
    key_hex(hex, result->content);
    return js_set_integer(head, "plain", (int64_t)result->cubin_bytes) || js_set_string(head, "content", hex);
}

static char *head_text(const struct compile_result *result, struct key key)
{
    struct json *head = js_new_object();
    char *text = NULL, hex[33];
    size_t bytes;

    payload_of(&bytes, result);
    key_hex(hex, key);
    if (head && !js_set_string(head, "key", hex) && !js_set_integer(head, "bytes", (int64_t)bytes) &&
        !js_set_string(head, "outcome", outcome_text(result->outcome)) &&
        !js_set_real(head, "compile_s", result->compile_s) && !set_packed(head, result) &&
        (!result->entry || !js_set_string(head, "entry", result->entry)) &&
        (!result->diagnostic || !js_set_string(head, "diagnostic", result->diagnostic)))
        text = js_text(head, JS_LINE);
    js_free(head);
    return text;
}

static bool write_file(FILE *file, const char *head, const struct compile_result *result)
{
    size_t count, length = strlen(head);
    const void *payload = payload_of(&count, result);
    unsigned char *rest = malloc(length + 1 + count);
    char first[FIRST_LINE + 1];
    bool good;

    if (!rest)
        return false;
    memcpy(rest, head, length);
    rest[length] = '\n';
    if (count)
        memcpy(rest + length + 1, payload, count);
    length += 1 + count;
    first_line(first, result->packed, rest, length);
    good = fwrite(first, 1, FIRST_LINE, file) == FIRST_LINE && fwrite(rest, 1, length, file) == length;
    free(rest);
    return good;
}

void compile_cache_write(const struct compile_result *result, const char *directory, struct key key)
{
    char path[PATH_MAX], temporary[PATH_MAX], *head = head_text(result, key);
    int fd = -1;
    FILE *file;
    bool good;

    if (head && !entry_path(path, directory, key) &&
        snprintf(temporary, sizeof temporary, "%s/new-XXXXXX", directory) < PATH_MAX)
        fd = mkstemp(temporary);
    file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file) {
        good = write_file(file, head, result);
        good = !fclose(file) && good;
        if (!good || rename(temporary, path))
            unlink(temporary);
    } else if (fd >= 0) {
        close(fd);
        unlink(temporary);
    }
    free(head);
}

/* Size --------------------------------------------------------------------- */

enum { LEFT_BEHIND_S = 3600 };

struct entry {
    char name[40]; /* 32 digits, or 16 of versions before, and .cubin */
    struct timespec used;
    uint64_t bytes;
};

struct listing {
    struct entry *entries;
    size_t count, capacity;
    uint64_t bytes;
};

static bool add_entry(struct listing *listing, const char *name, const struct stat *status)
{
    struct entry *entry;

    if (listing->count == listing->capacity) {
        const size_t capacity = listing->capacity ? 2 * listing->capacity : 256;
        struct entry *larger = reallocarray(listing->entries, capacity, sizeof *larger);

        if (!larger)
            return false;
        listing->entries = larger;
        listing->capacity = capacity;
    }
    entry = &listing->entries[listing->count++];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->used = status->st_mtim;
    entry->bytes = (uint64_t)status->st_size;
    listing->bytes += entry->bytes;
    return true;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);

    return length >= tail && !strcmp(name + length - tail, end);
}

static bool is_entry(const char *name)
{
    const size_t digits = strspn(name, "0123456789abcdef");

    return (digits == 32 || digits == 16) && strlen(name) == digits + 6 && ends_with(name, ".cubin");
}

/* The cache's own files and no others, since the directory is the user's to choose. */
static bool list_entries(struct listing *out, DIR *directory)
{
    const time_t now = time(NULL);
    const struct dirent *file;

    while ((file = readdir(directory))) {
        struct stat status;

        if (fstatat(dirfd(directory), file->d_name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
            continue;
        if (!strncmp(file->d_name, "new-", 4) && strlen(file->d_name) == 10 &&
            now - status.st_mtime > LEFT_BEHIND_S)
            unlinkat(dirfd(directory), file->d_name, 0);
        else if (is_entry(file->d_name) && !add_entry(out, file->d_name, &status))
            return false;
    }
    return true;
}

static int compare_used(const void *left, const void *right)
{
    const struct timespec *a = &((const struct entry *)left)->used, *b = &((const struct entry *)right)->used;

    if (a->tv_sec != b->tv_sec)
        return a->tv_sec < b->tv_sec ? -1 : 1;
    return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

void compile_cache_trim(const char *path, uint64_t limit)
{
    DIR *directory = opendir(path);
    struct listing listing = {0};

    if (!directory)
        return;
    if (list_entries(&listing, directory) && listing.bytes > limit) {
        qsort(listing.entries, listing.count, sizeof *listing.entries, compare_used);
        for (size_t i = 0; i < listing.count && listing.bytes > limit - limit / 4; i++)
            if (!unlinkat(dirfd(directory), listing.entries[i].name, 0) || errno == ENOENT)
                listing.bytes -= listing.entries[i].bytes;
    }
    free(listing.entries);
    closedir(directory);
}
