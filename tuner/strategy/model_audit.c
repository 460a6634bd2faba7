/* The audit: a random sample of what was pruned by estimate is timed, so that the run can say how much
 * it may have lost. Drawn evenly from all configurations that were not timed and not ruled out by what is
 * certain. */
#include "tuner/strategy/model.h"

#include "base/hash.h"
#include "tuner/strategy/order.h"

#include <math.h>

/* Configurations that turn out to be impossible, or the code of another, are replaced, up to a point. */
enum { DRAWS = 4 };

static struct member *ready(const struct model_search *search)
{
    for (size_t i = 0; i < search->ready_count; i++)
        if (search->ready[i]->audit)
            return search->ready[i];
    return NULL;
}

/* The next of the sample: a variant that is compiled, or under way, becomes a member of it, another is to be
 * compiled. False at the end. */
static bool draw(uint64_t *index, struct model_search *search)
{
    const uint64_t seed = hash_u64(search->options.seed, 0xa0d17);
    struct member *member;

    while (search->audit.drawn < search->options.count && search->audit.taken < search->options.audit &&
           search->audit.compiled < DRAWS * search->options.audit) {
        *index = search_permuted(search->audit.drawn++, search->options.count, seed);
        member = map_find(&search->by_index, *index);
        if (!member) {
            search->audit.taken++;
            search->audit.compiled++;
            return true;
        }
        if (member->audit || member->stage > READY || search_bounded(search, member))
            continue;
        search->audit.taken++;
        search->audit.compiling += member->stage == COMPILING;
        member->audit = true;
    }
    return false;
}

/* Whether more of the sample is under way, or something else that is in its way. */
static bool is_awaited(const struct model_search *search, struct search_capacity capacity)
{
    if (search->audit.compiling && search_awaits(search, true))
        return true;
    return !capacity.compile && search_awaits(search, false);
}

struct search_step search_audit_next(struct model_search *search, struct search_capacity capacity)
{
    struct search_step step = {.action = SEARCH_WAIT, .audit = true};
    struct member *member;

    if (!search->audit.begun) {
        search->audit.begun = true;
        search->audit.best_before_s = search->best_s;
    }
    if (isinf(search->audit.best_before_s))
        search->audit.taken = search->options.audit;
    if (capacity.compile && draw(&step.index, search)) {
        step.action = SEARCH_COMPILE;
        return step;
    }
    member = ready(search);
    if (member && capacity.time) {
        step.action = SEARCH_TIME;
        step.index = member->index;
    } else if (!member && !search->timing && !is_awaited(search, capacity)) {
        step.action = SEARCH_STOP; /* at the sample's end, or where no more of it may be compiled */
    }
    return step;
}

void search_audit_tell(struct model_search *search, const struct member *member)
{
    if (!member->timed) {
        search->audit.taken -= member->stage == ENDED;
        return;
    }
    search->audit.timed++;
    if (member->time_s < search->audit.best_before_s)
        search->audit.faster++;
    if (member->time_s < search->audit.fastest_s)
        search->audit.fastest_s = member->time_s;
}
