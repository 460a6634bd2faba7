/* From an index to code that can be timed, or to the reason why not. */
#include "tuner/tune/tuning.h"

#include "base/file.h"
#include "base/hash.h"
#include "gpu/sources.h"
#include "model/machine/occupancy.h"
#include "tuner/predict/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known already ---------------------------------------------------- */

/* Takes over what a record says of code and times, under the candidate's own key. */
static int adopt(struct candidate *candidate, const struct record *record, struct err *err)
{
    char *key = candidate->record.key;
    struct record copy;

    if (record_copy(&copy, record, err))
        return ERR_MEMORY;
    free(copy.key);
    free(copy.same_as);
    copy.same_as = NULL;
    copy.key = key;
    candidate->record.key = NULL;
    record_release(&candidate->record);
    candidate->record = copy;
    return 0;
}

/* Forgets a record that no longer fits, but not the candidate's own key and hashes. */
static void leave_aside(struct tuning *tuning, struct candidate *candidate, uint64_t build_hash,
                        uint64_t launch_hash)
{
    char *key = candidate->record.key;

    candidate->record.key = NULL;
    record_release(&candidate->record);
    candidate->record.key = key;
    candidate->record.build_hash = build_hash;
    candidate->record.launch_hash = launch_hash;
    candidate->record.identified = true;
    candidate->known = false;
    tuning->out->counts.stale++;
}

/* So many compiles may begin meanwhile that to ask for the state of every header before each costs more than all else of
 * their sources. */
static const double headers_patience_s = 0.02;

/* What goes into the compiler. 0, which no record is trusted for and no code known by, where the source
 * includes what only the preprocessor could tell. */
static int build_hash_of(uint64_t *out, struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    const struct compile_request request = request_of(&candidate->work->variant, tuning->arch, 0);
    struct job_sources *sources = calloc(1, sizeof *sources);
    const struct sources_hash *hash;
    int rc = sources ? 0 : err_memory(err);

    *out = 0;
    if (!rc && !tuning->source_text)
        rc = file_read(&tuning->source_text, &tuning->source_size, request.source_path, err);
    if (!rc)
        rc = sources_list_kept(&tuning->sources_kept, &sources->files, &sources->hash, &request,
                               tuning->source_text, headers_patience_s, err);
    if (rc) {
        job_sources_free(sources);
        return rc;
    }
    hash = &sources->hash;
    if (hash->complete) {
        *out = hash_text(hash->all, tuning->nvrtc);
        candidate->work->job.code = hash->code;
    }
    job_sources_free(candidate->work->job.sources);
    candidate->work->job.sources = sources;
    sources->hash.complete = hash->complete && strlen(tuning->source_text) == tuning->source_size;
    return 0;
}

/* What was too late once may be in time today. Earlier versions took that for a verdict. */
static bool was_late(const struct record *record)
{
    static const char late[] = "did not end within ";

    return record->outcome == OUTCOME_COMPILE && record->message &&
           !strncmp(record->message, late, sizeof late - 1);
}

/* Whether a record's verdict rests on a comparison with something else than the run's reference. Only a run
 * that measures could compare again. */
static int is_outdated(bool *out, struct tuning *tuning, struct candidate *candidate,
                       const struct record *timed, struct err *err)
{
    uint64_t reference;
    int rc;

    *out = false;
    if (!tuning->out->evaluator->launches || !record_was_compared(timed))
        return 0;
    rc = candidate_set_reference(tuning, candidate, err);
    if (!rc)
        rc = candidate_reference_hash(&reference, tuning, candidate, err);
    *out = !rc && reference != timed->reference_hash;
    return rc;
}

/* Looks the candidate up. Trusted: what went into its code and launch is what went into the record's. Known
 * but not trusted: the source or compiler is another now, so its code decides. */
static int look_up(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    const struct record *found =
        tuning->journal ? journal_find(tuning->journal, candidate->record.key) : NULL;
    const struct record *timed = found ? journal_measured(tuning->journal, found) : NULL;
    const uint64_t launch = hash_u64(launch_hash(&candidate->work->variant.launch), tuning->protocol_hash);
    uint64_t build;
    bool same_build, outdated;
    int rc = build_hash_of(&build, tuning, candidate, err);

    if (rc)
        return rc;
    candidate->record.identified = true;
    candidate->record.build_hash = build;
    candidate->record.launch_hash = launch;
    if (!timed || was_late(timed))
        return 0;
    same_build = !found->identified || (build && found->build_hash == build);
    rc = is_outdated(&outdated, tuning, candidate, timed, err);
    if (rc)
        return rc;
    if (outdated || (found->identified && found->launch_hash != launch)) {
        tuning->out->counts.stale++;
        return 0;
    }
    if (energy_lacks(tuning, timed)) {
        tuning->out->counts.stale++;
        return 0;
    }
    rc = adopt(candidate, timed, err);
    candidate->known = true;
    candidate->trusted = same_build;
    candidate->record.build_hash = build;
    return rc;
}

