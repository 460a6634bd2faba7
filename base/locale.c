#include "base/locale.h"

struct locale_kept locale_to_c(void)
{
    struct locale_kept kept = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};

    kept.before = uselocale(kept.own); /* which changes nothing where there is none */
    return kept;
}

void locale_back(struct locale_kept kept)
{
    uselocale(kept.before);
    if (kept.own)
        freelocale(kept.own);
}
