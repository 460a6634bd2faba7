#include "launch/npy.h"

#include "base/hash.h"
#include "base/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. Reads on
 * from `*at` and leaves it behind what was taken. */
static bool take(const char **at, const char *word)
{
    *at += strspn(*at, " \n");
    if (strncmp(*at, word, strlen(word)))
        return false;
    *at += strlen(word);
    return true;
}

static bool find_key(const char **at, const char *header, const char *key)
{
    *at = strstr(header, key);
    return *at && take(at, key) && take(at, ":");
}

static int parse_type(enum element_type *out, const char *descr, const char *name, struct err *err)
{
    static const struct {
        const char *descr;
        enum element_type type;
    } known[] = {
        {"'|i1'", ELEMENT_INT8},     {"'|u1'", ELEMENT_UINT8},    {"'|b1'", ELEMENT_UINT8},
        {"'<i2'", ELEMENT_INT16},    {"'<u2'", ELEMENT_UINT16},   {"'<i4'", ELEMENT_INT32},
        {"'<u4'", ELEMENT_UINT32},   {"'<i8'", ELEMENT_INT64},    {"'<u8'", ELEMENT_UINT64},
        {"'<f2'", ELEMENT_FLOAT16},  {"'<f4'", ELEMENT_FLOAT32},  {"'<f8'", ELEMENT_FLOAT64},
        {"'|V2'", ELEMENT_BFLOAT16}, {"'<V2'", ELEMENT_BFLOAT16},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (take(&descr, known[i].descr)) {
            *out = known[i].type;
            return 0;
        }
    return err_set(err, ERR_FORMAT,
                   "%s: element type %.8s is not supported; save a little-endian number type", name, descr);
}

static int parse_shape(uint64_t *count, const char *at, const char *name, struct err *err)
{
    unsigned long long length;
    char *end;

    *count = 1;
    if (!take(&at, "("))
        return err_set(err, ERR_FORMAT, "%s: damaged .npy header: no shape", name);
    while (!take(&at, ")")) {
        errno = 0;
        length = strtoull(at, &end, 10);
        if (end == at || *at == '-' || errno || __builtin_mul_overflow(*count, length, count))
            return err_set(err, ERR_FORMAT, "%s: damaged .npy header: bad shape", name);
        at = end;
        take(&at, ",");
    }
    return 0;
}

static int parse_header(struct npy *out, const char *header, const char *name, struct err *err)
{
    const char *at;

    if (!find_key(&at, header, "'descr'"))
        return err_set(err, ERR_FORMAT, "%s: damaged .npy header: no descr", name);
    if (parse_type(&out->type, at, name, err))
        return ERR_FORMAT;
    if (!find_key(&at, header, "'fortran_order'") || !take(&at, "False"))
        return err_set(err, ERR_FORMAT, "%s: not in C order; save numpy.ascontiguousarray(a)", name);
    if (!find_key(&at, header, "'shape'"))
        return err_set(err, ERR_FORMAT, "%s: damaged .npy header: no shape", name);
    return parse_shape(&out->count, at, name, err);
}

int npy_parse(struct npy *out, const unsigned char *bytes, size_t size, const char *name, struct err *err)
{
    size_t start, length;
    uint64_t wanted;
    char *header;
    int failed;

    *out = (struct npy){0};
    if (size < 12 || memcmp(bytes, "\x93NUMPY", 6))
        return err_set(err, ERR_FORMAT, "%s: not a .npy file", name);
    if (bytes[6] < 1 || bytes[6] > 3)
        return err_set(err, ERR_FORMAT, "%s: .npy version %d is not known", name, bytes[6]);
    start = bytes[6] == 1 ? 10 : 12;
    length = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > size - start)
        return err_set(err, ERR_FORMAT, "%s: cut off within its header", name);
    header = strndup((const char *)bytes + start, length);
    if (!header)
        return err_memory(err);
    out->offset = start + length;
    failed = parse_header(out, header, name, err);
    free(header);
    if (!failed &&
        (__builtin_mul_overflow(out->count, element_size(out->type), &wanted) || wanted > size - out->offset))
        failed = err_set(err, ERR_FORMAT, "%s: cut off: %zu bytes of elements", name, size - out->offset);
    if (failed)
        *out = (struct npy){0};
    return failed;
}

static int map_file(void **mapping, size_t *bytes, const char *path, struct err *err)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    int failed = 0;

    if (file < 0)
        return err_set(err, errno == ENOENT ? ERR_USAGE : ERR_SYSTEM, "%s: cannot be read: %s", path,
                       strerror(errno));
    if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_size == 0) {
        failed = err_set(err, ERR_FORMAT, "%s: not a .npy file", path);
    } else {
        *bytes = (size_t)status.st_size;
        *mapping = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (*mapping == MAP_FAILED)
            failed = err_set(err, ERR_SYSTEM, "%s: cannot be mapped: %s", path, strerror(errno));
    }
    close(file);
    return failed;
}

int npy_map(struct npy *out, void **mapping, size_t *bytes, const char *path, struct err *err)
{
    int failed;

    *out = (struct npy){0};
    *mapping = NULL;
    *bytes = 0;
    failed = map_file(mapping, bytes, path, err);
    if (!failed) {
        failed = npy_parse(out, *mapping, *bytes, path, err);
        if (failed)
            munmap(*mapping, *bytes);
    }
    if (failed) {
        *mapping = NULL;
        *bytes = 0;
    }
    return failed;
}

int npy_hash(uint64_t *out, const char *path, struct err *err)
{
    struct npy npy;
    struct key content;
    void *mapping;
    size_t bytes;
    int failed = npy_map(&npy, &mapping, &bytes, path, err);

    *out = 0;
    if (failed)
        return failed;
    content = key_bytes((const unsigned char *)mapping + npy.offset, npy.count * element_size(npy.type));
    *out = hash_u64(hash_u64(hash_u64(HASH_START, npy.type), content.low), content.high);
    munmap(mapping, bytes);
    return 0;
}
