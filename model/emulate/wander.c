#include "model/emulate/wander.h"

#include "base/hash.h"
#include "model/emulate/control.h"
#include "model/emulate/count.h"
#include "model/emulate/slice_sets.h"
#include "model/emulate/steady_state.h"
#include "model/emulate/walk.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 4, /* executed of a loop */
    PLACES =
        7, /* between two of these where costs are looked at: no power of two, which addresses repeat with */
    LEAST_PERIODS = 64,       /* fewer are executed one by one, */
    LEAST_EXECUTED = 1 << 12, /* and so are fewer warp instructions */
    RECORDS = 1 << 10         /* most of a period */
};

static struct recording *recording_of(const struct emulation *emulation)
{
    return &emulation->steady->recordings[0];
}

/* What depends on wandering values ----------------------------------------- */

/* The tainted registers, predicates and stack words while the period's code is walked. */
struct taint {
    struct emulation *emulation;
    struct slice_set set;
    bool decides; /* something tainted says where the loop goes or which lanes access memory */
};

/* What the instruction reads, guard and addresses apart. */
static void find_reads(struct slice_set *reads, const struct slice *slice, const struct sass *i,
                       const struct slice_set *defined)
{
    *reads = (struct slice_set){0};
    if (slice->plain_stack && is_local(i))
        set_add_moved(reads, slice, i, defined);
    else
        set_add_reads(reads, slice, i);
    set_spread_flags(reads, slice);
}

/* Marks an instruction's records; whether one of them wandered before. */
static bool mark_records(struct recording *recording, const struct sass *i, bool tainted)
{
    bool wanders = false;

    for (size_t k = 0; k < recording->record_count; k++)
        if (recording->records[k].i == i)
            wanders |= recording->records[k].wanders |= tainted;
    return wanders;
}

static void pass_instruction(struct taint *taint, uint32_t index)
{
    struct emulation *emulation = taint->emulation;
    const struct sass *i = &emulation->instructions[index];
    const struct slice *slice = &emulation->slice;
    struct slice_set defined, reads, guard = {0};
    bool tainted, guarded;

    if (!slice->needed[index])
        return;
    set_definitions(&defined, slice, i);
    find_reads(&reads, slice, i, &defined);
    set_add_guard(&guard, i);
    guarded = set_overlap(&guard, &taint->set);
    tainted = set_overlap(&reads, &taint->set) || guarded;
    if (is_control(i) ? tainted : guarded && i->access_count)
        taint->decides = true;
    tainted = mark_records(recording_of(emulation), i, tainted) || tainted;
    tainted &= slice->wanted[index]; /* else nobody computes what it defines */
    if (tainted)
        set_unite(&taint->set, &defined);
    else if (!sass_is_guarded(i))
        set_take_out(&taint->set, &defined);
}

/* Spreads what wanders over what depends on it; false where it decides something. */
static bool spread(struct emulation *emulation)
{
    const struct recording *recording = recording_of(emulation);
    struct taint taint = {.emulation = emulation};
    struct slice_set before;

    do {
        before = taint.set;
        for (size_t k = 0; k < recording->run_count && !taint.decides; k++)
            for (uint32_t index = recording->runs[k].first; index < recording->runs[k].end; index++)
                pass_instruction(&taint, index);
        set_unite(&taint.set, &before);
    } while (!taint.decides && memcmp(&before, &taint.set, sizeof before));
    return !taint.decides;
}

/* Samples ------------------------------------------------------------------ */

/* The address of every record's access in each of the sampled periods, and which these are: 0 is the second
 * recorded one. */
struct samples {
    uint64_t period[SAMPLES + 1];
    uint64_t (*address[SAMPLES + 1])[LANES];
};

/* Somewhere in the last half of each part of the loop: addresses often repeat with some power of two. The
 * last period is one of them, for it shows that the loop goes that far. All warps of a block look at the same
 * ones, so that what they share is shared. */
static void choose_periods(struct samples *out, const struct emulation *emulation, uint64_t periods)
{
    const struct recording *recording = recording_of(emulation);
    const uint64_t part = periods / SAMPLES;
    const uint64_t seed = hash_u64(recording->current->branch, emulation->steady->sampled);

    out->period[0] = 0;
    for (unsigned k = 1; k < SAMPLES; k++)
        out->period[k] = k * part - hash_random(seed, k) % (part / 2);
    out->period[SAMPLES] = periods;
}

/* Executes the sampled periods; false where one does not go as expected. */
static bool take_samples(struct samples *samples, struct emulation *emulation, struct warp *warp,
                         struct group *group)
{
    struct recording *recording = recording_of(emulation);
    bool good = true;

    for (size_t k = 0; k < recording->record_count; k++)
        for (unsigned l = 0; l < LANES; l++)
            samples->address[0][k][l] = recording->records[k].value[0][l] + recording->records[k].delta[0][l];
    for (unsigned k = 1; k <= SAMPLES && good; k++) {
        recording->capture = samples->address[k];
        good = steady_rehearse(emulation, warp, group, samples->period[k] - 1);
        recording->capture = NULL;
    }
    return good;
}

