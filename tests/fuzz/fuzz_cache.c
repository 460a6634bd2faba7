/* Reads any bytes as what stands behind the first line of a cache entry; the first line, with its checksum,
 * is made here, or nothing else would be tried. Where the first byte is '!' the rest is the whole entry. What
 * is taken is whole, and what is not is gone. */
#include "fuzz.h"

#include "base/hash.h"
#include "gpu/compile_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct key key = {1, 2};
static char folder[64], path[128], magic[64]; /* magic: the first line without its hash */

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

/* The name of an entry and its magic are taken from one that is written. */
static void set_up(void)
{
    unsigned char code[] = "code";
    const struct compile_result result = {.outcome = OUTCOME_OK, .cubin = code, .cubin_bytes = sizeof code};
    char hex[33];
    FILE *file;

    snprintf(folder, sizeof folder, "%s/fuzz-cache-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(folder))
        abort();
    key_hex(hex, key);
    snprintf(path, sizeof path, "%s/%s.cubin", folder, hex);
    atexit(remove_folder);
    compile_cache_write(&result, folder, key);
    file = fopen(path, "rb");
    if (!file || !fgets(magic, sizeof magic, file) || !strrchr(magic, ' '))
        abort();
    strrchr(magic, ' ')[1] = '\0';
    fclose(file);
}

static void write_entry(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    char hex[17];

    if (!file)
        abort();
    if (size && *bytes == '!') {
        bytes++;
        size--;
    } else {
        hash_hex(hex, hash_bytes(HASH_START, bytes, size));
        fprintf(file, "%s%s\n", magic, hex);
    }
    fwrite(bytes, 1, size, file);
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct compile_result result;

    if (!*magic)
        set_up();
    write_entry(bytes, size);
    if (compile_cache_read(&result, folder, key)) {
        if (result.outcome != OUTCOME_OK && result.outcome != OUTCOME_COMPILE)
            abort();
        if ((result.outcome == OUTCOME_OK) != (result.cubin != NULL) || !result.cubin != !result.cubin_bytes)
            abort();
        compile_result_release(&result);
    } else if (!access(path, F_OK)) {
        abort();
    }
    return 0;
}
