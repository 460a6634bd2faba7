#include "space/space_level.h"

#include <stdlib.h>

static size_t last_parameter(const struct expr *constraint, size_t count)
{
    while (count > 1 && !expr_uses(constraint, count - 1))
        count--;
    return count - 1;
}

/* Whether a constraint decided at `level` or later uses the parameter. */
static bool is_live(const struct spec *spec, size_t count, size_t parameter, size_t level)
{
    for (size_t c = 0; c < spec->constraint_count; c++)
        if (expr_uses(spec->constraints[c], parameter) &&
            last_parameter(spec->constraints[c], count) >= level)
            return true;
    return false;
}

/* Adds a part unless it is a parameter that is there already. */
static void add_live(struct level *level, const struct expr_part *part)
{
    for (size_t i = 0; part->slot != EXPR_NO_SLOT && i < level->live_count; i++)
        if (level->live[i].slot == part->slot)
            return;
    level->live[level->live_count++] = *part;
    level->key_length += part->slot == EXPR_NO_SLOT ? 2 : 1;
}

static int add_parts(struct level *level, const struct expr *constraint, size_t k, size_t end,
                     struct err *err)
{
    struct expr_part *parts = calloc(expr_size(constraint), sizeof *parts);
    size_t count = 0;
    int rc = parts ? expr_parts(parts, &count, constraint, k, end, err) : err_memory(err);

    for (size_t i = 0; i < count; i++)
        add_live(level, &parts[i]);
    free(parts);
    return rc;
}

/* Prefixes may meet where a sum or product stands for several parameters, or one is used no more. Where there are many such
 * parts, the parameters themselves are the shorter key. */
static int prepare_live(struct level *levels, size_t k, const struct spec *spec, size_t count,
                        struct err *err)
{
    struct level *level = &levels[k];
    size_t most = k + 1;

    for (size_t c = 0; c < spec->constraint_count; c++)
        most += expr_size(spec->constraints[c]);
    level->live = calloc(most, sizeof *level->live);
    level->key_length = 1;
    if (!level->live)
        return err_memory(err);
    for (size_t c = 0; c < spec->constraint_count; c++)
        if (last_parameter(spec->constraints[c], count) >= k &&
            add_parts(level, spec->constraints[c], k, count, err))
            return ERR_MEMORY;
    for (size_t p = 0; p < k; p++)
        level->used += is_live(spec, count, p, k);
    if (level->key_length > 2 * level->used + 1) {
        level->live_count = 0;
        level->key_length = 1;
        for (size_t p = 0; p < k; p++)
            if (is_live(spec, count, p, k))
                add_live(level, &(struct expr_part){.slot = p});
    }
    level->merges = !spec->listed.given && k > 0 &&
                    (level->live_count != level->used || level->used <= levels[k - 1].used);
    return 0;
}

int level_prepare(struct level *levels, size_t k, const struct spec *spec, size_t count, struct err *err)
{
    struct level *level = &levels[k];

    level->due = calloc(spec->constraint_count + 1, sizeof *level->due);
    level->row = calloc(spec->parameters[k].value_count + 1, sizeof *level->row);
    if (!level->due || !level->row)
        return err_memory(err);
    for (size_t i = 0; i < spec->constraint_count; i++)
        if (last_parameter(spec->constraints[i], count) == k)
            level->due[level->due_count++] = i;
    return prepare_live(levels, k, spec, count, err);
}
