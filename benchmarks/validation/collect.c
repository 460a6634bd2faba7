#include "validation/collect.h"

#include "space/configuration.h"
#include "tuner/heading.h"
#include "tuner/ranking.h"
#include "tuner/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collector {
    struct collection *out;
    const struct collect_options *options;
    struct spec *spec;
    struct space *space;
    struct journal *journal;
    uint64_t *indices; /* of the points, ascending */
    struct ranking ranking;
};

/* The record that holds the time: that of another configuration with the same code, where there is one. */
static const struct record *timed(const struct journal *journal, const struct record *record)
{
    if (record && record->outcome == OUTCOME_SAME_CODE && record->same_as)
        record = journal_find(journal, record->same_as);
    return record && record->outcome == OUTCOME_OK && record->time_s > 0 ? record : NULL;
}

static int add_point(struct collector *c, uint64_t index, const struct record *record, char *configuration,
                     struct err *err)
{
    struct collection *out = c->out;

    c->indices[out->count] = index;
    out->points[out->count++] = (struct point){.index = index,
                                               .configuration = configuration,
                                               .measured_s = record->time_s,
                                               .clock_hz = record->clock_hz};
    return configuration ? 0 : err_memory(err);
}

static int find_points(struct collector *c, struct err *err)
{
    const uint64_t count = space_count(c->space);
    unsigned choices[SPEC_PARAMETERS_MAX];
    uint64_t index, good = 0;
    int code = 0;

    c->out->valid = count;
    c->out->points = calloc(count + 1, sizeof *c->out->points);
    c->indices = calloc(count + 1, sizeof *c->indices);
    if (!c->out->points || !c->indices)
        return err_memory(err);
    for (index = 0; index < count && !code; index++) {
        const struct record *record;
        char *key;

        space_configuration(choices, c->space, index);
        key = configuration_key(c->spec, choices);
        if (!key)
            return err_memory(err);
        record = journal_find(c->journal, key);
        free(key);
        c->out->recorded += record != NULL;
        record = timed(c->journal, record);
        if (record && good++ % c->options->every == 0)
            code = add_point(c, index, record, configuration_text(c->spec, choices), err);
    }
    return code;
}

/* Called on several threads, each for another point. */
static void visit(void *context, const struct ranked *row, const struct variant *variant,
                  const struct expectation *expectation)
{
    struct collector *c = context;
    size_t low = 0, high = c->out->count;

    (void)variant;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (c->indices[middle] > row->index)
            high = middle;
        else
            low = middle;
    }
    c->out->points[low].occupancy = expectation->occupancy.share;
    rivals_of(c->out->points[low].rival_s, expectation, c->options->machine, NULL);
}

static int by_index(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    return (a->index > b->index) - (a->index < b->index);
}

static void take_rows(struct collector *c)
{
    size_t i;

    qsort(c->ranking.rows, c->ranking.count, sizeof *c->ranking.rows, by_index);
    for (i = 0; i < c->out->count; i++) {
        struct ranked *row = &c->ranking.rows[i];
        struct point *point = &c->out->points[i];

        point->predicted = row->predicted;
        point->reason = row->reason;
        row->reason = NULL;
        point->estimate_s = row->estimate_s;
        point->bound_s = row->bound_s;
        point->confidence = row->confidence;
        point->limiter = row->limiter;
        point->latency_hidden = row->latency_hidden;
        point->predict_s = row->predict_s;
    }
}

static void progress(void *context, uint64_t done, uint64_t total)
{
    const struct collector *c = context;

    if (c->options->progress)
        c->options->progress(c->options->context, done, total);
}

static int rank_points(struct collector *c, struct err *err)
{
    const struct ranking_options how = {.spec = c->spec,
                                        .problem = c->options->problem,
                                        .space = c->space,
                                        .indices = c->indices,
                                        .count = c->out->count,
                                        .machine = c->options->machine,
                                        .compiler = c->options->compiler,
                                        .jobs = c->options->jobs,
                                        .progress = progress,
                                        .visit = visit,
                                        .context = c};
    int code = ranking_make(&c->ranking, &how, err);

    if (!code)
        take_rows(c);
    ranking_release(&c->ranking);
    return code;
}

static int collect_points(struct collector *c, struct err *err)
{
    struct heading heading;
    int code = find_points(c, err);

    if (code)
        return code;
    heading_read(&heading, c->journal);
    snprintf(c->out->kernel, sizeof c->out->kernel, "%s", c->spec->kernel.name);
    snprintf(c->out->device, sizeof c->out->device, "%s", heading.device_name);
    snprintf(c->out->date, sizeof c->out->date, "%s", heading.date);
    spec_problem_text(c->out->problem, sizeof c->out->problem, c->spec, c->options->problem);
    return rank_points(c, err);
}

int collect(struct collection *out, const struct collect_options *options, struct err *err)
{
    struct collector c = {.out = out, .options = options};
    struct spec spec;
    char path[4096];
    int code;

    *out = (struct collection){0};
    snprintf(path, sizeof path, "%s/spec.json", options->folder);
    code = spec_read(&spec, path, SPEC_WHOLE, NULL, 0, err);
    if (code)
        return code;
    c.spec = &spec;
    code = recording_open(&c.journal, options->recorded, &spec, options->problem,
                          options->machine->device->name, err);
    if (!code)
        code = space_open(&c.space, &spec, options->problem, err);
    if (!code)
        code = collect_points(&c, err);
    space_close(c.space);
    journal_free(c.journal);
    free(c.indices);
    spec_release(&spec);
    return code;
}

void collection_release(struct collection *collection)
{
    size_t i;

    for (i = 0; i < collection->count; i++) {
        free(collection->points[i].configuration);
        free(collection->points[i].reason);
    }
    free(collection->points);
    *collection = (struct collection){0};
}
