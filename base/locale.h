/* Numbers as C writes them, in a program of any locale: German would read 0.5 as 0 and write it as 0,5. */
#ifndef BASE_LOCALE_H
#define BASE_LOCALE_H

#include <locale.h>

struct locale_kept {
    locale_t own, before;
};

/* Gives the calling thread, and no other, the locale "C" until locale_back. Threads that it starts begin with
 * the program's. */
struct locale_kept locale_to_c(void);
void locale_back(struct locale_kept kept);

#endif
