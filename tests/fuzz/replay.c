/* Feeds every file of a folder to the fuzz target. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int replay(const char *folder, const char *name)
{
    char path[4096];
    uint8_t *bytes = malloc(1 << 20);
    size_t size;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file || !bytes) {
        perror(path);
        return 1;
    }
    size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    bytes = realloc(bytes, size ? size : 1); /* so that a sanitizer sees a read past the end */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    int count = 0, failed = 0;

    if (!folder) {
        fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    while ((entry = readdir(folder)))
        if (entry->d_name[0] != '.') {
            failed |= replay(argv[1], entry->d_name);
            count++;
        }
    closedir(folder);
    printf("%d inputs replayed\n", count);
    return failed || count == 0;
}
