/* How the program holds memory. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

/* Has the C library keep what is freed for the next who asks: a prediction takes and frees megabytes, and
 * pages that come anew from the system each time cost as much as half of its computing. For the start of a
 * program; a library leaves that to whoever uses it. */
void heap_keep(void);

#endif
