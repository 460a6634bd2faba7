#include "base/hash.h"

#include "base/file.h"
#include "space/space_graph.h"
#include "space/space_level.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDGES_MAX 10000000 /* 160 MB, made in about five seconds; docs/spec.md names it */

/* A node that other prefixes may find again: by its level and the values of the live parts. */
struct entry {
    size_t key;   /* place in `keys` */
    int32_t node; /* -1: an empty entry */
};

struct build {
    struct space *space;
    size_t count; /* parameters */
    struct level *levels;
    struct value *slots;
    uint16_t *choices;
    struct entry *table;
    size_t table_size, table_used; /* the size is a power of two */
    uint64_t *keys;
    size_t key_count, key_capacity;
    const volatile sig_atomic_t *stop;
    struct err *err;
};

uint64_t saturated_product(uint64_t a, uint64_t b)
{
    uint64_t result;

    return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

uint64_t saturated_sum(uint64_t a, uint64_t b)
{
    uint64_t result;

    return __builtin_add_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* Allocates `wanted` items of an array; null (the array stays) when memory ends. */
static void *grow(void *array, size_t *capacity, size_t wanted, size_t size)
{
    size_t more = *capacity ? *capacity : 64;

    if (wanted <= *capacity)
        return array;
    while (more < wanted)
        more *= 2;
    array = realloc(array, more * size);
    if (array)
        *capacity = more;
    return array;
}

/* Preparation -------------------------------------------------------------- */

static int prepare(struct build *build)
{
    struct space *space = build->space;
    const struct spec *spec = space->spec;

    space->tail = calloc(build->count + 1, sizeof *space->tail);
    space->removals = calloc(spec->constraint_count + 1, sizeof *space->removals);
    build->levels = calloc(build->count + 1, sizeof *build->levels);
    build->slots = calloc(spec->name_count + 1, sizeof *build->slots);
    build->choices = calloc(build->count, sizeof *build->choices);
    if (!space->tail || !space->removals || !build->levels || !build->slots || !build->choices)
        return err_memory(build->err);
    spec_slots(build->slots, spec, space->problem, NULL);
    build->levels[0].listed = listed_all(&spec->listed);
    space->tail[build->count] = 1;
    for (size_t k = build->count; k-- > 0;)
        space->tail[k] = saturated_product(space->tail[k + 1], spec->parameters[k].value_count);
    for (size_t k = 0; k < build->count; k++)
        if (level_prepare(build->levels, k, spec, build->count, build->err))
            return ERR_MEMORY;
    return 0;
}

/* Nodes found again -------------------------------------------------------- */

static uint64_t key_hash(const uint64_t *key, size_t length)
{
    return hash_bytes(HASH_START, key, length * sizeof *key);
}

/* A key is its level, then what make_key() puts behind it. */
static size_t key_length(const struct build *build, const uint64_t *key)
{
    return build->levels[key[0]].key_length;
}

static bool key_equal(const struct build *build, const uint64_t *a, const uint64_t *b)
{
    return a[0] == b[0] && !memcmp(a, b, key_length(build, a) * sizeof *a);
}

static struct entry *find_entry(const struct build *build, const uint64_t *key)
{
    size_t at = key_hash(key, key_length(build, key)) & (build->table_size - 1);

    while (build->table[at].node >= 0 && !key_equal(build, build->keys + build->table[at].key, key))
        at = (at + 1) & (build->table_size - 1);
    return &build->table[at];
}

static int grow_table(struct build *build)
{
    struct entry *old = build->table;
    const size_t old_size = build->table_size;

    build->table_size = old_size ? 2 * old_size : 1024;
    build->table = malloc(build->table_size * sizeof *build->table);
    if (!build->table) {
        free(old);
        return err_memory(build->err);
    }
    for (size_t i = 0; i < build->table_size; i++)
        build->table[i].node = -1;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].node >= 0)
            *find_entry(build, build->keys + old[i].key) = old[i];
    free(old);
    return 0;
}

