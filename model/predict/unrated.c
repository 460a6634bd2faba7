#include "model/predict/unrated.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct unrated_op *find(struct unrated *unrated, const char *name, const char *missing)
{
    for (size_t i = 0; i < unrated->count; i++)
        if (!strcmp(unrated->ops[i].name, name) && !strcmp(unrated->ops[i].missing, missing))
            return &unrated->ops[i];
    if (unrated->count == UNRATED_MOST) {
        snprintf(unrated->ops[UNRATED_MOST - 1].name, UNRATED_NAME, "and others");
        return &unrated->ops[UNRATED_MOST - 1];
    }
    unrated->ops[unrated->count] = (struct unrated_op){.missing = missing};
    snprintf(unrated->ops[unrated->count].name, UNRATED_NAME, "%s", name);
    return &unrated->ops[unrated->count++];
}

void unrated_add(struct unrated *unrated, const struct sass *instruction, const char *missing,
                 double executed)
{
    char name[UNRATED_NAME];

    if (instruction->op == SASS_UNKNOWN)
        snprintf(name, sizeof name, "opcode 0x%03x", instruction->opcode & 0x1ffu);
    else
        snprintf(name, sizeof name, "%s", sass_info((enum sass_op)instruction->op)->name);
    find(unrated, name, missing)->executed += executed;
}

static bool is_first(const struct unrated *unrated, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!strcmp(unrated->ops[i].name, unrated->ops[at].name))
            return false;
    return true;
}

char *unrated_names(char *out, size_t size, const struct unrated *unrated)
{
    size_t used = 0, i;

    *out = '\0';
    for (i = 0; i < unrated->count && used < size; i++)
        if (is_first(unrated, i))
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", unrated->ops[i].name);
    return out;
}
