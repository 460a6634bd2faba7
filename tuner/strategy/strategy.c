#include "tuner/strategy/strategy.h"

#include "base/nearest.h"

#include <string.h>

const struct strategy *const strategies[] = {
#define STRATEGY(name, file) &strategy_##name,
#include "tuner/strategy/strategies.def"
#undef STRATEGY
    NULL};

const struct strategy *strategy_find(const char *name)
{
    if (!name)
        return strategies[0];
    for (size_t i = 0; strategies[i]; i++)
        if (!strcmp(name, strategies[i]->name))
            return strategies[i];
    return NULL;
}

enum { STRATEGIES = sizeof strategies / sizeof *strategies - 1 };

static void list(char *out, size_t size, bool pruning, const char *mark, const char *last)
{
    const char *names[STRATEGIES];
    size_t count = 0;

    for (size_t i = 0; i < STRATEGIES; i++)
        if (!pruning || strategies[i]->prunes)
            names[count++] = strategies[i]->name;
    words_join(out, size, names, count, mark, last);
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
