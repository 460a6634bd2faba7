/* Feeds every file of folders to the fuzz target. */
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

/* The number of files, 0 where there is no folder. */
static int replay_folder(const char *path, int *failed)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int count = 0;

    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.') {
            *failed |= replay(path, entry->d_name);
            count++;
        }
    if (folder)
        closedir(folder);
    printf("%s: %d inputs replayed\n", path, count);
    return count;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;

    for (int k = 1; k < argc; k++)
        failed |= !replay_folder(argv[k], &failed);
    return failed;
}
