#include "synthetic.h"

#include "check.h"

#include "base/hash.h"

static const char small[] =
    "{\"parameters\": {\"TILE\": [16, 32, 64, 128], \"BLOCK\": [64, 128, 256, 512], \"UNROLL\": [1, 2, 4, 8],"
    "\"VECTOR\": [1, 2, 4], \"WARPS\": [4, 8, 16, 32], \"STAGE\": [0, 1]},"
    "\"constraints\": [\"TILE * VECTOR <= BLOCK * 2\", \"UNROLL * VECTOR <= 16\"]}";

/* Tiles of a problem, which some of them divide. */
static const char tiled[] =
    "{\"parameters\": {\"BLOCK_X\": [16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, "
    "256],"
    "\"BLOCK_Y\": [1, 2, 4, 8, 16], \"TILE_X\": [1, 2, 3, 4], \"TILE_Y\": [1, 2, 3, 4]},"
    "\"constraints\": [\"BLOCK_X * BLOCK_Y <= 1024\"], \"problem\": {\"W\": 4096, \"H\": 4096},"
    "\"launch\": {\"grid\": [\"ceil_div(W, BLOCK_X * TILE_X)\", \"ceil_div(H, BLOCK_Y * TILE_Y)\"],"
    "\"block\": [\"BLOCK_X\", \"BLOCK_Y\"]}}";