static struct request request_of(const struct record *record, const uint64_t address[LANES])
{
    struct request out = record_request(record);

    memcpy(out.address, address, sizeof out.address);
    return out;
}

/* Where the lanes of an access are, and the region that all of those are in that it has; else null. */
struct place {
    const uint64_t *address;
    const struct region *region;
};

/* The same before and after a number of periods. */
struct way {
    const uint64_t *from;
    struct request to;
    uint64_t periods;
    bool stays; /* all of them in one region */
};

/* How far a lane moves in each of the periods: by multiples of the width, which keeps it aligned. From one
 * region to another there is no way. */
static int64_t step_of(struct emulation *emulation, const struct way *way, unsigned lane)
{
    const uint64_t from = way->from[lane], to = way->to.address[lane];
    const unsigned width = way->to.width;

    return way->stays || memory_region(&emulation->memory, from, width) ==
                             memory_region(&emulation->memory, to, width)
               ? (int64_t)(to - from) / (int64_t)(width * way->periods) * width
               : 0;
}

/* Marks what lanes that move alike touch on their way to the address of a sampled period. */
static int mark_lanes(struct emulation *emulation, const struct way *way, uint32_t mask, int64_t step)
{
    struct request some = way->to;
    int rc;

    some.mask = mask;
    for (unsigned l = 0; l < LANES; l++)
        some.address[l] -= (uint64_t)step * (way->periods - 1);
    rc = record_mark_moving(emulation, &some, step, way->periods);
    emulation->counted += rc ? 0 : way->periods / LANES;
    return rc;
}

/* The same of all lanes, those that move alike together. */
static int mark_apart(struct emulation *emulation, const struct way *way)
{
    int64_t step[LANES] = {0};
    int rc = 0;

    for (uint32_t left = way->to.mask, last = LANES; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const bool as_last = way->stays && last < LANES &&
                             way->to.address[l] - way->from[l] == way->to.address[last] - way->from[last];

        step[l] = as_last ? step[last] : step_of(emulation, way, l);
        last = l;
    }
    for (uint32_t left = way->to.mask; left && !rc;) {
        const unsigned first = (unsigned)__builtin_ctz(left);
        uint32_t alike = 0;

        for (unsigned l = 0; l < LANES; l++)
            alike |= (uint32_t)(step[l] == step[first]) << l;
        rc = mark_lanes(emulation, way, left & alike, step[first]);
        left &= ~alike;
    }
    return rc;
}

static struct place place_of(struct emulation *emulation, const struct record *record,
                             const uint64_t address[LANES])
{
    uint64_t least, most;
    const struct region *region;

    count_extent(&least, &most, address, record->mask);
    region = memory_region(&emulation->memory, least, record->width);
    if (region && region != memory_region(&emulation->memory, most, record->width))
        region = NULL;
    return (struct place){address, region};
}

/* Whether all lanes move alike. */
static bool moves_together(const struct way *way)
{
    const unsigned first = (unsigned)__builtin_ctz(way->to.mask);
    uint64_t other = 0;

    for (unsigned l = 0; l < LANES; l++)
        other |= ((way->to.address[l] - way->from[l]) ^ (way->to.address[first] - way->from[first])) &
                 (0 - (uint64_t)(way->to.mask >> l & 1));
    return !other;
}

/* Counts the periods after a sampled one up to the next, that included. What lanes cost that move alike
 * depends on where they lie in a line: at several places on the way. */
static void tally_together(struct emulation *emulation, const struct way *way, int64_t step)
{
    const struct pattern *pattern = request_pattern(emulation, &way->to);
    struct request some = way->to;

    for (uint64_t k = 0; k < PLACES; k++) {
        const uint64_t first = k * way->periods / PLACES, end = (k + 1) * way->periods / PLACES;
        const uint64_t back = (uint64_t)step * first;

        if (!request_costs_same(pattern, &way->to, way->to.address[0] - back - pattern->address[0])) {
            for (unsigned l = 0; l < LANES; l++)
                some.address[l] = way->to.address[l] - back;
            pattern = request_pattern(emulation, &some);
        }
        request_tally(emulation, &way->to, pattern, end - first);
    }
}

/* The same of lanes that do not: half of the periods cost what each sample does. */
static void tally_apart(struct emulation *emulation, const struct way *way)
{
    struct request some = way->to;

    memcpy(some.address, way->from, sizeof some.address);
    request_tally(emulation, &some, request_pattern(emulation, &some), way->periods / 2);
    request_tally(emulation, &way->to, request_pattern(emulation, &way->to), way->periods - way->periods / 2);
}

/* The lines of a table that all lanes read at one place, which go on evenly between two samples. */
static void walk_way(struct emulation *emulation, const struct way *way, int64_t step)
{
    struct request first = way->to;

    for (unsigned l = 0; l < LANES; l++)
        first.address[l] -= (uint64_t)step * (way->periods - 1);
    walk_note(emulation, &first, step, way->periods);
}

