/* Lists of names in messages and help: "did you mean ...?", "one of a, b or c". */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* The only word of the list that begins with `word`; else the one that is fewest edits away from it, if that is
 * few for its length (at most 3); else the only one that contains it, whatever the case; else null. Of a word of
 * fewer than three letters edits alone count. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

/* The same among the files and folders in a folder whose names end in `ending` (".json"; "" for all of them), without it:
 * false if none is near. */
bool nearest_file(char *out, size_t size, const char *word, const char *folder, const char *ending);

/* "a (default), b or c": `mark` follows the first word, `last` comes before the last one, ", " between the others. What
 * does not fit is cut. */
void words_join(char *out, size_t size, const char *const *words, size_t count, const char *mark,
                const char *last);

#endif