/* Two words: a kind, and bits of a value. Values that are equal and of unlike bits (-0.0, texts) are told apart, which costs a
 * node and is right. */
static void put_value(uint64_t words[2], const struct expr_part *part, const struct value *slots)
{
    const uint64_t undefined = UINT64_MAX;
    struct value value = {0};

    words[0] = expr_part_value(&value, part, slots) ? undefined : (uint64_t)value.kind;
    memset(&words[1], 0, sizeof words[1]);
    if (words[0] != undefined)
        memcpy(&words[1], &value.integer, sizeof value.integer);
}

/* The key of the prefix now chosen, at the end of `keys`, where find_entry can use it and keep_node may let
 * it stay. */
static int make_key(struct build *build, size_t level)
{
    const struct level *l = &build->levels[level];
    uint64_t *keys = grow(build->keys, &build->key_capacity, build->key_count + l->key_length, sizeof *keys);

    if (!keys)
        return err_memory(build->err);
    build->keys = keys;
    keys += build->key_count;
    *keys++ = level;
    for (size_t i = 0; i < l->live_count; i++)
        if (l->live[i].slot != EXPR_NO_SLOT) {
            *keys++ = build->choices[l->live[i].slot];
        } else {
            put_value(keys, &l->live[i], build->slots);
            keys += 2;
        }
    return 0;
}

/* Finds the node of the prefix now chosen: -1 in `node` when it has none yet. */
static int find_node(int32_t *node, struct build *build, size_t level)
{
    *node = -1;
    if (!build->levels[level].merges)
        return 0;
    if (2 * build->table_used >= build->table_size && grow_table(build))
        return ERR_MEMORY;
    if (make_key(build, level))
        return ERR_MEMORY;
    *node = find_entry(build, build->keys + build->key_count)->node;
    return 0;
}

static int keep_node(struct build *build, size_t level, int32_t node)
{
    const uint64_t *key;

    if (!build->levels[level].merges)
        return 0;
    if (make_key(build, level))
        return ERR_MEMORY;
    key = build->keys + build->key_count;
    *find_entry(build, key) = (struct entry){.key = build->key_count, .node = node};
    build->key_count += key_length(build, key);
    build->table_used++;
    return 0;
}

/* Enumeration -------------------------------------------------------------- */

/* "column 3: division by zero, at A=0 B=4" */
static int keep_reason(struct build *build, size_t constraint, size_t level, const char *why)
{
    const struct spec *spec = build->space->spec;
    char *text = NULL, value[128];
    size_t size = 0, p;
    bool any = false;
    FILE *stream = open_memstream(&text, &size);

    if (!stream)
        return err_memory(build->err);
    fputs(why, stream);
    for (p = 0; p <= level; p++)
        if (expr_uses(spec->constraints[constraint], p)) {
            value_text(value, sizeof value, &build->slots[p]);
            fprintf(stream, "%s %s=%s", any ? "" : ", at", spec->names[p], value);
            any = true;
        }
    if (file_close_memory(stream, &text, build->err))
        return ERR_MEMORY;
    build->space->removals[constraint].reason = text;
    return 0;
}

/* Whether the list, if the spec has one, has a configuration that begins with the prefix now chosen. */
static bool is_listed(struct build *build, size_t level)
{
    const struct listing *listed = &build->space->spec->listed;
    struct listed_range *below = &build->levels[level + 1].listed;

    if (!listed->given)
        return true;
    *below = listed_narrow(listed, build->levels[level].listed, level, build->choices[level]);
    return below->first < below->end;
}

/* Decides the constraints due at a level: `target` is 0, or says which one removes the prefix, the list of
 * configurations being one more, behind the others. */