static int count_way(struct emulation *emulation, const struct record *record, const struct place *from,
                     const struct place *to, uint64_t periods)
{
    const struct way way = {.from = from->address,
                            .to = request_of(record, to->address),
                            .periods = periods,
                            .stays = from->region && from->region == to->region};
    const int64_t step = step_of(emulation, &way, (unsigned)__builtin_ctz(way.to.mask));
    const bool together =
        moves_together(&way) && !record->second; /* what a copy costs depends on both ends */

    if (record->space == SASS_SPACE_CONSTANT && !request_counts_constants(emulation, record->i)) {
        walk_way(emulation, &way, step);
        return 0;
    }
    if (together)
        tally_together(emulation, &way, step);
    else
        tally_apart(emulation, &way);
    if (!request_is_global(&way.to))
        return 0;
    return together && way.stays ? mark_lanes(emulation, &way, way.to.mask, step)
                                 : mark_apart(emulation, &way);
}

/* The same in each period of the loops inside, whose accesses are as far apart as in any other. */
static int count_inside(struct emulation *emulation, const struct record *record, const struct place *from,
                        const struct place *to, uint64_t periods)
{
    const uint64_t inside = record_inside(record);
    int rc = 0;

    for (uint64_t n = 0; n < inside && !rc; n++) {
        uint64_t first[LANES], last[LANES];
        struct place before, after;

        for (unsigned l = 0; l < LANES; l++) {
            first[l] = from->address[l] + record_offset(record, l, n);
            last[l] = to->address[l] + record_offset(record, l, n);
        }
        before = place_of(emulation, record, first);
        after = place_of(emulation, record, last);
        rc = count_way(emulation, record, &before, &after, periods);
    }
    return rc;
}

/* Where a copy reads in the same period as it writes: its request before. */
static void look_at_source(struct emulation *emulation, const struct samples *samples, unsigned s, size_t k)
{
    const struct request from =
        request_of(&recording_of(emulation)->records[k - 1], samples->address[s][k - 1]);

    request_pattern(emulation, &from);
}

/* The ways of the kth record between all samples. */
static int count_ways(struct emulation *emulation, const struct samples *samples, size_t k)
{
    const struct record *record = &recording_of(emulation)->records[k];
    struct place from = place_of(emulation, record, samples->address[0][k]);
    int rc = 0;

    for (unsigned s = 1; s <= SAMPLES && !rc; s++) {
        const struct place to = place_of(emulation, record, samples->address[s][k]);
        const uint64_t periods = samples->period[s] - samples->period[s - 1];

        if (record->second)
            look_at_source(emulation, samples, s, k);
        rc = record->rank ? count_inside(emulation, record, &from, &to, periods)
                          : count_way(emulation, record, &from, &to, periods);
        from = to;
    }
    return rc;
}

static int count_wandering(struct emulation *emulation, const struct samples *samples)
{
    const struct recording *recording = recording_of(emulation);
    int rc = 0;

    for (size_t k = 0; k < recording->record_count && !rc; k++) {
        const struct record *record = &recording->records[k];

        if (record->wanders && record->access && record->mask)
            rc = count_ways(emulation, samples, k);
    }
    return rc;
}

static size_t count_wanderers(const struct recording *recording)
{
    size_t count = 0;

    for (size_t k = 0; k < recording->record_count; k++)
        count += recording->records[k].wanders;
    return count;
}

static int sample(struct samples *samples, struct emulation *emulation, struct warp *warp,
                  struct group *group, uint64_t periods)
{
    struct recording *recording = recording_of(emulation);
    const size_t known = count_wanderers(recording);
    int rc;

    choose_periods(samples, emulation, periods);
    if (!take_samples(samples, emulation, warp, group))
        return 0;
    /* what was not seen to wander before the samples were taken may have changed how far the loop goes */
    if (count_wanderers(recording) > known && (!spread(emulation) || steady_horizon(recording) < periods))
        return 0;
    rc = count_wandering(emulation, samples);
    if (!rc)
        rc = steady_extrapolate(emulation, warp, recording, periods);
    emulation->steady->sampled++;
    emulation->result->wandered = true;
    return rc ? rc : 1;
}

int wander_on(struct emulation *emulation, struct warp *warp, struct group *group)
{
    struct recording *recording = recording_of(emulation);
    struct samples samples;
    uint64_t periods, *addresses;
    int rc;

    if (recording->record_count > RECORDS || !spread(emulation))
        return 0;
    periods = steady_horizon(recording);
    if (periods < LEAST_PERIODS || periods * recording->cost < LEAST_EXECUTED)
        return 0;
    addresses = malloc((SAMPLES + 1) * (recording->record_count + 1) * sizeof(uint64_t[LANES]));
    if (!addresses)
        return err_memory(emulation->err);
    for (unsigned k = 0; k <= SAMPLES; k++)
        samples.address[k] = (uint64_t(*)[LANES])(addresses + k * LANES * (recording->record_count + 1));
    rc = sample(&samples, emulation, warp, group, periods);
    free(addresses);
    return rc;
}
