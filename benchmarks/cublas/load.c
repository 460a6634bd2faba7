#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int library_load(void **out, const char *stem, const char *own, const struct library_function *functions,
                 size_t count, struct err *err)
{
    const char *path = getenv(own);
    char name[64];

    if (path)
        *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (int version = 13; !path && !*out && version >= 12; version--) {
        snprintf(name, sizeof name, "lib%s.so.%d", stem, version);
        *out = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (!*out)
        return err_set(err, ERR_MISSING, "%s is not here (%s): set %s to lib%s.so", library_name, dlerror(),
                       own, stem);
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(*out, functions[i].name);

        if (!symbol)
            return err_set(err, ERR_MISSING, "%s has no %s", library_name, functions[i].name);
        memcpy(functions[i].to, &symbol, sizeof symbol);
    }
    return 0;
}