static int decide(int32_t *target, struct build *build, size_t level)
{
    const struct spec *spec = build->space->spec;
    const struct level *l = &build->levels[level];
    struct err why = {0};
    bool holds, undefined;

    *target = is_listed(build, level) ? 0 : removed_by(spec->constraint_count, false);
    for (size_t i = 0; !*target && i < l->due_count; i++) {
        undefined = expr_bool(&holds, spec->constraints[l->due[i]], build->slots, &why) != 0;
        if (holds && !undefined)
            continue;
        *target = removed_by(l->due[i], undefined);
        if (undefined && !build->space->removals[l->due[i]].reason)
            return keep_reason(build, l->due[i], level, why.text);
        return 0;
    }
    return 0;
}

/* Appends the finished row of a level as a node. */
static int add_node(int32_t *out, struct build *build, size_t level)
{
    struct space *space = build->space;
    const size_t width = space->spec->parameters[level].value_count + 1;
    struct edge *edges = grow(space->edges, &space->edge_capacity, space->edge_count + width, sizeof *edges);
    struct graph_node *nodes =
        grow(space->nodes, &space->node_capacity, space->node_count + 1, sizeof *nodes);

    space->edges = edges ? edges : space->edges;
    space->nodes = nodes ? nodes : space->nodes;
    if (!edges || !nodes)
        return err_memory(build->err);
    if (space->edge_count + width > EDGES_MAX)
        return err_set(
            build->err, ERR_USAGE,
            "%s: constraints: too many cases to count; let them tie fewer parameters together, or list "
            "parameters that appear together next to each other",
            space->spec->path);
    memcpy(edges + space->edge_count, build->levels[level].row, width * sizeof *edges);
    nodes[space->node_count] =
        (struct graph_node){.first = (uint32_t)space->edge_count, .level = (uint16_t)level};
    space->edge_count += width;
    *out = (int32_t)space->node_count++;
    return 0;
}

static uint64_t node_total(const struct space *space, int32_t node)
{
    const struct graph_node *n = &space->nodes[node];

    return space->edges[n->first + space->spec->parameters[n->level].value_count].before;
}

/* Makes (or finds again) the node for the prefix in `choices`. The recursion is as deep as there are
 * parameters. */
static int build_node(int32_t *out, struct build *build, size_t level)
{
    const struct spec_parameter *parameter = &build->space->spec->parameters[level];
    struct edge *row = build->levels[level].row;
    uint64_t total = 0;
    size_t v;

    if (build->stop && *build->stop)
        return err_set(build->err, ERR_STOPPED, "%s: interrupted while its configurations were counted",
                       build->space->spec->path);
    if (find_node(out, build, level))
        return ERR_MEMORY;
    if (*out >= 0)
        return 0;
    for (v = 0; v < parameter->value_count; v++) {
        build->choices[level] = (uint16_t)v;
        build->slots[level] = parameter->values[v];
        row[v].before = total;
        if (decide(&row[v].target, build, level))
            return ERR_MEMORY;
        if (row[v].target < 0)
            continue;
        if (level + 1 < build->count && build_node(&row[v].target, build, level + 1))
            return build->err->code;
        total = saturated_sum(total, level + 1 < build->count ? node_total(build->space, row[v].target) : 1);
    }
    row[v].before = total;
    return add_node(out, build, level) || keep_node(build, level, *out) ? build->err->code : 0;
}

static void release(struct build *build)
{
    for (size_t k = 0; build->levels && k < build->count; k++) {
        free(build->levels[k].due);
        free(build->levels[k].live);
        free(build->levels[k].row);
    }
    free(build->levels);
    free(build->slots);
    free(build->choices);
    free(build->table);
    free(build->keys);
}

int space_build(struct space *space, const volatile sig_atomic_t *stop, struct err *err)
{
    struct err own = {0};
    struct build build = {
        .space = space, .count = space->spec->parameter_count, .stop = stop, .err = err ? err : &own};
    int32_t root;
    int failed = prepare(&build);

    if (!failed)
        failed = build_node(&root, &build, 0);
    release(&build);
    return failed;
}
