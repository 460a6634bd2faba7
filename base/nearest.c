#include "base/nearest.h"

#include <stdint.h>
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

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    const size_t length = strlen(word);
    size_t best = least(least(1 + length / 3, 3), length ? length - 1 : 0), distance, i;
    const char *near = NULL;

    for (i = 0; i < count; i++) {
        distance = edit_distance(word, words[i]);
        if (distance < best || (distance == best && !near)) {
            best = distance;
            near = words[i];
        }
    }
    return near;
}
