#include "tuner/cli/explain.h"

#include "space/configuration.h"

static struct json *bounds_json(const struct analysis *from)
{
    const struct throughput *at = &from->prediction.at_sustained;
    enum resource order[RESOURCE_COUNT];
    const size_t count = explained_bounds(order, at);
    struct json *list = js_new_array(), *object;
    int failed = !list;

    for (size_t i = 0; i < count && !failed; i++) {
        const enum resource r = order[i];
        const double demand = from->demands.demand.count[r];

        object = js_new_object();
        failed = !object || js_set_string(object, "resource", resource_name(r)) ||
                 js_set_string(object, "unit", resource_unit(r)) || js_set_real(object, "demand", demand) ||
                 js_set_real(object, "per_cycle", demand / at->cycles[r]) ||
                 js_set_real(object, "cycles", at->cycles[r]);
        failed |= js_append(list, object);
    }
    return js_unless(failed, list);
}

static struct json *lines_json(const struct explained *explained)
{
    struct json *list = js_new_array(), *object;
    int failed = !list;

    for (size_t i = 0; i < explained->line_count && !failed; i++) {
        const struct explained_line *line = &explained->lines[i];

        object = js_new_object();
        failed = !object || js_set_string(object, "file", line->file) ||
                 js_set_integer(object, "line", line->line) ||
                 js_set_real(object, "waited_cycles", line->waited_cycles);
        failed |= js_append(list, object);
    }
    return js_unless(failed, list);
}

static struct json *latency_json(const struct explained *explained)
{
    const struct analysis *from = explained->analysis;
    struct json *object = js_new_object(), *chain = js_new_array(), *link;
    char text[200];
    const char *file;
    unsigned line;
    int failed = !object || !chain;

    for (size_t i = 0; i < explained->chain_count && !failed; i++) {
        const struct sass *instruction = &from->code.instructions[explained->chain[i]];

        sass_text(text, sizeof text, instruction);
        link = js_new_object();
        failed = !link || js_set_integer(link, "offset", instruction->pc) ||
                 js_set_string(link, "instruction", text) ||
                 js_set_real(link, "waited_cycles", from->account.blamed[explained->chain[i]]);
        if (link && lines_find(&file, &line, &from->lines, instruction->pc))
            failed |= js_set_string(link, "file", file) || js_set_integer(link, "line", line);
        failed |= js_append(chain, link);
    }
    return js_unless(failed | js_set(object, "chain", chain) |
                         js_set(object, "lines", lines_json(explained)) |
                         js_set_real(object, "cycles", from->prediction.latency_cycles) |
                         js_set_real(object, "loaded_cycles", from->prediction.loaded_cycles) |
                         js_set_real(object, "own_path_cycles", from->path_cycles) |
                         js_set_real(object, "waited_shared", from->waited_shared) |
                         js_set_real(object, "waited_l1", from->waited_l1) |
                         js_set_real(object, "waited_l2", from->waited_l2) |
                         js_set_real(object, "waited_dram", from->waited_dram) |
                         js_set_real(object, "waited_pipe", from->waited[REPLAY_PIPE]) |
                         js_set_real(object, "waited_barrier", from->waited[REPLAY_AT_BARRIER]) |
                         js_set_real(object, "replace_cycles", from->replace_cycles),
                     object);
}

static struct json *occupancy_json(const struct analysis *from)
{
    struct json *object = js_new_object();

    return js_unless(js_set_integer(object, "blocks", from->occupancy.blocks) |
                         js_set_integer(object, "warps", from->occupancy.warps) |
                         js_set_real(object, "had_warps", from->prediction.had_warps) |
                         js_set_real(object, "needed_warps", from->prediction.needed_warps) |
                         js_set_real(object, "theoretical", from->occupancy.share) |
                         js_set_real(object, "achieved", from->achieved) |
                         js_set_real(object, "places_held", from->held) |
                         js_set_real(object, "too_few_blocks", from->imbalance.too_few) |
                         js_set_real(object, "unequal_blocks", from->imbalance.between_blocks) |
                         js_set_real(object, "unequal_warps", from->imbalance.within_block) |
                         js_set_string(object, "limiter", limiter_text(from->occupancy.limiter)),
                     object);
}

static struct json *advice_json(const struct explained *explained)
{
    struct json *list = js_new_array(), *object;
    int failed = !list;

    for (size_t i = 0; i < explained->advice_count && !failed; i++) {
        const struct advice *advice = &explained->advice[i];

        object = js_new_object();
        failed = !object || js_set_real(object, "gain", advice->gain) ||
                 js_set_string(object, "text", advice->text) ||
                 (advice->at_code && js_set_integer(object, "offset", advice->pc));
        failed |= js_append(list, object);
    }
    return js_unless(failed, list);
}

