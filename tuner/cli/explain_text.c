#include "tuner/cli/explain.h"

#include "space/configuration.h"
#include "tuner/cli/progress.h"

enum { TEXT = 200 };

/* Latency allows a warp less often than the tightest resource does. */
static bool waits(const struct prediction *p)
{
    return p->latency_cycles / p->had_warps > p->at_sustained.bound_cycles;
}

static void put_limit(FILE *out, const struct analysis *from)
{
    const struct prediction *p = &from->prediction;
    const double attained = 100 * (1 - p->stalled_latency);
    const char *name = limited_text(p->limited_by, p->limiter), *closest = resource_name(p->limiter);
    char longest[32];

    progress_time_text(longest, p->longest_s);
    if (p->limited_by == LIMITED_DISPATCH)
        fprintf(out, "%s, one every %.2g ns\n", name, 1e9 * from->input.capacities.block_dispatch_s);
    else if (p->limited_by == LIMITED_BLOCK)
        fprintf(out, "%s, which takes %s by itself: all others are done before\n", name, longest);
    else if (p->limited_by == LIMITED_RESOURCE)
        fprintf(out, "%s, at %.0f %% of what it sustains\n", name, attained);
    else if (p->limited_by == LIMITED_LATENCY)
        fprintf(out, "%s: %.0f warps are resident, %.1f would hide it; %s reaches %.0f %%\n", name,
                p->had_warps, p->needed_warps, closest, attained);
    else
        fprintf(out,
                "no single limit; %s comes closest, at %.0f %%: %.1f warps would hide latency, and the %.0f "
                "that are there wait in line for each other\n",
                closest, attained, p->needed_warps, p->had_warps);
}

/* Where a measurement is to be expected, four times out of five. */
static void put_interval(FILE *out, const struct prediction *p, const char *behind)
{
    char low[32], high[32];

    if (!(p->interval_high_s > 0))
        return;
    progress_time_text(low, p->interval_low_s);
    progress_time_text(high, p->interval_high_s);
    fprintf(out, "              80 %% of measurements are in %s to %s%s\n", low, high, behind);
}

static void put_intervals(FILE *out, const struct explained *explained)
{
    struct prediction p = explained->analysis->prediction;
    char after[64];

    put_interval(out, &p,
                 p.assumptions & PREDICT_ASSUMED_PUBLISHED
                     ? "; no time was ever compared on this GPU: go by the order of variants, not by the time"
                 : explained->trials.count ? ", before any trial"
                                           : "");
    if (explained->recorded && !explained->trials.count)
        fprintf(out, "              no trial of %s has a prediction beside its time\n", explained->recorded);
    if (!explained->trials.count)
        return;
    snprintf(after, sizeof after, ", after %zu trial%s", explained->trials.count,
             explained->trials.count == 1 ? "" : "s");
    interval_move(&p, &explained->trials);
    put_interval(out, &p, after);
}

/* What the spec's metrics would be at the estimate. */
static void put_metrics(FILE *out, const struct explained *explained)
{
    const double time_s = explained->analysis->prediction.estimate_s;
    const struct spec *spec = explained->spec;
    double value;
    size_t m, put = 0;

    for (m = 0; m < spec->metric_count; m++)
        if (!spec_metric(&value, spec, m, explained->problem, explained->choices,
                         (struct spec_measured){time_s, 0}, NULL))
            fprintf(out, "%s%.5g %s", put++ ? ", " : "  metrics     ", value, spec->metrics[m].name);
    if (put)
        fprintf(out, "\n");
}

/* The tensor pipe has other work as well, such as HFMA2.MMA, which ptxas takes to load constants. */
static bool has_products(const struct sass_code *code)
{
    for (size_t i = 0; i < code->count; i++)
        if (sass_info(code->instructions[i].op)->class == SASS_CLASS_TENSOR)
            return true;
    return false;
}

