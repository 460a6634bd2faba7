#include "tuner/cli/explain.h"

#include "space/configuration.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/cli.h"
#include "tuner/evaluate/environment.h"
#include "tuner/evaluate/recording.h"

#include <stdlib.h>

static const struct cli_option options[] = {
    {"config", 'c', "K=V,...", "the configuration; what is not named keeps its default"},
    {"device", 0, "PROFILE", "profile of the GPU, a name or a file (default nvidia-h200)"},
    {"recorded", 0, "FILE", "journal of a run: what its trials say of the interval"},
    {"set", 0, "NAME=VALUE", "override a problem size; may be repeated"},
    {"verbose", 'v', NULL, "show the bounds, the latency and the occupancy behind it, too"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

/* Finding ------------------------------------------------------------------ */

/* What share a bottleneck stand one behind the other, the larger part first. */
static bool is_tighter(const struct throughput *throughput, enum resource a, enum resource b)
{
    const double whole_a = throughput_bottleneck(throughput, a),
                 whole_b = throughput_bottleneck(throughput, b);

    return whole_a != whole_b ? whole_a > whole_b : throughput->cycles[a] > throughput->cycles[b];
}

size_t explained_bounds(enum resource out[RESOURCE_COUNT], const struct throughput *throughput)
{
    size_t count = 0, at;
    enum resource r;

    for (r = 0; r < RESOURCE_COUNT; r++) {
        if (!(throughput->cycles[r] > 0))
            continue;
        for (at = count++; at > 0 && is_tighter(throughput, r, out[at - 1]); at--)
            out[at] = out[at - 1];
        out[at] = r;
    }
    return count;
}

static void find_chain(struct explained *out)
{
    const struct replay_account *account = &out->analysis->account;
    size_t at;

    for (size_t i = 0; i < account->count; i++) {
        if (!(account->blamed[i] > 0.01 * out->analysis->path_cycles))
            continue;
        if (out->chain_count < EXPLAIN_CHAIN)
            out->chain_count++;
        else if (account->blamed[i] <= account->blamed[out->chain[EXPLAIN_CHAIN - 1]])
            continue;
        for (at = out->chain_count - 1; at > 0 && account->blamed[out->chain[at - 1]] < account->blamed[i];
             at--)
            out->chain[at] = out->chain[at - 1];
        out->chain[at] = i;
    }
}

/* Trials of the kernel whose times the journal has beside what was predicted of them. */
static int find_trials(struct explained *out, const char *path, struct err *err)
{
    struct journal *journal;

    if (recording_open(&journal, path, out->spec, out->problem, out->machine->device->name, err))
        return err->code;
    for (size_t i = 0; i < journal_count(journal); i++) {
        const struct record *record = journal_record(journal, i);
        const struct record_prediction *p = &record->prediction;

        if (record->outcome == OUTCOME_OK && record->time_s > 0 && p->predicted && !p->unrated)
            interval_add_trial(&out->trials, p->estimate_s, record->time_s);
    }
    out->recorded = path;
    journal_free(journal);
    return 0;
}

/* What of `choices` was expected; all are borrowed. */
static int explained_init(struct explained *out, const struct analysis *analysis,
                          const struct ranking_options *how, const unsigned *choices, double cost,
                          struct err *err)
{
    *out = (struct explained){.analysis = analysis,
                              .machine = how->machine,
                              .spec = how->spec,
                              .problem = how->problem,
                              .choices = choices};
    out->advice_count = advice_of(out->advice, analysis, how->machine);
    find_chain(out);
    if (explained_find_lines(out, err))
        return ERR_MEMORY;
    return explained_changes(&out->changes, how, choices, cost, err);
}

/* The command -------------------------------------------------------------- */

static int show(struct cli *cli, const struct cli_args *args, const struct ranking_options *how,
                const unsigned *choices, const struct analysis *analysis, double cost, struct err *err)
{
    struct explained explained;
    char *text = configuration_text(how->spec, choices), sizes[256];
    int rc = explained_init(&explained, analysis, how, choices, cost, err);

    if (!rc && cli_given(args, "recorded"))
        rc = find_trials(&explained, cli_text(args, "recorded"), err);
    if (!rc && !text)
        rc = err_memory(err);
    spec_problem_text(sizes, sizeof sizes, how->spec, how->problem);
    if (!rc && cli_given(args, "json")) {
        struct json *object = explained_json(&explained);

        if (object && (js_set(object, "configuration", configuration_json(how->spec, choices)) |
                       js_set_string(object, "problem", sizes))) {
            js_free(object);
            object = NULL;
        }
        rc = cli_print_json(cli, object, err);
    } else if (!rc) {
        fprintf(cli->out, "%s%s%s, %s: predicted for %s\n", how->spec->kernel.name, *sizes ? " " : "", sizes,
                text, how->machine->device->name);
        explained_print(cli->out, &explained, cli_given(args, "verbose"));
    }
    free(text);
    return rc;
}

static int explain_one(struct cli *cli, const struct cli_args *args, struct ranking_options *how,
                       const unsigned *choices, struct err *err)
{
    struct analysis *analysis = calloc(1, sizeof *analysis);
    char cache[4096];
    struct ranked row;
    int rc = analysis ? compiler_open(&how->compiler, NULL, cli_cache(cli, cache, sizeof cache), err)
                      : err_memory(err);

    if (rc) {
        free(analysis);
        return rc;
    }
    rc = ranking_one(&row, analysis, how, choices, err);
    if (!rc && !row.predicted)
        rc = analysis->at_code ? err_set(err, ERR_MISSING, "no prediction: at code offset %#x: %s",
                                         analysis->pc, row.reason)
                               : err_set(err, row.outcome == OUTCOME_LIMITS ? ERR_USAGE : ERR_MISSING,
                                         "no prediction: %s", row.reason);
    if (!rc)
        rc = show(cli, args, how, choices, analysis, ranked_cost(&row), err);
    free(row.reason);
    analysis_release(analysis);
    free(analysis);
    compiler_close(how->compiler);
    return rc;
}

static int run_explain(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct ranking_options how = {.account = true, .jobs = environment_cores()};
    unsigned *choices = NULL;
    struct device device;
    struct machine machine;
    struct spec spec;
    int rc = spec_read(&spec, args->words[0], SPEC_WHOLE, args->sets, args->set_count, err);

    if (rc)
        return CLI_WRONG_USE;
    choices = calloc(spec.parameter_count, sizeof *choices);
    rc = choices ? choose_configuration(choices, &spec, args, err) : err_memory(err);
    if (!rc)
        rc = choose_remark(cli, &spec, choices, err);
    if (!rc)
        rc = choose_remark_metrics(cli, &spec, err);
    if (!rc)
        choose_remark_first(cli, &spec);
    device_init(&device);
    if (!rc)
        rc =
            choose_device(&device, cli_given(args, "device") ? cli_text(args, "device") : "nvidia-h200", err);
    if (!rc)
        rc = machine_init(&machine, &device, err);
    if (!rc) {
        how.spec = &spec;
        how.machine = &machine;
        rc = explain_one(cli, args, &how, choices, err);
        machine_release(&machine);
    }
    device_release(&device);
    free(choices);
    spec_release(&spec);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_explain = {
    "explain", "SPEC",     "shows what limits one configuration, and what would help", options, 1,
    1,         run_explain};
