#include "base/nearest.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein distance, for names of up to 63 bytes; longer ones count as far apart. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[64], i, j, diagonal, above;
    const size_t m = strlen(a), n = strlen(b);

    if (m >= 64 || n >= 64)
        return SIZE_MAX;
    for (j = 0; j <= n; j++)
        row[j] = j;
    for (i = 1; i <= m; i++) {
        diagonal = row[0];
        row[0] = i;
        for (j = 1; j <= n; j++) {
            above = row[j];
            row[j] = least(diagonal + (a[i - 1] != b[j - 1]), least(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    return row[n];
}

/* The only word that contains `part`, or begins with it. */
static const char *containing(const char *part, const char *const *words, size_t count)
{
    const char *found = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!strcasestr(words[i], part))
            continue;
        if (found)
            return NULL;
        found = words[i];
    }
    return found;
}

static const char *beginning(const char *part, const char *const *words, size_t count)
{
    const char *found = NULL;

    for (size_t i = 0; i < count; i++) {
        if (strncmp(words[i], part, strlen(part)))
            continue;
        if (found)
            return NULL;
        found = words[i];
    }
    return found;
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    const size_t length = strlen(word);
    size_t best = least(least(1 + length / 3, 3), length ? length - 1 : 0), distance, i;
    const char *near = length < 3 ? NULL : beginning(word, words, count);

    if (near)
        return near;
    for (i = 0; i < count; i++) {
        distance = edit_distance(word, words[i]);
        if (distance < best || (distance == best && !near)) {
            best = distance;
            near = words[i];
        }
    }
    return near || length < 3 ? near : containing(word, words, count);
}

/* Where `ending` begins in a name that has more before it; else null. */
static char *ends_in(char *name, const char *ending)
{
    const size_t length = strlen(name), own = strlen(ending);

    return length > own && !strcmp(name + length - own, ending) ? name + length - own : NULL;
}

bool nearest_file(char *out, size_t size, const char *word, const char *folder, const char *ending)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    const char **names = calloc(count > 0 ? (size_t)count : 1, sizeof *names), *near = NULL;
    size_t found = 0;
    char *end;

    for (int i = 0; i < count && names; i++) {
        end = ends_in(entries[i]->d_name, ending);
        if (!end)
            continue;
        *end = '\0';
        names[found++] = entries[i]->d_name;
    }
    if (names)
        near = nearest_word(word, names, found);
    if (near)
        snprintf(out, size, "%s", near);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    free(names);
    return near;
}

void words_join(char *out, size_t size, const char *const *words, size_t count, const char *mark,
                const char *last)
{
    size_t used = 0;

    if (size)
        *out = '\0';
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s%s",
                                 !i              ? ""
                                 : i + 1 < count ? ", "
                                                 : last,
                                 words[i], i ? "" : mark);
}