/* What runs beside the warps, and what tensor cores and the power limit leave of the clock. */
static void put_beside(FILE *out, const struct analysis *from)
{
    const struct prediction *p = &from->prediction;
    const bool known = from->input.capacities.clock.tensor_hz > 0;

    if (p->tensor_share > 0 && has_products(&from->code))
        fprintf(out, "  tensor      cores are busy %.0f %% of the time%s\n", 100 * p->tensor_share,
                p->power_limited || !known ? "" : ": no power limit");
    if (p->clock_hz < from->input.capacities.clock_hz)
        fprintf(out,
                p->power_limited ? "  power       limits the clock to %.2f GHz\n"
                                 : "  clock       at most %.2f GHz where tensor cores work\n",
                1e-9 * p->clock_hz);
    if (from->storing_share >= 0.005)
        fprintf(
            out,
            "  epilogue    tensor cores have nothing to do %.0f %% of the time, while results are stored\n",
            100 * from->storing_share);
    if (from->mbarrier_share > 0)
        fprintf(out, "  mbarriers   a warp waits for %.0f %% of the time\n", 100 * from->mbarrier_share);
    if (from->copying_share > 0)
        fprintf(out, "  TMA         the copy engine is busy %.0f %% of the time\n",
                100 * from->copying_share);
}

/* Where not all that the grid touches is proved. */
static void put_touched(FILE *out, const struct analysis *from)
{
    const struct traffic_touched *touched = &from->traffic.touched;
    const struct traffic_least *least = &from->traffic.least;

    if (from->prediction.assumptions & PREDICT_ASSUMED_SHARING)
        fprintf(out, "  memory      %.3g MB are touched, %.3g at least and %.3g at most\n",
                (touched->read + touched->written) / 1e6, (least->read + least->written) / 1e6,
                (touched->read_most + touched->written_most) * (1 + from->traffic.access_error) / 1e6);
}

static void put_waves(FILE *out, const struct analysis *from)
{
    const struct residency *at = &from->input.residency;

    fprintf(out, "  waves       %.2f of %.0f blocks on each of %.0f SMs",
            at->blocks / (at->sms * at->blocks_per_sm), at->blocks_per_sm, at->sms);
    if (at->blocks_per_sm > from->occupancy.blocks)
        fprintf(out, ": %u fit, the others take places of warps that have ended", from->occupancy.blocks);
    fputc('\n', out);
}

static void put_last_block(FILE *out, const struct analysis *from)
{
    char text[32];

    if (!(from->input.latency.last_cycles > 0))
        return;
    progress_time_text(text, from->input.latency.last_cycles / from->prediction.clock_hz);
    fprintf(out, "  last block  goes on alone for %s\n", text);
}

/* Of an error in percent, so that it has two digits, as far as those are no more than whole percents. */
static int decimals(double error)
{
    return error < 0.01 ? 2 : error < 0.1 ? 1 : 0;
}

static void put_head(FILE *out, const struct explained *explained)
{
    const struct analysis *from = explained->analysis;
    const struct prediction *p = &from->prediction;
    char estimate[32], bound[32];

    progress_time_text(estimate, p->estimate_s);
    progress_time_text(bound, p->bound_s);
    fprintf(out, "  estimate    %s, at least %s%s\n", estimate, bound,
            p->assumptions & PREDICT_BOUND_NOT_PROVED ? " (likely, not proved)" : "");
    put_intervals(out, explained);
    put_metrics(out, explained);
    fprintf(out, "  limited by  ");
    put_limit(out, from);
    fprintf(out,
            "  cycles      a scheduler issues in %.0f %%, waits for throughput in %.0f %%, for latency in "
            "%.0f %%\n",
            100 * p->issued, 100 * p->stalled_bandwidth, 100 * p->stalled_latency);
    put_waves(out, from);
    put_last_block(out, from);
    if (from->emulation.work_error > 0)
        fprintf(out, "  work        counted to within %.*f %%: a sample tells of %.3g %% of the blocks\n",
                decimals(from->emulation.work_error), 100 * from->emulation.work_error,
                100 * from->emulation.unproven);
    if (from->traffic.access_error > 0)
        fprintf(out, "  accesses    of memory counted to within %.*f %%: blocks that were executed differ\n",
                decimals(from->traffic.access_error), 100 * from->traffic.access_error);
    put_touched(out, from);
    put_beside(out, from);
    fprintf(out, "  confidence  %.2f\n", p->confidence);
}

