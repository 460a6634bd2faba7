#include "base/place.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

bool place_own(char *out, size_t size)
{
    static const char anchor;
    char path[PATH_BYTES], *slash;
    Dl_info info;
    ssize_t n;

    if (dladdr(&anchor, &info) && info.dli_fname && strstr(info.dli_fname, ".so"))
        n = snprintf(path, sizeof path, "%s", info.dli_fname);
    else
        n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0 || (size_t)n >= sizeof path)
        return false;
    path[n] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return snprintf(out, size, "%s", path) < (int)size;
}

/* In the source tree the device profiles lie in model/device/, standard headers in gpu/, the kernels at its root. */
bool place_share(char *out, size_t size, const char *name)
{
    static const char *const below[] = {"share/occutune/", "model/device/", "gpu/", ""};
    const char *named = getenv("OCCUTUNE_SHARE");
    char directory[PATH_BYTES], *slash;

    if (named)
        return snprintf(out, size, "%s/%s", named, name) < (int)size;
    if (!place_own(directory, sizeof directory))
        return false;
    do {
        for (size_t i = 0; i < sizeof below / sizeof *below; i++)
            if (snprintf(out, size, "%s/%s%s", directory, below[i], name) < (int)size && !access(out, F_OK))
                return true;
        slash = strrchr(directory, '/');
        if (slash)
            *slash = '\0';
    } while (slash);
    return false;
}
