#include "tuner/evaluate/replay.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/stats.h"
#include "space/configuration.h"
#include "tuner/evaluate/recording.h"
#include "tuner/predict/request.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 512 }; /* drawn at most */

/* Finds the first configuration with this record's code, or makes this one the first. */
static int find_code(struct replay_entry *entry, uint64_t index, struct map *codes,
                     struct replay_entry *entries, struct err *err)
{
    const uint64_t key = record_code_key(entry->record, 1);
    const struct replay_entry *first = key ? map_find(codes, key) : NULL;

    entry->code = first ? (uint64_t)(first - entries) : index;
    return first || !key ? 0 : map_put(codes, key, entry, err);
}

static int add_entry(struct replay *out, struct map *codes, const struct journal *journal, uint64_t index,
                     const char *key, struct err *err)
{
    struct replay_entry *entry = &out->entries[index];

    entry->code = index;
    entry->record = journal_find(journal, key);
    if (!entry->record)
        return 0;
    out->recorded++;
    entry->timed = recording_timed(journal, entry->record);
    if (entry->timed) {
        out->ran++;
        out->resources = out->resources && entry->timed->occupancy >= 0;
        out->last_s = fmax(out->last_s, entry->timed->time_s);
        if (entry->timed->time_s < out->best_s) {
            out->best_s = entry->timed->time_s;
            out->best = index;
        }
    }
    return find_code(entry, index, codes, out->entries, err);
}

/* Which code each configuration is compiled to. A source that is not here tells nothing. */
static int find_builds(struct replay *out, const struct spec *spec, const struct space *space,
                       unsigned *choices, struct err *err)
{
    struct compile_request request;
    struct variant variant;
    size_t size;
    char *text;
    int rc = 0;

    if (file_read(&text, &size, spec->kernel.path, NULL))
        return 0;
    for (uint64_t i = 0; i < out->count && !rc; i++) {
        if (!out->entries[i].record)
            continue;
        space_configuration(choices, space, i);
        rc = variant_make(&variant, spec, 0, choices, err);
        if (rc)
            break;
        request = request_of(&variant, "any", 0);
        out->entries[i].build = request_code(&request, text);
        variant_release(&variant);
    }
    free(text);
    return rc;
}

int replay_open(struct replay *out, const struct spec *spec, const struct space *space,
                const struct journal *journal, struct err *err)
{
    struct map codes = {0};
    unsigned *choices = calloc(spec->parameter_count, sizeof *choices);
    char *key;
    int rc = choices ? 0 : err_memory(err);

    *out = (struct replay){.count = space_count(space), .best_s = INFINITY, .resources = true};
    if (!rc && out->count < SIZE_MAX / sizeof *out->entries)
        out->entries = calloc(out->count + 1, sizeof *out->entries);
    if (!rc && !out->entries)
        rc = err_memory(err);
    for (uint64_t i = 0; i < out->count && !rc; i++) {
        space_configuration(choices, space, i);
        key = configuration_key(spec, choices);
        rc = key ? add_entry(out, &codes, journal, i, key, err) : err_memory(err);
        free(key);
    }
    if (!rc)
        rc = find_builds(out, spec, space, choices, err);
    map_release(&codes);
    free(choices);
    if (!rc && !out->ran)
        rc = err_set(err, ERR_USAGE, "%s: no configuration of the space ran in it", journal_path(journal));
    if (rc)
        replay_release(out);
    return rc;
}

void replay_release(struct replay *replay)
{
    free(replay->entries);
    *replay = (struct replay){0};
}

double replay_time(const struct replay *replay, uint64_t index, uint64_t seed)
{
    const struct record *timed = replay->entries[index].timed;
    double drawn[SAMPLES];
    size_t n;

    if (!timed)
        return NAN;
    n = timed->sample_count < SAMPLES ? timed->sample_count : SAMPLES;
    if (n < 2)
        return timed->time_s;
    seed = hash_u64(seed, index);
    for (size_t i = 0; i < n; i++)
        drawn[i] = timed->samples_s[hash_random(seed, i) % timed->sample_count];
    return stats_median(drawn, n);
}

enum outcome replay_compiled(const struct replay *replay, uint64_t index)
{
    const struct record *record = replay->entries[index].record;

    if (!record || (record->outcome == OUTCOME_SAME_CODE && !replay->entries[index].timed))
        return OUTCOME_SKIPPED;
    if (record->outcome == OUTCOME_LIMITS || record->outcome == OUTCOME_COMPILE ||
        record->outcome == OUTCOME_CONSTRAINT)
        return record->outcome;
    return OUTCOME_OK;
}

enum outcome replay_timed(const struct replay *replay, uint64_t index)
{
    const struct replay_entry *entry = &replay->entries[index];

    return entry->timed ? OUTCOME_OK : entry->record->outcome;
}