/* Compiling ---------------------------------------------------------------- */

static bool has_limits(const struct tuning *tuning)
{
    return tuning->out->device.limits.warp_size != 0;
}

static int submit_compile(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    int rc = 0;

    if (!candidate->trusted && tuning->out->evaluator->launches)
        rc = reference_submit(tuning, candidate, err);
    if (rc)
        return rc;
    candidate->submitted = true;
    candidate->work->job.read = candidate_read(tuning, candidate);
    candidate->work->job.kind = EVALUATOR_COMPILE;
    candidate->work->job.takes_packed = true;
    candidate->work->job.variant = &candidate->work->variant;
    candidate->work->job.choices = candidate->choices;
    candidate->work->job.known = candidate->trusted ? &candidate->record : NULL;
    if (reference_is(tuning, candidate) && !candidate->trusted && tuning->out->evaluator->launches)
        tuning->reference_pending = true;
    return evaluator_submit(tuning->evaluator, &candidate->work->job, err);
}

int candidate_compile(struct tuning *tuning, uint64_t index, struct err *err)
{
    struct candidate *candidate;
    char reason[512];
    int rc = candidate_new(&candidate, tuning, index, err);

    if (!rc)
        rc = variant_make(&candidate->work->variant, tuning->spec, tuning->problem, candidate->choices, err);
    if (rc)
        return rc;
    candidate->weight = candidate->work->variant.weight;
    if (candidate->work->variant.outcome != OUTCOME_OK) {
        snprintf(reason, sizeof reason, "%s", candidate->work->variant.message);
        return candidate_reject(tuning, candidate, candidate->work->variant.outcome, reason, err);
    }
    if ((has_limits(tuning) && !occupancy_launchable(reason, sizeof reason, &tuning->out->device.limits,
                                                     &candidate->work->variant.launch, NULL)) ||
        !device_can_launch(reason, sizeof reason, tuning->out->device.sm, &candidate->work->variant.launch))
        return candidate_reject(tuning, candidate, OUTCOME_LIMITS, reason, err);
    rc = look_up(tuning, candidate, err);
    if (rc)
        return rc;
    if (!tuning->out->evaluator->measures && !candidate->known) {
        tuning->out->counts.missing++;
        return candidate_reject(tuning, candidate, OUTCOME_SKIPPED, "is not in the recording", err);
    }
    if (!candidate->trusted && !tuning->environment->compiler) {
        leave_aside(tuning, candidate, candidate->record.build_hash, candidate->record.launch_hash);
        return candidate_reject(tuning, candidate, OUTCOME_SKIPPED,
                                "its source has changed and cannot be compiled here", err);
    }
    return submit_compile(tuning, candidate, err);
}

static void take_resources(struct record *record, const struct cubin_resources *resources,
                           const struct launch *launch, const struct device_limits *limits)
{
    const struct occupancy_block block = occupancy_block_of(launch, resources);
    struct occupancy occupancy;

    record->registers = (int)resources->registers;
    record->shared_bytes = (int)(resources->shared_bytes + launch->shared_bytes);
    record->spill_instructions = (int)(resources->spill_instructions);
    occupancy_of(&occupancy, limits, &block);
    record->carveout = launch->carveout;
    record->blocks_per_sm = (int)occupancy.blocks;
    record->occupancy = occupancy.share;
}

int candidate_facts(struct candidate *candidate, struct err *err)
{
    struct evaluator_job *job = &candidate->work->job;

    return job->facts.known ? 0 : code_facts_read(&job->facts, &job->compiled, candidate->record.key, err);
}

/* Reads the code into the record. A reason where it cannot be launched here. */
static int read_code(struct tuning *tuning, struct candidate *candidate, char *reason, size_t size,
                     struct err *err)
{
    const char *entry = candidate->work->job.compiled.entry;
    const struct launch *launch = &candidate->work->variant.launch;
    const struct code_facts *facts = &candidate->work->job.facts;
    int rc = candidate_facts(candidate, err);

    reason[0] = '\0';
    if (rc)
        return rc;
    candidate->record.code_hash = facts->hash;
    if (has_limits(tuning))
        take_resources(&candidate->record, &facts->resources, launch, &tuning->out->device.limits);
    if (code_facts_fit(reason, size, facts, entry, launch) && has_limits(tuning))
        occupancy_launchable(reason, size, &tuning->out->device.limits, launch, &facts->resources);
    return 0;
}

