#include "base/heap.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

void heap_keep(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  /* smaller pieces come from what is kept, */
    mallopt(M_TRIM_THRESHOLD, 256 << 20); /* of which so much may lie idle, */
    mallopt(M_TOP_PAD, 1 << 20);          /* and which grows by so much at least */
    mallopt(M_MXFAST, 0); /* else each piece above a kilobyte first joins all small free ones */
#endif
}
