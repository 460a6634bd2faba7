#include "model/sass/flow.h"

#include <stdlib.h>
#include <string.h>

/* What the passes share. */
struct graph {
    struct flow *flow;
    const struct sass_code *code;
    const struct cubin_kernel *kernel;
    size_t *block_of; /* instruction -> block */
    size_t *order;    /* reachable blocks, reverse postorder */
    size_t *rank;     /* block -> place in `order` */
    size_t ordered;
    bool *root; /* block begins the kernel or a called function */
};

static bool target_index(size_t *out, const struct sass_code *code, int64_t target)
{
    if (target < 0 || target % SASS_BYTES != 0 || (uint64_t)target / SASS_BYTES >= code->count)
        return false;
    *out = (size_t)target / SASS_BYTES;
    return true;
}

static bool falls_through(const struct sass *in)
{
    bool guarded = in->guard != SASS_PT || in->guard_negated;
    bool asked = false;

    for (size_t i = 0; i < in->source_count; i++) {
        const struct sass_operand *source = &in->sources[i];

        if ((source->kind == SASS_PREDICATE || source->kind == SASS_UNIFORM_PREDICATE) &&
            (source->index != SASS_PT || source->invert))
            asked = true;
    }
    if (!sass_is_jump(in) || in->op == SASS_CALL || in->op == SASS_BPT || guarded || asked)
        return true;
    return in->op == SASS_BRA &&
           in->mod[SASS_MOD_VARIANT] >= SASS_BRANCH_DIVERGED; /* .DIV and .CONV ask the warp */
}

static void mark_leaders(const struct graph *graph, bool *leader)
{
    const struct sass_code *code = graph->code;
    size_t to;

    leader[0] = true;
    for (size_t i = 0; i < code->count; i++) {
        const struct sass *in = &code->instructions[i];

        if (!sass_is_jump(in))
            continue;
        if (i + 1 < code->count)
            leader[i + 1] = true;
        if (in->has_target && target_index(&to, code, in->target))
            leader[to] = true;
    }
    for (size_t i = 0; i < graph->kernel->branch_count; i++)
        if (target_index(&to, code, graph->kernel->branches[i].to))
            leader[to] = true;
}

static int make_blocks(struct graph *graph, struct err *err)
{
    struct flow *flow = graph->flow;
    size_t i, count = 0, n = graph->code->count;
    bool *leader = calloc(n, sizeof *leader);

    if (!leader)
        return err_memory(err);
    mark_leaders(graph, leader);
    for (i = 0; i < n; i++)
        count += leader[i];
    flow->blocks = calloc(count, sizeof *flow->blocks);
    graph->root = calloc(count, sizeof *graph->root);
    if (!flow->blocks || !graph->root) {
        free(leader);
        return err_memory(err);
    }
    for (i = 0; i < n; i++) {
        if (leader[i])
            flow->blocks[flow->block_count++] =
                (struct flow_block){.first = i, .dominator = FLOW_NONE, .loop = FLOW_NONE};
        flow->blocks[flow->block_count - 1].count++;
        graph->block_of[i] = flow->block_count - 1;
    }
    free(leader);
    return 0;
}

/* At most one edge per direct jump, one per target of an indirect one, one to the next block. */
static int make_edges(struct graph *graph, struct err *err)
{
    struct flow *flow = graph->flow;
    size_t to;

    flow->edges = calloc(2 * flow->block_count + graph->kernel->branch_count, sizeof *flow->edges);
    if (!flow->edges)
        return err_memory(err);
    graph->root[0] = true;
    for (size_t b = 0; b < flow->block_count; b++) {
        struct flow_block *block = &flow->blocks[b];
        const struct sass *last = &graph->code->instructions[block->first + block->count - 1];

        block->edge = flow->edge_count;
        if (falls_through(last) && b + 1 < flow->block_count)
            flow->edges[flow->edge_count++] = b + 1;
        if (sass_is_jump(last) && last->has_target && target_index(&to, graph->code, last->target)) {
            if (last->op == SASS_CALL)
                graph->root[graph->block_of[to]] = true;
            else
                flow->edges[flow->edge_count++] = graph->block_of[to];
        }
        for (size_t i = 0; i < graph->kernel->branch_count; i++)
            if (graph->kernel->branches[i].from == last->pc &&
                target_index(&to, graph->code, graph->kernel->branches[i].to))
                flow->edges[flow->edge_count++] = graph->block_of[to];
        block->edges = flow->edge_count - block->edge;
    }
    return 0;
}

