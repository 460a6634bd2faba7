#include "tuner/remote/store.h"

#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    remove(path);
    return 0;
}

static void remove_folder(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Removes a folder if nobody holds the lock in it. */
static void remove_abandoned(const char *folder, const char *name)
{
    char path[PATH_MAX], lock[PATH_MAX + 8];
    struct stat status;
    int fd;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path || lstat(path, &status) ||
        !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
        return;
    snprintf(lock, sizeof lock, "%s/.lock", path);
    fd = open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (!flock(fd, LOCK_EX | LOCK_NB))
        remove_folder(path);
    close(fd);
}

static void sweep(const char *folder)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        if (!strncmp(entry->d_name, "occutune-", 9) && strlen(entry->d_name) == 15)
            remove_abandoned(folder, entry->d_name);
    if (directory)
        closedir(directory);
}

static void take_lock(struct store *store)
{
    char path[sizeof store->root + 8];

    snprintf(path, sizeof path, "%s/.lock", store->root);
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (store->lock >= 0)
        flock(store->lock, LOCK_EX | LOCK_NB);
}

int store_open(struct store *out, struct err *err)
{
    const char *folder = getenv("TMPDIR");

    *out = (struct store){.lock = -1};
    if (!folder || *folder != '/' || strlen(folder) + sizeof "/occutune-XXXXXX" > sizeof out->root)
        folder = "/tmp";
    snprintf(out->root, sizeof out->root, "%s/occutune-XXXXXX", folder);
    sweep(folder);
    if (mkdtemp(out->root)) {
        take_lock(out);
        return 0;
    }
    err_set(err, ERR_SYSTEM, "%s: no folder can be made: %s", folder, strerror(errno));
    out->root[0] = '\0';
    return ERR_SYSTEM;
}

static void forget_contents(struct store *store)
{
    for (size_t i = 0; i < store->contents.capacity; i++) {
        struct content *content = store->contents.entries[i].value;

        if (content)
            free(content->bytes);
        free(content);
    }
    map_release(&store->contents);
    store->contents = (struct map){0};
    store->bytes = 0;
}

void store_close(struct store *store)
{
    forget_contents(store);
    map_release(&store->written);
    if (*store->root)
        remove_folder(store->root);
    if (store->lock >= 0)
        close(store->lock);
    store->root[0] = '\0';
}

int store_put(struct store *store, const void *bytes, size_t size, struct err *err)
{
    struct content *content;
    const struct key key = key_bytes(size ? bytes : "", size);

    if (store_find(store, key))
        return 0;
    if (store->bytes > STORE_BYTES_MOST)
        forget_contents(store);
    content = calloc(1, sizeof *content);
    if (content)
        content->bytes = malloc(size + 1);
    if (!content || !content->bytes || map_find(&store->contents, key.low) ||
        map_put(&store->contents, key.low, content, NULL)) {
        if (content)
            free(content->bytes);
        free(content);
        return err_memory(err);
    }
    if (size)
        memcpy(content->bytes, bytes, size);
    content->bytes[size] = '\0';
    content->size = size;
    content->key = key;
    store->bytes += size;
    return 0;
}

const struct content *store_find(const struct store *store, struct key key)
{
    const struct content *content = map_find(&store->contents, key.low);

    return content && key_equal(content->key, key) ? content : NULL;
}

/* Whether the path stays below where it is put. */
static bool stays_below(const char *path)
{
    size_t length;

    for (; *path == '/'; path += length) {
        path++;
        length = strcspn(path, "/");
        if (!length || (length == 1 && *path == '.') || (length == 2 && !strncmp(path, "..", 2)))
            return false;
    }
    return !*path;
}

int store_path(char out[PATH_MAX], const struct store *store, const char *folder, const char *path,
               struct err *err)
{
    if (!stays_below(path) || snprintf(out, PATH_MAX, "%s/%s%s", store->root, folder, path) >= PATH_MAX)
        return err_set(err, ERR_USAGE, "%s: no file of a worker is called so", path);
    return 0;
}

static void make_folders(char *path, size_t from)
{
    char *slash;

    for (slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

int store_write(char out[PATH_MAX], struct store *store, const char *folder, const char *path,
                const struct content *content, struct err *err)
{
    uint64_t hash;
    FILE *file;
    bool good;
    int rc = store_path(out, store, folder, path, err);

    if (rc)
        return rc;
    hash = hash_text(HASH_START, out);
    if (map_find(&store->written, hash))
        return 0;
    make_folders(out, strlen(store->root) + 1);
    file = fopen(out, "wb");
    good = file && fwrite(content->bytes, 1, content->size, file) == content->size;
    good = file && !fclose(file) && good;
    if (!good)
        return err_set(err, ERR_SYSTEM, "%s: %s", out, strerror(errno));
    return map_put(&store->written, hash, store, err);
}
