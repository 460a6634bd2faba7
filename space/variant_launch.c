#include "space/variant_maker.h"

#include "base/json_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLUSTER_MOST = 16 }; /* thread blocks, where the kernel allows more than the portable 8 */

int make_unfit(struct maker *maker, const char *format, ...)
{
    va_list args;

    maker->variant->outcome = OUTCOME_LIMITS;
    va_start(args, format);
    vsnprintf(maker->variant->message, sizeof maker->variant->message, format, args);
    va_end(args);
    return ERR_USAGE;
}

int make_unexpected(struct maker *maker, const char *place, const struct expr *expr, int64_t value,
                    const char *expected)
{
    char number[JS_INTEGER_BYTES];

    js_integer_text(number, value);
    if (!strcmp(expr_text(expr), number))
        return make_unfit(maker, "%s: is %s, expected %s", place, number, expected);
    return make_unfit(maker, "%s: \"%s\" is %s, expected %s", place, expr_text(expr), number, expected);
}

int make_integer(int64_t *out, struct maker *maker, const struct expr *expr, int64_t low, int64_t high,
                 const char *place)
{
    struct err why = {0};
    char expected[64];

    if (expr_integer(out, expr, maker->slots, &why))
        return make_unfit(maker, "%s: \"%s\": %s", place, expr_text(expr), why.text);
    if (*out >= low && *out <= high)
        return 0;
    snprintf(expected, sizeof expected, "%" PRId64 " to %" PRId64, low, high);
    return make_unexpected(maker, place, expr, *out, expected);
}

/* A condition; false where there is none. */
static int make_flag(bool *out, struct maker *maker, const struct expr *expr, const char *place)
{
    struct err why = {0};

    *out = false;
    if (expr && expr_bool(out, expr, maker->slots, &why))
        return make_unfit(maker, "%s: \"%s\": %s", place, expr_text(expr), why.text);
    return 0;
}

/* A cluster is resident in one group of SMs, and the grid is made of whole ones. */
static int check_cluster(struct maker *maker)
{
    const struct launch *launch = &maker->variant->launch;
    const uint64_t blocks = (uint64_t)launch->cluster[0] * launch->cluster[1] * launch->cluster[2];

    if (blocks > CLUSTER_MOST)
        return make_unfit(maker, "launch.cluster: %" PRIu64 " thread blocks, expected at most %d", blocks,
                          CLUSTER_MOST);
    for (int k = 0; k < 3; k++)
        if (launch->grid[k] % launch->cluster[k])
            return make_unfit(maker, "launch.grid[%d]: is %u, expected a multiple of launch.cluster[%d], %u",
                              k, launch->grid[k], k, launch->cluster[k]);
    return 0;
}

void make_place(char *out, const char *before, const char *name, size_t index)
{
    out = stpcpy(stpcpy(stpcpy(out, before), name), "[");
    strcpy(out + js_integer_text(out, (int64_t)index), "]");
}

static int make_dimensions(unsigned out[3], struct maker *maker, struct expr *const exprs[3],
                           const char *name, int64_t most)
{
    char place[32];
    int64_t value;

    for (int k = 0; k < 3 && exprs[k]; k++) {
        make_place(place, "launch.", name, (size_t)k);
        if (make_integer(&value, maker, exprs[k], 1, most, place))
            return ERR_USAGE;
        out[k] = (unsigned)value;
    }
    return 0;
}

int make_launch(struct maker *maker, const struct spec_launch *from)
{
    struct launch *launch = &maker->variant->launch;
    int64_t value;

    if (make_dimensions(launch->grid, maker, from->grid, "grid", UINT32_MAX) ||
        make_dimensions(launch->block, maker, from->block, "block", UINT32_MAX) ||
        make_dimensions(launch->cluster, maker, from->cluster, "cluster", CLUSTER_MOST) ||
        make_flag(&launch->cooperative, maker, from->cooperative, "launch.cooperative") ||
        make_flag(&launch->programmatic, maker, from->programmatic, "launch.programmatic") ||
        check_cluster(maker))
        return ERR_USAGE;
    if (from->shared) {
        if (make_integer(&value, maker, from->shared, 0, UINT32_MAX, "launch.shared"))
            return ERR_USAGE;
        launch->shared_bytes = (unsigned)value;
    }
    if (from->carveout) {
        if (make_integer(&value, maker, from->carveout, 0, 100, "launch.carveout"))
            return ERR_USAGE;
        launch->carveout = (int)value;
    }
    return 0;
}

/* Arguments that name buffers by their position follow them. */
static void renumber(struct argument *argument, const size_t *now)
{
    for (size_t k = 0; k < argument->pointer_count; k++)
        argument->pointers[k].buffer = now[argument->pointers[k].buffer];
    if (argument->tensor_map)
        argument->tensor_map->buffer = now[argument->tensor_map->buffer];
}

/* Moves those of `passed` and then the memory that is left; `taken` and `now` are zeros. */
static size_t move_arguments(struct argument *out, struct launch *launch, const size_t *passed, size_t count,
                             bool *taken, size_t *now)
{
    size_t n = 0, k;

    for (k = 0; k < count; k++) {
        now[passed[k]] = n;
        taken[passed[k]] = true;
        out[n] = launch->arguments[passed[k]];
        out[n++].hidden = false;
    }
    for (k = 0; k < launch->argument_count; k++) {
        if (taken[k])
            continue;
        if (argument_ops(&launch->arguments[k])->memory == ARGUMENT_NO_MEMORY) {
            argument_release(&launch->arguments[k]);
            continue;
        }
        now[k] = n;
        out[n] = launch->arguments[k];
        out[n++].hidden = true;
    }
    return n;
}

int choose_arguments(struct maker *maker, const size_t *passed, size_t count)
{
    struct launch *launch = &maker->variant->launch;
    const size_t all = launch->argument_count;
    struct argument *chosen = calloc(all + 1, sizeof *chosen);
    size_t *now = calloc(all + 1, sizeof *now), k;
    bool *taken = calloc(all + 1, sizeof *taken);
    const bool enough = chosen && now && taken;

    if (enough) {
        launch->argument_count = move_arguments(chosen, launch, passed, count, taken, now);
        free(launch->arguments);
        launch->arguments = chosen;
        chosen = NULL;
        for (k = 0; k < launch->argument_count; k++)
            renumber(&launch->arguments[k], now);
    }
    free(chosen);
    free(taken);
    free(now);
    return enough ? 0 : err_memory(maker->err);
}