/* Depth-first from every root; `order` becomes a reverse postorder of what can be reached. */
static int order_blocks(struct graph *graph, struct err *err)
{
    struct flow *flow = graph->flow;
    size_t n = flow->block_count, r, depth, i;
    size_t *stack = calloc(n, sizeof *stack), *next = calloc(n, sizeof *next);

    if (!stack || !next) {
        free(stack);
        free(next);
        return err_memory(err);
    }
    for (r = n; r-- > 0;) {
        if (!graph->root[r] || flow->blocks[r].reachable)
            continue;
        flow->blocks[r].reachable = true;
        for (stack[0] = r, depth = 1; depth > 0;) {
            const struct flow_block *block = &flow->blocks[stack[depth - 1]];
            size_t to;

            if (next[stack[depth - 1]] == block->edges) {
                graph->order[graph->ordered++] = stack[--depth];
                continue;
            }
            to = flow->edges[block->edge + next[stack[depth - 1]]++];
            if (!flow->blocks[to].reachable) {
                flow->blocks[to].reachable = true;
                stack[depth++] = to;
            }
        }
    }
    for (i = 0; i < graph->ordered / 2; i++) {
        size_t swap = graph->order[i];

        graph->order[i] = graph->order[graph->ordered - 1 - i];
        graph->order[graph->ordered - 1 - i] = swap;
    }
    for (i = 0; i < graph->ordered; i++)
        graph->rank[graph->order[i]] = i;
    free(stack);
    free(next);
    return 0;
}

/* The nearest common dominator of a and b; FLOW_NONE stands above all roots. */
static size_t meet(const struct graph *graph, size_t a, size_t b)
{
    while (a != b) {
        if (a == FLOW_NONE || b == FLOW_NONE)
            return FLOW_NONE;
        if (graph->rank[a] > graph->rank[b])
            a = graph->flow->blocks[a].dominator;
        else
            b = graph->flow->blocks[b].dominator;
    }
    return a;
}

/* Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001): iterate to the fixed point. */
static int find_dominators(struct graph *graph, struct err *err)
{
    struct flow *flow = graph->flow;
    bool *known = calloc(flow->block_count, sizeof *known), changed = true;

    if (!known)
        return err_memory(err);
    for (size_t i = 0; i < flow->block_count; i++)
        known[i] = graph->root[i];
    while (changed) {
        changed = false;
        for (size_t i = 0; i < graph->ordered; i++) {
            size_t from = graph->order[i];
            const struct flow_block *block = &flow->blocks[from];

            for (size_t e = 0; e < block->edges && known[from]; e++) {
                size_t to = flow->edges[block->edge + e], old = flow->blocks[to].dominator, new = from;

                if (graph->root[to])
                    continue;
                if (known[to])
                    new = meet(graph, old, from);
                changed |= !known[to] || new != old;
                known[to] = true;
                flow->blocks[to].dominator = new;
            }
        }
    }
    free(known);
    return 0;
}

static bool dominates(const struct flow *flow, size_t a, size_t b)
{
    while (b != FLOW_NONE && b != a)
        b = flow->blocks[b].dominator;
    return b == a;
}

/* Whether `header` can be left and reached again by a jump back from a block it dominates. */
static bool is_header(struct flow *flow, const struct graph *graph, size_t header, bool count)
{
    bool found = false;

    for (size_t b = 0; b < flow->block_count; b++)
        for (size_t e = 0; e < flow->blocks[b].edges; e++) {
            if (!flow->blocks[b].reachable || flow->edges[flow->blocks[b].edge + e] != header)
                continue;
            if (dominates(flow, header, b))
                found = true;
            else if (count && graph->rank[b] >= graph->rank[header])
                flow->irreducible++;
        }
    return found;
}

