/* "did you mean ...?" for messages about unknown names. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* The word of the list that is fewest edits away from `word`, if that is few for its length (at most 3); else
 * null. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

#endif
