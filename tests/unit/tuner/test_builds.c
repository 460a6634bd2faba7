/* Configurations that are said to have one code, compared with the code that was recorded of each. */
#include "check.h"

#include "base/map.h"
#include "tuner/evaluate/recording.h"
#include "tuner/evaluate/replay.h"

struct subject {
    const char *folder;
    size_t codes; /* that the compiler makes; 0: one for each configuration */
};

/* The first configuration with this build has this code too. */
static void check_entry(const struct replay_entry *entry, struct map *builds, const char *folder)
{
    const struct replay_entry *first = map_find(builds, entry->build);

    assert_true(entry->build != 0);
    if (first && first->record->code_hash != entry->record->code_hash)
        fail_msg("%s: %s and %s have different code", folder, first->record->key, entry->record->key);
    if (!first)
        assert_int_equal(map_put(builds, entry->build, (void *)(uintptr_t)entry, NULL), 0);
}

static void check_subject(const struct subject *subject)
{
    struct err err = {0};
    struct map builds = {0};
    struct journal *journal;
    struct replay replay;
    struct space *space;
    struct spec spec;
    char path[200];

    snprintf(path, sizeof path, "%s/spec.json", subject->folder);
    check_ok(spec_read(&spec, path, SPEC_WHOLE, NULL, 0, &err) || space_open(&space, &spec, 0, &err) ||
                 recording_open(&journal, NULL, &spec, 0, NULL, &err) ||
                 replay_open(&replay, &spec, space, journal, &err),
             &err);
    for (uint64_t i = 0; i < replay.count; i++)
        if (replay.entries[i].record && replay.entries[i].record->code_hash)
            check_entry(&replay.entries[i], &builds, subject->folder);
    assert_int_equal(builds.count, subject->codes ? subject->codes : replay.recorded);
    replay_release(&replay);
    map_release(&builds);
    journal_free(journal);
    space_close(space);
    spec_release(&spec);
}

static void equal_builds_have_equal_code(void **state)
{
    static const struct subject subjects[] = {
        {"kernels/reduction", 120},           {"kernels/vector_add", 135},
        {"kernels/permutation", 270},         {"kernels/abs_inplace", 100},
        {"kernels/matmul_tiled", 0},          {"benchmarks/unseen/histogram", 40},
        {"benchmarks/unseen/hash_probe", 30}, {"benchmarks/unseen/asian_option", 32},
        {"benchmarks/unseen/gemv", 0}, /* its parameters stand in the kernel's name alone */
        {"benchmarks/unseen/gelu_half", 0},
    };

    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        check_subject(&subjects[k]);
}

int main(void)
{
    return RUN_TESTS(equal_builds_have_equal_code);
}
