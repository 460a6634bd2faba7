/* compile_commands.json, as CMake and others write it: https://clang.llvm.org/docs/JSONCompilationDatabase.html */
#include "tuner/import/nvcc.h"

#include "base/json.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `path`, or the end of it from a slash on. */
static bool ends_with(const char *path, const char *end)
{
    const size_t length = strlen(path), wanted = strlen(end);

    return length >= wanted && !strcmp(path + length - wanted, end) &&
           (length == wanted || *end == '/' || path[length - wanted - 1] == '/');
}

/* The command of an entry, as text or as a list of words. */
static int entry_words(char ***out, size_t *count, const struct js_at *entry, struct err *err)
{
    struct js_at at, element;
    const char *text;

    *out = NULL;
    *count = 0;
    if (!js_find(&at, entry, "arguments"))
        return js_member(&at, entry, "command", err) || js_string(&text, &at, err)
                   ? ERR_USAGE
                   : command_words(out, count, text, err);
    if (js_expect(&at, JS_ARRAY, err))
        return ERR_USAGE;
    *out = calloc(js_count(&at) + 1, sizeof **out);
    if (!*out)
        return err_memory(err);
    for (; *count < js_count(&at); ++*count) {
        element = js_element(&at, *count);
        if (js_string(&text, &element, err))
            return ERR_USAGE;
        (*out)[*count] = strdup(text);
        if (!(*out)[*count])
            return err_memory(err);
    }
    return 0;
}

static int read_entry(struct nvcc_flags *out, const struct js_at *entry, struct err *err)
{
    struct js_at at;
    const char *directory;
    char **words = NULL;
    size_t count = 0;
    int rc = js_member(&at, entry, "directory", err) || js_string(&directory, &at, err) ? ERR_USAGE : 0;

    if (!rc)
        rc = entry_words(&words, &count, entry, err);
    if (!rc)
        rc = nvcc_read(out, (const char *const *)words, count, directory, err);
    command_words_free(words, count);
    return rc;
}

/* Whether the entry is of `file`; of any source of CUDA where that is null. */
static int is_wanted(bool *out, const char **name, const struct js_at *entry, const char *file,
                     struct err *err)
{
    struct js_at at;

    if (js_member(&at, entry, "file", err) || js_string(name, &at, err))
        return ERR_USAGE;
    *out = file ? ends_with(*name, file) : strlen(*name) > 3 && !strcmp(*name + strlen(*name) - 3, ".cu");
    return 0;
}

static int choose(struct js_at *out, const struct js_at *list, const char *path, const char *file,
                  struct err *err)
{
    char names[512] = "";
    const char *name;
    size_t i, found = 0, used = 0;
    struct js_at entry;
    bool wanted;

    for (i = 0; i < js_count(list); i++) {
        entry = js_element(list, i);
        if (is_wanted(&wanted, &name, &entry, file, err))
            return ERR_USAGE;
        if (!wanted)
            continue;
        *out = entry;
        found++;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
    }
    if (found == 1)
        return 0;
    if (!found)
        return err_set(err, ERR_USAGE, "%s: has no command for %s", path, file ? file : "a .cu file");
    return err_set(err, ERR_USAGE, "%s: has %zu commands for %s: name one with --file: %s", path, found,
                   file ? file : "a .cu file", names);
}

int nvcc_read_database(struct nvcc_flags *out, const char *path, const char *file, struct err *err)
{
    struct json *json;
    struct js_at list, entry;
    int rc = js_read_file(&json, path, err);

    *out = (struct nvcc_flags){0};
    if (rc)
        return rc;
    list = js_root(json, path);
    rc = js_expect(&list, JS_ARRAY, err);
    if (!rc)
        rc = choose(&entry, &list, path, file, err);
    if (!rc)
        rc = read_entry(out, &entry, err);
    js_free(json);
    return rc;
}
