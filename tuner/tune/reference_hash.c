/* What results are compared with, as a number: a record's verdict holds for this reference alone. A kernel
 * counts by the code that it compiles to, so that another comment changes nothing. */
#include "tuner/tune/tuning.h"

#include "base/hash.h"
#include "launch/npy.h"

static int code_of(uint64_t *out, const struct code *code, struct err *err)
{
    const struct compile_result compiled = {.cubin = (unsigned char *)code->cubin,
                                            .cubin_bytes = code->cubin_bytes,
                                            .entry = (char *)code->entry};
    struct code_facts facts;
    int rc = code_facts_read(&facts, &compiled, "reference", err);

    if (!rc)
        *out = facts.hash;
    code_facts_release(&facts);
    return rc;
}

static int files_of(uint64_t *out, const struct reference *reference, struct err *err)
{
    uint64_t hash = HASH_START, content;

    for (size_t k = 0; k < reference->file_count; k++) {
        const int rc = npy_hash(&content, reference->paths[k], err);

        if (rc)
            return rc;
        hash = hash_u64(hash_text(hash, reference->names[k]), content);
    }
    *out = hash ? hash : 1;
    return 0;
}

/* Of the code or the files, read once. */
static int content_of(uint64_t *out, struct tuning *tuning, const struct reference *reference,
                      struct err *err)
{
    int rc = 0;

    if (!tuning->reference_hash && reference->file_count)
        rc = files_of(&tuning->reference_hash, reference, err);
    else if (!tuning->reference_hash && reference->code.cubin)
        rc = code_of(&tuning->reference_hash, &reference->code, err);
    *out = tuning->reference_hash;
    return rc;
}

int candidate_reference_hash(uint64_t *out, struct tuning *tuning, struct candidate *candidate,
                             struct err *err)
{
    const struct reference *reference = &candidate->work->reference;
    uint64_t hash = hash_u64(hash_text(HASH_START, "reference 1"), tuning->spec->reference.kind);
    uint64_t content = 0;
    int rc = content_of(&content, tuning, reference, err);

    *out = 0;
    if (rc)
        return rc;
    hash = hash_u64(hash, content);
    if (reference->launch)
        hash = hash_u64(hash, launch_hash(reference->launch));
    *out = hash ? hash : 1;
    return 0;
}

bool record_was_compared(const struct record *record)
{
    return record->identified && (record->outcome == OUTCOME_OK || record->outcome == OUTCOME_WRONG);
}

static bool has_compared(const struct journal *journal)
{
    for (size_t i = 0; journal && i < journal_count(journal); i++)
        if (record_was_compared(journal_record(journal, i)))
            return true;
    return false;
}

int reference_prepare(struct tuning *tuning, struct err *err)
{
    struct candidate initial = {.choices = tuning->out->initial.choices};
    int rc;

    if (!tuning->out->evaluator->launches || !has_compared(tuning->journal))
        return 0;
    rc = candidate_equip(&initial, err);
    if (!rc)
        rc = candidate_set_reference(tuning, &initial, err);
    candidate_relax(&initial);
    return rc;
}
