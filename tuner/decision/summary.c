#include "tuner/decision/summary.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Below this the estimates hardly order what was measured. */
static const double disorder = 0.3;

/* A gain that is less is not worth its digits. */
static const double least_gain = 1e-4;

struct words {
    struct json *list;
    enum summary_length length;
    bool failed;
};

static void say_list(struct words *words, const char *format, va_list args)
{
    char text[1024];

    vsnprintf(text, sizeof text, format, args);
    if (!words->failed)
        words->failed = js_append(words->list, js_new_string(text));
}

static void say(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say_more(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct words *words, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_list(words, format, args);
    va_end(args);
}

/* What a short summary leaves out. */
static void say_more(struct words *words, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (words->length == SUMMARY_WHOLE)
        say_list(words, format, args);
    va_end(args);
}

static void say_what_limits(struct words *words, const struct variant_prediction *prediction)
{
    const char *limit = limited_text(prediction->limited_by, prediction->told.limiter);
    const char *closest = resource_name(prediction->told.limiter);
    const double needed = prediction->needed_warps, had = prediction->had_warps;

    if (prediction->limited_by == LIMITED_RESOURCE)
        say(words, "limited by %s: latency is hidden, %.1f warps per SM are needed and %.1f are there", limit,
            needed, had);
    else if (prediction->limited_by == LIMITED_LATENCY)
        say(words, "limited by %s: hiding it takes %.1f warps per SM, %.1f are there; then %s would limit",
            limit, needed, had, closest);
    else if (prediction->limited_by == LIMITED_CLOSEST)
        say(words,
            "no single limit is reached, %s comes closest: %.1f warps per SM would be enough without "
            "waiting in line, %.1f are there",
            closest, needed, had);
    else
        say(words, "limited by %s", limit);
}

/* Why the winner is as fast as it is, and no faster. */
static void say_limit(struct words *words, const struct tuned *tuned)
{
    const struct variant_prediction *prediction = &tuned->finalists[0].prediction;
    const double time_s = tuned->finalists[0].record.time_s;
    char bound[UNITS_BYTES], estimate[UNITS_BYTES];

    units_time(bound, prediction->told.bound_s);
    units_time(estimate, prediction->told.estimate_s);
    if (!prediction->told.predicted) {
        if (prediction->reason[0])
            say(words, "the model cannot say what limits it: %s", prediction->reason);
        return;
    }
    if (*prediction->unrated) {
        say(words, "the model has no rate for %s: its estimate says nothing, its lower bound is %s",
            prediction->unrated, bound);
        return;
    }
    say_what_limits(words, prediction);
    if (isnan(time_s)) /* nothing was measured */
        return;
    if (prediction->told.bound_s <= time_s)
        say_more(words,
                 "it takes %.2f times its lower bound of %s, set by %s; the estimate was %s (%+.0f %%)",
                 time_s / prediction->told.bound_s, bound, resource_name(prediction->bound_limiter), estimate,
                 100 * (prediction->told.estimate_s / time_s - 1));
    else
        say(words,
            "it is faster than its lower bound of %s, set by %s: the profile is of another GPU or out "
            "of date",
            bound, resource_name(prediction->bound_limiter));
}

/* In what the closest other finalist differs, and what that costs. */
static void say_close(struct words *words, const struct spec *spec, const struct tuned *tuned)
{
    const struct tuned_variant *best = &tuned->finalists[0], *next = &tuned->finalists[1];
    char changes[512] = "", a[64], b[64];
    size_t p, used = 0;

    if (tuned->finalist_count < 2 || isnan(best->record.time_s))
        return;
    for (p = 0; p < spec->parameter_count && used + 160 < sizeof changes; p++) {
        if (best->choices[p] == next->choices[p])
            continue;
        value_text(a, sizeof a, &spec->parameters[p].values[best->choices[p]]);
        value_text(b, sizeof b, &spec->parameters[p].values[next->choices[p]]);
        used += (size_t)snprintf(changes + used, sizeof changes - used, "%s%.40s %s instead of %s",
                                 used ? ", " : "", spec->parameters[p].name, b, a);
    }
    say_more(words, "next best, %.2f %% %s%s: %s", 100 * (tuned_cost(next) / tuned_cost(best) - 1),
             spec->objective.kind == OBJECTIVE_TIME ? "slower" : "worse", tuned->tied > 1 ? " (a tie)" : "",
             changes);
}

static void say_search(struct words *words, const struct tuned *tuned)
{
    const struct search_summary *s = &tuned->search;
    char compiles[128] = "", audited[64] = "", compiling[64] = "";
    size_t used = 0;

    if (s->audit.timed) /* in a recorded run too, where nothing is timed anew */
        snprintf(audited, sizeof audited, " and %" PRIu64 " more to audit it", s->audit.timed);
    if (s->shared)
        used = (size_t)snprintf(compiles, sizeof compiles, " in %" PRIu64 " compile%s",
                                s->compiled - s->shared, s->compiled - s->shared == 1 ? "" : "s");
    if (tuned->counts.missing)
        snprintf(compiles + used, sizeof compiles - used, " (%" PRIu64 " asked for are not in the recording)",
                 tuned->counts.missing);
    if (s->compiling)
        snprintf(compiling, sizeof compiling, ", %" PRIu64 " still being compiled at the end", s->compiling);
    if (s->end == SEARCH_GOING) {
        say(words,
            "%" PRIu64 " of %" PRIu64 " configurations compiled%s, %" PRIu64
            " timed when the run was ended: the same command %s",
            s->compiled, tuned->counts.valid, compiles, s->timed,
            tuned->evaluator->measures ? "goes on" : "begins anew, as there is no journal of recorded times");
        return;
    }
    say_more(words,
             "%" PRIu64 " of %" PRIu64 " configurations compiled%s, %" PRIu64 " timed%s; %" PRIu64
             " pruned because their lower bound is above the best time, %" PRIu64
             " because they are expected to be slower; %" PRIu64
             " not compiled, by what their neighbours are like%s",
             s->compiled, tuned->counts.valid, compiles, s->timed, audited, s->cut_bound, s->cut_estimate,
             s->not_compiled - s->compiling, compiling);
    if (s->end == SEARCH_SPENT && s->promising)
        say(words,
            "ended because %s: %" PRIu64 " more were compiled and may be faster, --trials takes them too",
            search_end_text(s->end), s->promising);
    else if (s->end == SEARCH_LITTLE)
        say(words, "ended because going on for another %.2g s is expected to gain %s%.2g %%: --time goes on",
            s->again_s, s->further_gain < least_gain ? "less than " : "",
            100 * (s->further_gain < least_gain ? least_gain : s->further_gain));
    else
        say(words, "ended because %s", search_end_text(s->end));
}

static void say_model(struct words *words, const struct spec *spec, const struct tuned *tuned)
{
    const struct search_summary *s = &tuned->search;

    if (spec->objective.energy && tuned->profile[0])
        say(words, "the model predicts times, not energies: estimates were taken at the power limit and "
                   "corrected by what "
                   "was measured; nothing was pruned by its lower bound");

    if (!tuned->profile[0] || (s->compiled && s->refused == s->compiled))
        say(words, "nothing was predicted: measured times alone guided the search");
    else if (s->rank_correlation < disorder)
        say(words,
            "the estimates did not order the measured variants (rank correlation %.2f): measured times "
            "decided",
            s->rank_correlation);
    else if (s->rank_correlation <= 1)
        say_more(words, "rank correlation of the estimates with the measured times: %.2f",
                 s->rank_correlation);
    if (s->refused && s->refused < s->compiled)
        say(words, "%" PRIu64 " of the compiled have no prediction: no rule passes them over", s->refused);
    if (tuned->counts.read_differently)
        say(words,
            "of %" PRIu64 " variants that the model read, %" PRIu64
            " have other machine code here (NVRTC %s) than was recorded (NVRTC %s)",
            tuned->counts.read, tuned->counts.read_differently, tuned->nvrtc_here, tuned->nvrtc);
}

static void say_audit(struct words *words, const struct tuned *tuned)
{
    const struct search_summary *s = &tuned->search;

    if (!s->audit.timed || (words->length == SUMMARY_SHORT && !s->audit.faster))
        return;
    if (isinf(s->audit.nearest)) {
        say(words, "audit: none of %" PRIu64 " re-measured ran correctly", s->audit.timed);
        return;
    }
    say(words,
        "audit: %" PRIu64 " of %" PRIu64
        " re-measured beat the best: at most %.1f %% of those pruned would; the nearest was %.1f %% %s",
        s->audit.faster, s->audit.timed, 100 * s->audit.limit, 100 * fabs(s->audit.nearest - 1),
        s->audit.nearest < 1 ? "faster" : "slower");
}

int summary_new(struct json **out, const struct spec *spec, const struct tuned *tuned,
                enum summary_length length, struct err *err)
{
    struct words words = {.list = js_new_array(), .length = length};

    *out = NULL;
    words.failed = !words.list;
    if (tuned->finalist_count) {
        say_limit(&words, tuned);
        say_close(&words, spec, tuned);
    }
    if (tuned->strategy->prunes) {
        say_search(&words, tuned);
        say_model(&words, spec, tuned);
        say_audit(&words, tuned);
    }
    if (words.failed) {
        js_free(words.list);
        return err_memory(err);
    }
    *out = words.list;
    return 0;
}
