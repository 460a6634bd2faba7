#include "model/emulate/alu.h"

#include "model/emulate/operand.h"
#include "model/emulate/steady.h"

#include <string.h>

static uint32_t sources_unknown(const struct plan *plan, struct registers *regs)
{
    uint32_t unknown = plan->unknown;

    if (!regs->tainted)
        return unknown;
    for (unsigned k = 0; k < plan->source_count; k++) {
        const uint32_t *of_words = registers_at(regs, plan->sources[k].unknown_at);

        for (unsigned w = 0; w < plan->sources[k].words; w++)
            unknown |= of_words[w];
    }
    for (unsigned k = 0; k < plan->predicate_count; k++)
        unknown |= *(uint32_t *)registers_at(regs, plan->predicates[k].unknown_at);
    return unknown;
}

static void fetch_sources(struct alu *x)
{
    const struct plan *plan = x->plan;
    struct registers *regs = x->warp->regs;

    for (unsigned k = 0; k < plan->source_count; k++) {
        const struct plan_source *source = &plan->sources[k];

        x->s[k] = source->fixed ? source->fixed : registers_at(regs, source->at);
        if (source->modified) {
            modify(x->scratch[k], x->s[k], source->operand, plan->modifiers);
            x->s[k] = x->scratch[k];
        }
    }
    for (unsigned k = 0; k < plan->predicate_count; k++)
        x->q[k] = *(uint32_t *)registers_at(regs, plan->predicates[k].at) ^ plan->predicates[k].flip;
}

static void store_results(struct alu *x, uint32_t unknown)
{
    for (unsigned k = 0; k < x->plan->result_count; k++) {
        const struct plan_result *result = &x->plan->results[k];

        if (result->predicate)
            predicate_store(x->warp, result->operand, x->dq[result->from], x->active, unknown);
        else
            operand_store(x->warp, result->operand, x->d + result->from, result->count, x->active, unknown);
    }
}

void alu_execute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t active)
{
    const struct plan *plan = &emulation->plans[i - emulation->instructions];
    const bool crosses = plan->operation->crosses, listens = steady_listens(emulation->steady);
    uint32_t unknown = sources_unknown(plan, warp->regs);
    const bool hopeless = !crosses && !(active & ~unknown); /* whatever is computed of it */
    struct alu x;

    x.i = i;
    x.plan = plan;
    x.emulation = emulation;
    x.warp = warp;
    x.active = active;
    x.result_unknown = false;
    memset(x.dq, 0, sizeof x.dq);
    if (!hopeless || listens)
        fetch_sources(&x);
    if (listens)
        steady_compute(emulation->steady, &x, active & ~unknown);
    if (hopeless) {
        make_unknown(warp, i, active);
        return;
    }
    plan->operation->compute(&x);
    if (x.result_unknown || (crosses && unknown & active))
        unknown = ALL_LANES;
    store_results(&x, unknown);
}
