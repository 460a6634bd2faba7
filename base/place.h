/* Where this program or library lies, and what was installed with it. */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* The directory of the program, or of the shared library, that holds this code. False when it is not known or
 * longer than `size`. */
bool place_own(char *out, size_t size);

/* The folder or file `name` of installed data: in OCCUTUNE_SHARE, which is not checked; else in
 * share/occutune beside or above the program or library; else in the source tree it was built in. False when
 * there is none. */
bool place_share(char *out, size_t size, const char *name);

#endif