static void put_bounds(FILE *out, const struct analysis *from)
{
    const struct throughput *at = &from->prediction.at_sustained;
    enum resource order[RESOURCE_COUNT];
    const size_t count = explained_bounds(order, at);
    const bool latency = waits(&from->prediction);

    fprintf(out, "\nThroughput bounds, per warp of an SM\n  %-26s  %12s  %-17s  %12s  %10s\n", "resource",
            "demand", "unit", "per cycle", "cycles");
    for (size_t i = 0; i < count; i++) {
        const enum resource r = order[i];
        const double demand = from->demands.demand.count[r], whole = throughput_bottleneck(at, r);
        const bool joint =
            whole > at->cycles[r] && i + 1 < count && throughput_bottleneck(at, order[i + 1]) == whole;

        fprintf(out, "  %-26s  %12.5g  %-17s  %12.5g  %10.5g", resource_name(r), demand, resource_unit(r),
                demand / at->cycles[r], at->cycles[r]);
        if (joint) /* which the next line is of */
            fprintf(out, ", with %s %.5g", resource_name(order[i + 1]), whole);
        fprintf(out, "%s\n", r == from->prediction.limiter && !latency ? "  <- tightest" : "");
    }
    fprintf(out, "  latency: %.5g cycles over %.0f resident warps is one every %.5g%s\n",
            from->prediction.latency_cycles, from->prediction.had_warps,
            from->prediction.latency_cycles / from->prediction.had_warps, latency ? "  <- tightest" : "");
}

/* " at lines.cu:7" where the code knows its lines. */
static void put_line(FILE *out, const struct analysis *from, uint32_t pc)
{
    const char *file;
    unsigned line;

    if (lines_find(&file, &line, &from->lines, pc))
        fprintf(out, "  %s:%u", file, line);
}

static void put_share(FILE *out, const char *name, double cycles, double all)
{
    if (cycles > 0.0005 * all)
        fprintf(out, "  %-26s  %12.5g  %5.1f %%\n", name, cycles, 100 * cycles / all);
}

static void put_latency(FILE *out, const struct explained *explained)
{
    const struct analysis *from = explained->analysis;
    const double all = from->prediction.latency_cycles, own = from->path_cycles;
    double waited = 0;
    char text[TEXT];

    for (int c = 0; c < REPLAY_CAUSES; c++)
        waited += from->waited[c];
    fprintf(out, "\nLatency of a warp alone, %.5g cycles\n", all);
    put_share(out, "issue and fixed latencies", own - waited, all);
    put_share(out, "waits for shared memory", from->waited_shared, all);
    put_share(out, "waits for L1", from->waited_l1, all);
    put_share(out, "waits for L2", from->waited_l2, all);
    put_share(out, "waits for DRAM", from->waited_dram, all);
    put_share(out, "waits for other results",
              from->waited[REPLAY_SLOT] - from->waited_shared - from->waited_l1 - from->waited_l2 -
                  from->waited_dram,
              all);
    put_share(out, "waits for a pipe", from->waited[REPLAY_PIPE], all);
    put_share(out, "waits for a place to load", from->waited[REPLAY_PLACES], all);
    put_share(out, "barriers", from->waited[REPLAY_AT_BARRIER], all);
    put_share(out, "for the block's last warp", all - own - from->replace_cycles, all);
    put_share(out, "until the next block", from->replace_cycles, all);
    if (explained->chain_count)
        fprintf(out, "  what is waited for%s:\n",
                explained->line_count
                    ? ""
                    : " (with -lineinfo among the spec's options: at which line of the source)");
    for (size_t i = 0; i < explained->chain_count; i++) {
        const struct sass *instruction = &from->code.instructions[explained->chain[i]];

        sass_text(text, sizeof text, instruction);
        fprintf(out, "  0x%04x  %10.5g cycles  %s", instruction->pc,
                from->account.blamed[explained->chain[i]], text);
        put_line(out, from, instruction->pc);
        fprintf(out, "\n");
    }
}

static void put_occupancy(FILE *out, const struct analysis *from)
{
    const struct prediction *p = &from->prediction;
    const struct imbalance *lost = &from->imbalance;

    fprintf(out,
            "\nOccupancy\n  %u of %.0f warps an SM fit (%.0f %%), limited by %s; %.1f are needed to hide "
            "latency, "
            "%.0f are there\n",
            from->occupancy.warps, from->occupancy.warps / from->occupancy.share, 100 * from->occupancy.share,
            limiter_text(from->occupancy.limiter), p->needed_warps, p->had_warps);
    fprintf(out,
            "  achieved    %.0f %%: x %.2f for places that no block fills, x %.2f for blocks and x %.2f for "
            "warps of unequal length, x %.2f for places that wait for their next block\n",
            100 * from->achieved, lost->too_few, lost->between_blocks, lost->within_block, from->held);
}