/* A number of the stream `seed` in -1 to 1. */
static double uniform(uint64_t seed, uint64_t index)
{
    return (double)(hash_random(seed, index) >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

static double normal(uint64_t seed, uint64_t index)
{
    const double u = (uniform(seed, 2 * index) + 1) / 2, v = uniform(seed, 2 * index + 1);

    return sqrt(-2 * log(1 - u)) * cos(M_PI * v);
}

enum { PARAMETERS = 20, VALUES = 16 };

/* Every parameter has a best value and costs more the further away, every pair interacts by `pairs`, and what is left is a
 * configuration's own. What values and pairs of them cost is drawn once. */
struct terms {
    double value[PARAMETERS][VALUES];
    double pair[PARAMETERS][PARAMETERS][VALUES][VALUES];
    double own;
    uint64_t seed;
};

static void draw_pair(double out[VALUES][VALUES], double pairs, uint64_t seed)
{
    for (unsigned a = 0; a < VALUES; a++)
        for (unsigned b = 0; b < VALUES; b++)
            out[a][b] = pairs * uniform(seed, 16 * a + b);
}

static struct terms *draw_terms(const struct spec *spec, double pairs, double own, uint64_t seed)
{
    struct terms *terms = calloc(1, sizeof *terms);

    assert_non_null(terms);
    assert_in_range(spec->parameter_count, 1, PARAMETERS);
    terms->own = own;
    terms->seed = seed;
    for (size_t p = 0; p < spec->parameter_count; p++) {
        const double n = (double)spec->parameters[p].value_count;
        const double best = (uniform(seed, p) + 1) / 2 * (n - 1), weight = 0.1 + 0.1 * uniform(seed, 50 + p);

        assert_in_range(spec->parameters[p].value_count, 1, VALUES);
        for (unsigned c = 0; c < VALUES; c++)
            terms->value[p][c] = weight * fabs(c - best);
        for (size_t q = 0; q < p; q++)
            draw_pair(terms->pair[p][q], pairs, hash_u64(seed, 100 * p + q));
    }
    return terms;
}

static double log_time(const struct synthetic *s, const struct terms *terms, const unsigned *choices)
{
    double sum = 0;
    uint64_t key = terms->seed;

    for (size_t p = 0; p < s->spec.parameter_count; p++) {
        sum += terms->value[p][choices[p]];
        key = hash_u64(key, choices[p]);
        for (size_t q = 0; q < p; q++)
            sum += terms->pair[p][q][choices[p]][choices[q]];
    }
    return sum + terms->own * normal(key, 0);
}

/* The threads of a block and the elements of a thread have each a best number, near which times change little; where
 * a tile does not divide the problem, bounds are checked. */
static double tiled_log_time(const struct synthetic *s, const unsigned *choices, uint64_t seed)
{
    double value[4], time;

    for (size_t p = 0; p < 4; p++)
        value[p] = value_real(&s->spec.parameters[p].values[choices[p]]);
    time = 0.18 * fabs(log2(value[0] * value[1]) - 7.5 - uniform(seed, 0)) +
           0.22 * fabs(log2(value[2] * value[3]) - 2 - uniform(seed, 1)) +
           0.05 * normal(hash_u64(seed, 1), 16 * choices[0] + choices[2]) +
           0.05 * normal(hash_u64(seed, 2), 16 * choices[1] + choices[3]);
    return time + (fmod(4096, value[0] * value[2]) > 0 || fmod(4096, value[1] * value[3]) > 0 ? 0.28 : 0);
}

static struct search_prediction prediction_of(double time_s, double error, uint64_t seed, uint64_t index)
{
    const double estimate = time_s * 0.8 * exp(error * normal(seed + 7, index));

    return (struct search_prediction){
        true,     fmin(estimate, time_s) * (0.55 + 0.3 * uniform(seed + 8, index)),
        estimate, RESOURCE_ISSUE,
        false,    false};
}

static void fill(struct synthetic *s, enum synthetic_kind kind, uint64_t seed)
{
    const bool rough = kind == SYNTHETIC_ROUGH;
    const size_t warps = s->spec.parameter_count - (s->spec.parameter_count > 6 ? 3 : 2);
    struct terms *terms = draw_terms(&s->spec, rough ? 0.06 : 0.02, rough ? 0.03 : 0.01, seed);
    unsigned choices[32];

    for (uint64_t i = 0; i < s->count; i++) {
        double time, seen;

        space_configuration(choices, s->space, i);
        time = kind == SYNTHETIC_TILED ? tiled_log_time(s, choices, seed) : log_time(s, terms, choices);
        if (kind == SYNTHETIC_NEEDLE && choices[0] == 1 && choices[1] == 1 && choices[2] == 1)
            time -= 0.35;
        if (kind == SYNTHETIC_FALLING)
            time += 0.3 * choices[warps];
        seen = kind == SYNTHETIC_FALLING ? time - 0.6 * choices[warps] : time;
        s->time_s[i] = kind == SYNTHETIC_WRONG ? NAN : 1e-3 * exp(time);
        s->prediction[i] = prediction_of(1e-3 * exp(kind == SYNTHETIC_MISLEADING ? 1 - seen : seen),
                                         rough ? 0.25 : 0.1, seed, i);
        s->prediction[i].bound_s = fmin(s->prediction[i].bound_s, 0.9 * 1e-3 * exp(time));
        s->prediction[i].predicted = kind != SYNTHETIC_REFUSED;
        s->best_s = fmin(s->best_s, s->time_s[i]);
    }
    free(terms);
}

void synthetic_open(struct synthetic *out, enum synthetic_kind kind, bool large, uint64_t seed)
{
    *out = (struct synthetic){.best_s = INFINITY, .noise = 0.003};
    if (kind == SYNTHETIC_TILED)
        assert_int_equal(
            spec_read_text(&out->spec, tiled, strlen(tiled), "tiled.json", SPEC_SPACE, NULL, 0, NULL), 0);
    else if (large)
        assert_int_equal(spec_read(&out->spec, "tests/data/spaces/gemm.json", SPEC_SPACE, NULL, 0, NULL), 0);
    else
        assert_int_equal(
            spec_read_text(&out->spec, small, strlen(small), "synthetic.json", SPEC_SPACE, NULL, 0, NULL), 0);
    assert_int_equal(space_open(&out->space, &out->spec, 0, NULL), 0);
    assert_int_equal(space_default(&out->first, out->space, NULL), 0);
    out->count = space_count(out->space);
    out->time_s = calloc(out->count, sizeof *out->time_s);
    out->prediction = calloc(out->count, sizeof *out->prediction);
    assert_non_null(out->time_s);
    assert_non_null(out->prediction);
    fill(out, kind, seed);
}

void synthetic_close(struct synthetic *synthetic)
{
    free(synthetic->time_s);
    free(synthetic->prediction);
    space_close(synthetic->space);
    spec_release(&synthetic->spec);
}

/* One run ------------------------------------------------------------------ */

struct drive {
    const struct synthetic *s;
    struct search *search;
    struct synthetic_run *out;
    const struct strategy *strategy;
    struct search_step lanes[64]; /* under way, oldest first */
    unsigned count, cores;
    uint64_t ready; /* compiled, not yet asked to time */
    double measured_best_s, now_s;
    uint64_t seed;
    double *told_s;         /* by index: infinite where not timed, or where it failed */
    unsigned char *cool;    /* by index: told of the cool GPU */
    unsigned char *touched; /* by index: 1 compiled, 2 timed */
};

enum { COOL_PER_CENT = 90, CORRECTED_AFTER = 8 };

static double warmer(const void *context, uint64_t index)
{
    const struct drive *d = context;

    return d->cool[index] ? 100.0 / COOL_PER_CENT : 1;
}

/* Of the measured, by what is known now. */
static void correct(struct drive *d)
{
    search_correct(d->search, warmer, d);
    d->measured_best_s = INFINITY;
    for (uint64_t i = 0; i < d->s->count; i++) {
        d->told_s[i] *= warmer(d, i);
        d->cool[i] = 0;
        if (d->told_s[i] < d->measured_best_s) {
            d->measured_best_s = d->told_s[i];
            d->out->best_s = d->s->time_s[i];
        }
    }
}

static void finish_oldest(struct drive *d)
{
    const struct search_step step = d->lanes[0];
    const double noise = d->s->noise * normal(d->seed, step.index), time = d->s->time_s[step.index];
    struct search_facts facts = {.timed = step.action == SEARCH_TIME};

    facts.spent_s = facts.timed ? 0.01 : 0.2;
    d->now_s += facts.timed ? 0.01 : 0.2 / d->cores;
    memmove(d->lanes, d->lanes + 1, --d->count * sizeof *d->lanes);
    if (!facts.timed) {
        facts.prediction = d->s->prediction[step.index];
        facts.shared = d->s->sharing && step.index % 2;
        facts.impossible = d->s->refusing && step.index % 2;
        facts.outcome = facts.impossible ? OUTCOME_LIMITS : OUTCOME_OK;
        d->ready += !facts.impossible;
    } else {
        facts.outcome = isnan(time) ? OUTCOME_WRONG : OUTCOME_OK;
        d->cool[step.index] = !step.audit && d->out->timed < d->s->cool;
        facts.time_s = time * exp(noise) / warmer(d, step.index);
        d->told_s[step.index] = step.audit || isnan(time) ? INFINITY : facts.time_s;
        if (!step.audit)
            d->out->timed++;
        else
            d->out->audited++;
        d->out->audited_faster += step.audit && facts.time_s < d->measured_best_s;
        if (!step.audit && facts.time_s < d->measured_best_s) {
            d->measured_best_s = facts.time_s;
            d->out->best_s = time;
        }
        for (size_t mark = 0; mark < 3 && !step.audit; mark++)
            if (d->out->timed <= (uint64_t[]){10, 30, 100}[mark])
                d->out->after[mark] = d->out->best_s;
    }
    if (!step.audit)
        d->touched[step.index] = facts.timed ? 2 : 1;
    assert_int_equal(search_tell(d->search, step.index, &facts, NULL), 0);
    if (d->s->corrects && facts.timed && !step.audit && d->out->timed == d->s->cool + CORRECTED_AFTER)
        correct(d);
}

static void judge(struct drive *d)
{
    struct synthetic_run *out = d->out;
    struct search_cut *cuts;
    size_t n;

    search_summarise(&out->summary, d->search);
    cuts =
        calloc(out->summary.cut_bound + out->summary.cut_estimate + out->summary.promising + 1, sizeof *cuts);
    n = search_cuts(cuts, d->search);
    assert_int_equal(n, out->summary.cut_bound + out->summary.cut_estimate + out->summary.promising);
    for (size_t i = 0; i < n; i++) {
        out->unread_cut += cuts[i].fate != SEARCH_LEFT && !cuts[i].prediction.predicted;
        assert_int_equal(cuts[i].fate, search_fate(d->search, cuts[i].index));
        out->lost_by_bound |=
            cuts[i].fate == SEARCH_CUT_BOUND && d->s->time_s[cuts[i].index] < d->measured_best_s;
        if (cuts[i].fate == SEARCH_CUT_BOUND)
            d->touched[cuts[i].index] = 2;
    }
    free(cuts);
    for (size_t i = 0; i < d->s->count; i++) {
        out->passed_over += d->touched[i] < 2;
        out->passed_over_faster += d->touched[i] < 2 && d->s->time_s[i] < d->measured_best_s;
    }
}

/* Ruled out by what is certain: no audit need time it. */
static bool is_bounded(const struct drive *d, uint64_t index)
{
    const struct search_prediction *prediction = &d->s->prediction[index];

    return prediction->predicted && !prediction->likely && prediction->bound_s >= d->measured_best_s;
}

/* One GPU. */
static struct search_capacity capacity(const struct drive *d, unsigned lanes)
{
    size_t timing = 0, i;

    for (i = 0; i < d->count; i++)
        timing += d->lanes[i].action == SEARCH_TIME;
    return (struct search_capacity){d->count < lanes && !(d->s->ready_most && d->ready >= d->s->ready_most),
                                    timing < d->strategy->trials_ahead && d->count < lanes, d->now_s};
}

void synthetic_search(struct synthetic_run *out, const struct synthetic *synthetic,
                      const struct search_options *options, unsigned lanes)
{
    struct search_options filled = *options;
    struct drive d = {.s = synthetic,
                      .out = out,
                      .strategy = options->strategy,
                      .cores = lanes,
                      .measured_best_s = INFINITY,
                      .seed = hash_u64(options->seed, 99)};
    struct search_step step = {.action = SEARCH_WAIT};

    *out = (struct synthetic_run){.best_s = INFINITY, .after = {INFINITY, INFINITY, INFINITY}};
    filled.count = synthetic->count;
    filled.first = synthetic->first;
    filled.cores = lanes;
    filled.space = synthetic->space;
    filled.spec = &synthetic->spec;
    d.touched = calloc(synthetic->count, 1);
    d.cool = calloc(synthetic->count, 1);
    d.told_s = calloc(synthetic->count, sizeof *d.told_s);
    for (uint64_t i = 0; i < synthetic->count; i++)
        d.told_s[i] = INFINITY;
    assert_int_equal(search_open(&d.search, &filled, NULL), 0);
    while (step.action != SEARCH_STOP) {
        assert_int_equal(search_next(&step, d.search, capacity(&d, lanes), NULL), 0);
        if (step.action == SEARCH_COMPILE || step.action == SEARCH_TIME) {
            assert_true(step.action == SEARCH_TIME || step.audit || !d.touched[step.index]);
            out->compiled += step.action == SEARCH_COMPILE && !step.audit;
            assert_false(step.action == SEARCH_TIME && step.audit && d.touched[step.index] == 1 &&
                         is_bounded(&d, step.index));
            d.ready -= step.action == SEARCH_TIME;
            d.lanes[d.count++] = step;
        } else if (step.action == SEARCH_WAIT) {
            assert_true(d.count > 0);
            finish_oldest(&d);
        }
    }
    while (d.count) { /* what still compiles is given up */
        step = d.lanes[--d.count];
        assert_int_equal(step.action, SEARCH_COMPILE);
        out->compiled -= !step.audit;
    }
    judge(&d);
    search_close(d.search);
    free(d.touched);
    free(d.cool);
    free(d.told_s);
}