/* Puts into the loop every block that reaches one of its jumps back without passing the header: a fixed
 * point over predecessors. Headers come in reverse postorder, so an outer loop is filled before an inner one
 * takes its blocks over. */
static void fill_loop(struct flow *flow, const struct graph *graph, size_t loop, bool *inside)
{
    size_t header = flow->loops[loop].header, i, e;
    bool changed = true;

    memset(inside, 0, flow->block_count * sizeof *inside);
    inside[header] = true;
    while (changed) {
        changed = false;
        for (i = graph->ordered; i-- > 0;) {
            size_t b = graph->order[i];
            const struct flow_block *block = &flow->blocks[b];

            for (e = 0; e < block->edges && !inside[b] && dominates(flow, header, b); e++) {
                size_t to = flow->edges[block->edge + e];

                if (to == header || inside[to])
                    changed = inside[b] = true;
            }
        }
    }
    flow->loops[loop].parent = flow->blocks[header].loop;
    flow->loops[loop].depth =
        flow->blocks[header].loop == FLOW_NONE ? 1 : flow->loops[flow->blocks[header].loop].depth + 1;
    for (i = 0; i < flow->block_count; i++)
        if (inside[i])
            flow->blocks[i].loop = loop;
}

static int find_loops(struct graph *graph, struct err *err)
{
    struct flow *flow = graph->flow;
    bool *inside = calloc(flow->block_count, sizeof *inside);
    size_t loop;

    flow->loops = calloc(flow->block_count, sizeof *flow->loops);
    if (!inside || !flow->loops) {
        free(inside);
        return err_memory(err);
    }
    for (size_t i = 0; i < graph->ordered; i++)
        if (is_header(flow, graph, graph->order[i], true)) {
            flow->loops[flow->loop_count].header = graph->order[i];
            fill_loop(flow, graph, flow->loop_count++, inside);
        }
    for (size_t i = 0; i < flow->block_count; i++)
        for (loop = flow->blocks[i].loop; loop != FLOW_NONE; loop = flow->loops[loop].parent) {
            flow->loops[loop].blocks++;
            flow->loops[loop].instructions += flow->blocks[i].count;
            flow_mix(flow->loops[loop].mix, graph->code, flow->blocks[i].first, flow->blocks[i].count);
        }
    free(inside);
    return 0;
}

void flow_mix(size_t mix[SASS_CLASS_COUNT], const struct sass_code *code, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        mix[sass_info(code->instructions[i].op)->class]++;
}

int flow_read(struct flow *out, const struct sass_code *code, const struct cubin_kernel *kernel,
              struct err *err)
{
    struct graph graph = {.flow = out, .code = code, .kernel = kernel};
    int result = 0;

    memset(out, 0, sizeof *out);
    if (code->count == 0)
        return 0;
    graph.block_of = calloc(code->count, sizeof *graph.block_of);
    graph.order = calloc(code->count, sizeof *graph.order);
    graph.rank = calloc(code->count, sizeof *graph.rank);
    if (!graph.block_of || !graph.order || !graph.rank)
        result = err_memory(err);
    if (!result)
        result = make_blocks(&graph, err);
    if (!result)
        result = make_edges(&graph, err);
    if (!result)
        result = order_blocks(&graph, err);
    if (!result)
        result = find_dominators(&graph, err);
    if (!result)
        result = find_loops(&graph, err);
    free(graph.block_of);
    free(graph.order);
    free(graph.rank);
    free(graph.root);
    if (result)
        flow_release(out);
    return result;
}

void flow_release(struct flow *flow)
{
    free(flow->blocks);
    free(flow->edges);
    free(flow->loops);
    memset(flow, 0, sizeof *flow);
}