/* Identical machine code at an identical launch and weight is measured once. */
static int find_same_code(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    const uint64_t key = record_code_key(&candidate->record, candidate->work->variant.weight);
    struct candidate *other;

    if (!key)
        return 0;
    other = map_find(&tuning->by_code, key);
    candidate->same_as = other;
    if (other)
        return 0;
    tuning->out->counts.distinct_codes++;
    return map_put(&tuning->by_code, key, candidate, err);
}

static int follow(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    int rc;

    free(candidate->record.samples_s);
    candidate->record.samples_s = NULL;
    candidate->record.sample_count = 0;
    candidate->record.outcome = OUTCOME_SAME_CODE;
    rc = candidate_tell(tuning, candidate, false, err);
    if (rc)
        return rc;
    if (candidate->same_as->settled)
        return candidate_settle(tuning, candidate, err);
    candidate->next_follower = candidate->same_as->followers;
    candidate->same_as->followers = candidate;
    return 0;
}

/* Code that is new here: its resources decide whether it can be launched, its hash whether it was measured
 * before. */
static int judge_code(struct tuning *tuning, struct candidate *candidate, char *reason, size_t size,
                      struct err *err)
{
    struct record before = candidate->record;
    int rc = read_code(tuning, candidate, reason, size, err);

    if (!rc && candidate->known && before.code_hash != candidate->record.code_hash) {
        leave_aside(tuning, candidate, before.build_hash, before.launch_hash);
        return read_code(tuning, candidate, reason, size, err);
    }
    if (!rc && candidate->known) {
        candidate->trusted = true;
        tuning->out->counts.replayed++;
    }
    return rc;
}

static void count_compiled(struct tune_counts *counts, const struct evaluator_job *job)
{
    const bool shared = job->shared && job->compiled.cached;

    counts->shared += shared;
    counts->compiled += !shared;
    counts->cached += job->compiled.cached && !shared;
}

/* What a compile that this run made came to. True: the candidate was rejected for it. */
static bool ends_compiled(int *code, struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    const struct compile_result *result = &candidate->work->job.compiled;
    struct record *record = &candidate->record;
    enum outcome outcome = result->own_failure ? OUTCOME_SKIPPED : result->outcome;
    const char *why = result->diagnostic;
    char reason[512] = "";

    *code = 0;
    count_compiled(&tuning->out->counts, &candidate->work->job);
    record->compile_s = result->compile_s;
    if (outcome == OUTCOME_OK) {
        *code = judge_code(tuning, candidate, reason, sizeof reason, err);
        outcome = *reason ? OUTCOME_LIMITS : outcome;
        why = reason;
    } else if (!result->own_failure && candidate->known && record->outcome != outcome) {
        leave_aside(tuning, candidate, record->build_hash, record->launch_hash);
    }
    if (!*code && outcome == OUTCOME_OK && !tuning->out->evaluator->measures && !candidate->trusted) {
        outcome = OUTCOME_SKIPPED;
        why = "its code is not the recorded one";
    }
    if (*code || outcome == OUTCOME_OK) {
        record->outcome = candidate->trusted ? record->outcome : OUTCOME_OK;
        return false;
    }
    *code = candidate_reject(tuning, candidate, outcome, why, err);
    return true;
}

int candidate_compiled(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    const enum outcome *outcome = &candidate->record.outcome;
    struct search_prediction told;
    int rc = 0;

    if (reference_is(tuning, candidate))
        tuning->reference_pending = false;
    if (candidate->trusted)
        tuning->out->counts.replayed++;
    else if (ends_compiled(&rc, tuning, candidate, err))
        return rc;
    candidate_stamp(&candidate->record.compiled_at_s, tuning, candidate);
    if (!rc)
        rc = candidate_take_prediction(tuning, candidate, err);
    if (!rc)
        rc = find_same_code(tuning, candidate, err);
    if (rc)
        return rc;
    told = candidate->prediction.told;
    if (candidate->same_as)
        return follow(tuning, candidate, err);
    if (*outcome == OUTCOME_LIMITS || *outcome == OUTCOME_COMPILE || *outcome == OUTCOME_CONSTRAINT) {
        rc = candidate_tell(tuning, candidate, false, err);
        return rc ? rc : candidate_settle(tuning, candidate, err);
    }
    tuning->waiting_to_time++;
    rc = energy_expect(tuning, candidate, &told, err);
    if (rc)
        return rc;
    told.bound_s *= candidate->weight;
    told.estimate_s *= candidate->weight;
    return search_tell(
        tuning->search, candidate->index,
        &(struct search_facts){.outcome = OUTCOME_OK,
                               .shared = candidate->work->job.shared,
                               .answered = tuning->out->evaluator->measures && candidate->trusted,
                               .spent_s = evaluator_spent_s(&candidate->work->job),
                               .prediction = told},
        err);
}
