#include "validation/collect.h"

#include "model/predict/interval.h"
#include "space/configuration.h"
#include "tuner/journal/metadata.h"
#include "tuner/evaluate/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collector {
    struct collection *out;
    const struct collect_options *options;
    struct journal *journal;
    uint64_t *indices; /* of the points, ascending */
    struct ranking ranking;
};

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
    const uint64_t count = space_count(c->out->space);
    unsigned choices[SPEC_PARAMETERS_MAX];
    uint64_t index, good = 0;
    int rc = 0;

    c->out->valid = count;
    c->out->points = calloc(count + 1, sizeof *c->out->points);
    c->indices = calloc(count + 1, sizeof *c->indices);
    if (!c->out->points || !c->indices)
        return err_memory(err);
    for (index = 0; index < count && !rc; index++) {
        const struct record *record;
        char *key;

        space_configuration(choices, c->out->space, index);
        key = configuration_key(&c->out->spec, choices);
        if (!key)
            return err_memory(err);
        record = journal_find(c->journal, key);
        free(key);
        c->out->recorded += record != NULL;
        record = recording_timed(c->journal, record);
        if (record && good++ % c->options->every == 0)
            rc = add_point(c, index, record, configuration_text(&c->out->spec, choices), err);
    }
    return rc;
}

/* Leaves so many of them, evenly spread. */
static void thin_points(struct collector *c)
{
    const size_t most = c->options->most, count = c->out->count;
    size_t kept = 0;

    if (!most || count <= most)
        return;
    for (size_t i = 0; i < count; i++) {
        if (kept < most && i == kept * count / most) {
            c->indices[kept] = c->indices[i];
            c->out->points[kept++] = c->out->points[i];
        } else {
            free(c->out->points[i].configuration);
        }
    }
    c->out->count = kept;
}

static int by_place(const void *index, const void *point)
{
    const uint64_t a = *(const uint64_t *)index, b = ((const struct point *)point)->index;

    return (a > b) - (a < b);
}

static struct point *find_point(const struct collection *from, uint64_t index)
{
    return bsearch(&index, from->points, from->count, sizeof *from->points, by_place);
}

const struct point *collection_find(const struct collection *collection, uint64_t index)
{
    return find_point(collection, index);
}

/* Called on several threads, each for another point. */
static void visit(void *context, const struct ranked *row, const struct variant *variant,
                  const struct analysis *analysis)
{
    struct collector *c = context;
    struct point *point = find_point(c->out, row->index);

    point->occupancy = analysis->occupancy.share;
    point->reach = interval_reach(analysis->prediction.assumptions);
    baselines_of(point->baselines_s, analysis, c->options->machine, NULL);
    if (c->options->visit)
        c->options->visit(c->options->context, c->out, (size_t)(point - c->out->points), variant, analysis);
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
        c->out->points[i].ranked = c->ranking.rows[i];
        c->ranking.rows[i].reason = NULL; /* the point's now */
    }
}

static void progress(void *context, const struct ranking_progress *now)
{
    const struct collector *c = context;

    if (c->options->progress)
        c->options->progress(c->options->context, now->done, now->total);
}

static int rank_points(struct collector *c, struct err *err)
{
    const struct ranking_options how = {.spec = &c->out->spec,
                                        .problem = c->options->problem,
                                        .space = c->out->space,
                                        .indices = c->indices,
                                        .count = c->out->count,
                                        .machine = c->options->machine,
                                        .compiler = c->options->compiler,
                                        .jobs = c->options->jobs,
                                        .progress = progress,
                                        .visit = visit,
                                        .context = c};
    int rc = ranking_make(&c->ranking, &how, err);

    if (!rc)
        take_rows(c);
    ranking_release(&c->ranking);
    return rc;
}

static void name_kernel(struct collection *out, const char *folder)
{
    size_t end = strlen(folder), start;

    while (end > 1 && folder[end - 1] == '/')
        end--;
    for (start = end; start > 0 && folder[start - 1] != '/'; start--)
        ;
    snprintf(out->kernel, sizeof out->kernel, "%.*s", (int)(end - start), folder + start);
}

static int collect_points(struct collector *c, struct err *err)
{
    struct metadata metadata;
    int rc = find_points(c, err);

    if (rc)
        return rc;
    thin_points(c);
    metadata_read(&metadata, c->journal);
    name_kernel(c->out, c->options->folder);
    snprintf(c->out->device, sizeof c->out->device, "%s", metadata.device_name);
    snprintf(c->out->date, sizeof c->out->date, "%s", metadata.date);
    spec_problem_text(c->out->problem, sizeof c->out->problem, &c->out->spec, c->options->problem);
    return rank_points(c, err);
}

int collect(struct collection *out, const struct collect_options *options, struct err *err)
{
    struct collector c = {.out = out, .options = options};
    char path[4096];
    int rc;

    *out = (struct collection){.problem_index = options->problem};
    snprintf(path, sizeof path, "%s/spec.json", options->folder);
    rc = spec_read(&out->spec, path, SPEC_WHOLE, options->sets, options->set_count, err);
    if (!rc)
        rc = recording_open(&c.journal, options->recorded, &out->spec, options->problem,
                            options->machine->device->name, err);
    if (!rc)
        rc = space_open(&out->space, &out->spec, options->problem, err);
    if (!rc)
        rc = collect_points(&c, err);
    journal_free(c.journal);
    free(c.indices);
    return rc;
}

void collection_release(struct collection *collection)
{
    size_t i;

    for (i = 0; i < collection->count; i++) {
        free(collection->points[i].configuration);
        free(collection->points[i].ranked.reason);
    }
    free(collection->points);
    space_close(collection->space);
    spec_release(&collection->spec);
    *collection = (struct collection){0};
}