static void put_changes(FILE *out, const struct explained *explained)
{
    const struct explained_changes *changes = &explained->changes;
    char now[64], then[64], time[32];

    if (!changes->tried)
        return;
    fprintf(out, "\nChanging one parameter, predicted for all %zu that can be\n", changes->tried);
    if (!changes->count)
        fprintf(out, "  none is predicted to gain 1 %%\n");
    for (size_t i = 0; i < changes->count; i++) {
        const struct explained_change *change = &changes->best[i];
        const struct spec_parameter *parameter = &explained->spec->parameters[change->parameter];

        value_text(now, sizeof now,
                   configuration_value(explained->spec, explained->choices, change->parameter));
        value_text(then, sizeof then, &parameter->values[change->choice]);
        progress_time_text(time, change->estimate_s);
        fprintf(out, "  %5.2fx  %s=%s instead of %s: %s\n", change->gain, parameter->name, then, now, time);
    }
}

static void put_advice(FILE *out, const struct explained *explained)
{
    fprintf(out, "\nWhat would move the limit%s\n",
            explained->advice_count ? ", each by itself" : ": nothing the model knows of");
    for (size_t i = 0; i < explained->advice_count; i++) {
        const struct advice *advice = &explained->advice[i];

        fprintf(out, "  %5.2fx  %s", advice->gain, advice->text);
        if (advice->at_code)
            fprintf(out, " (at %#x)", advice->pc);
        if (advice->at_code)
            put_line(out, explained->analysis, advice->pc);
        fprintf(out, "\n");
    }
}

static void put_lines(FILE *out, const struct explained *explained)
{
    if (explained->line_count)
        fprintf(out, "\nWhere a warp waits, by line of the source\n");
    for (size_t i = 0; i < explained->line_count; i++)
        fprintf(out, "  %5.1f %%  %s:%u\n",
                100 * explained->lines[i].waited_cycles / explained->analysis->prediction.latency_cycles,
                explained->lines[i].file, explained->lines[i].line);
}

static void put_unrated(FILE *out, const struct unrated *unrated)
{
    for (size_t i = 0; i < unrated->count; i++)
        fprintf(out, "  no rate     %s, executed %.5g times by warps; not known: %s\n", unrated->ops[i].name,
                unrated->ops[i].executed, unrated->ops[i].missing);
    if (unrated->count)
        fprintf(out, "              the estimate leaves them out and says nothing; what else limits still "
                     "makes the lower bound\n");
}

static void put_names(FILE *out, const char *what, const char *const *names, size_t count)
{
    int column = 0;

    for (size_t i = 0; i < count; i++) {
        if (!column)
            fprintf(out, "%s", i ? ",\n              " : what);
        column += fprintf(out, "%s%s", column ? ", " : "", names[i]);
        column = column > 90 ? 0 : column;
    }
    if (count)
        fprintf(out, "\n");
}

/* What a time rests on that is not of this GPU, or on nothing; of published profiles the head tells. */
static void put_profile(FILE *out, const struct device *device)
{
    const char *names[EXPLAINED_ELSEWHERE_MOST];

    put_names(out, "  elsewhere   measured on another GPU: ", names, explained_elsewhere(names, device));
    if (!device_is_published(device))
        put_names(out, "  profile     lacks ", names, device_lacks(names, device));
}

void explained_print(FILE *out, const struct explained *explained, bool verbose)
{
    put_head(out, explained);
    put_unrated(out, &explained->analysis->demands.unrated);
    explained_put_assumed(out, &explained->analysis->prediction, verbose);
    put_profile(out, explained->machine->device);
    put_changes(out, explained);
    put_advice(out, explained);
    put_lines(out, explained);
    if (!verbose)
        return;
    put_bounds(out, explained->analysis);
    put_latency(out, explained);
    put_occupancy(out, explained->analysis);
}