static struct json *changes_json(const struct explained *explained)
{
    struct json *list = js_new_array(), *object;
    int failed = !list;

    for (size_t i = 0; i < explained->changes.count && !failed; i++) {
        const struct explained_change *change = &explained->changes.best[i];
        const struct spec_parameter *parameter = &explained->spec->parameters[change->parameter];

        object = js_new_object();
        failed = !object || js_set_real(object, "gain", change->gain) ||
                 js_set_real(object, "estimate_s", change->estimate_s) ||
                 js_set_string(object, "parameter", parameter->name) ||
                 js_set(object, "value", value_to_json(&parameter->values[change->choice]));
        failed |= js_append(list, object);
    }
    return js_unless(failed, list);
}

static struct json *assumptions_json(unsigned assumptions)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (unsigned bit = 1; bit < PREDICT_ASSUMPTIONS_END && !failed; bit <<= 1)
        if (assumptions & bit)
            failed = js_append(list, js_new_string(explained_assumption((enum predict_assumption)bit)));
    return js_unless(failed, list);
}

static struct json *unrated_json(const struct unrated *unrated)
{
    struct json *list = js_new_array(), *object;
    int failed = !list;

    for (size_t i = 0; i < unrated->count && !failed; i++) {
        object = js_new_object();
        failed = !object || js_set_string(object, "instruction", unrated->ops[i].name) ||
                 js_set_real(object, "executed", unrated->ops[i].executed) ||
                 js_set_string(object, "missing", unrated->ops[i].missing);
        failed |= js_append(list, object);
    }
    return js_unless(failed, list);
}

static struct json *elsewhere_json(const struct device *device)
{
    const char *names[EXPLAINED_ELSEWHERE_MOST];
    const size_t count = explained_elsewhere(names, device);

    return js_new_strings(names, count);
}

/* The interval after the trials that were found. */
static struct json *after_json(const struct explained *explained)
{
    struct prediction p = explained->analysis->prediction;
    struct json *object = js_new_object();
    int failed;

    interval_move(&p, &explained->trials);
    failed = !object || js_set_integer(object, "trials", (int64_t)explained->trials.count) ||
             (p.interval_high_s > 0 && (js_set_real(object, "interval_low_s", p.interval_low_s) ||
                                        js_set_real(object, "interval_high_s", p.interval_high_s)));
    return js_unless(failed, object);
}

struct json *explained_json(const struct explained *explained)
{
    const struct prediction *p = &explained->analysis->prediction;
    const struct latency *latency = &explained->analysis->input.latency;
    struct json *object = js_new_object();

    return js_unless(
        js_set_string(object, "device", explained->machine->device->name) |
            js_set_real(object, "estimate_s", p->estimate_s) | js_set_real(object, "bound_s", p->bound_s) |
            js_set_bool(object, "bound_proved", !(p->assumptions & PREDICT_BOUND_NOT_PROVED)) |
            (p->interval_high_s > 0 ? js_set_real(object, "interval_low_s", p->interval_low_s) |
                                          js_set_real(object, "interval_high_s", p->interval_high_s)
                                    : 0) |
            (explained->recorded ? js_set(object, "recorded", after_json(explained)) : 0) |
            js_set_string(object, "limited_by", limited_text(p->limited_by, p->limiter)) |
            js_set_string(object, "limiter", resource_name(p->limiter)) |
            js_set_bool(object, "latency_hidden", p->latency_hidden) |
            js_set_real(object, "issued", p->issued) |
            js_set_real(object, "stalled_bandwidth", p->stalled_bandwidth) |
            js_set_real(object, "stalled_latency", p->stalled_latency) |
            js_set_real(object, "waves", p->waves) |
            (p->longest_s > 0 ? js_set_real(object, "longest_block_s", p->longest_s) : 0) |
            (latency->last_cycles > 0
                 ? js_set_real(object, "last_block_s", latency->last_cycles / p->clock_hz)
                 : 0) |
            js_set_real(object, "confidence", p->confidence) |
            js_set(object, "unrated", unrated_json(&explained->analysis->demands.unrated)) |
            js_set(object, "assumptions", assumptions_json(p->assumptions)) |
            js_set(object, "of_another_gpu", elsewhere_json(explained->machine->device)) |
            js_set(object, "bounds", bounds_json(explained->analysis)) |
            js_set(object, "latency", latency_json(explained)) |
            js_set(object, "occupancy", occupancy_json(explained->analysis)) |
            js_set(object, "changes", changes_json(explained)) |
            js_set(object, "advice", advice_json(explained)),
        object);
}
