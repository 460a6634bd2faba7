#include "tuner/strategy/strategy.h"

#include <stdio.h>
#include <string.h>

const struct strategy *const strategies[] = {&strategy_model, &strategy_exhaustive, &strategy_random, NULL};

const struct strategy *strategy_find(const char *name)
{
    size_t i;

    if (!name)
        return strategies[0];
    for (i = 0; strategies[i]; i++)
        if (!strcmp(name, strategies[i]->name))
            return strategies[i];
    return NULL;
}

/* Names of the table, only of those that prune if asked; `mark` follows the default, `last` comes before the
 * last one. */
static void list(char *out, size_t size, bool pruning, const char *mark, const char *last)
{
    size_t i, used = 0, left = 0, listed = 0;

    for (i = 0; strategies[i]; i++)
        left += !pruning || strategies[i]->prunes;
    if (size)
        *out = 0;
    for (i = 0; strategies[i] && used < size; i++) {
        if (pruning && !strategies[i]->prunes)
            continue;
        left--;
        used += (size_t)snprintf(out + used, size - used, "%s%s%s",
                                 !listed++ ? ""
                                 : left    ? ", "
                                           : last,
                                 strategies[i]->name, i ? "" : mark);
    }
}

void strategy_names(char *out, size_t size)
{
    list(out, size, false, "", ", ");
}

void strategy_choices(char *out, size_t size)
{
    list(out, size, false, " (default)", " or ");
}

void strategy_pruning(char *out, size_t size)
{
    list(out, size, true, "", " or ");
}
