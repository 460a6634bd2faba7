#include "tuner/report/reporting.h"

#include "space/configuration.h"
#include "tuner/journal/metadata.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 10 }; /* best variants in the table */

/* What ran
 * --------------------------------------------------------------------------------------------------------------
 */

static int by_time(const void *a, const void *b)
{
    const struct timed_record *x = a, *y = b;

    if (x->record->time_s != y->record->time_s)
        return x->record->time_s < y->record->time_s ? -1 : 1;
    return strcmp(x->record->key, y->record->key);
}

bool report_has_time(const struct record *record)
{
    return record->outcome == OUTCOME_OK && record->time_s > 0;
}

static int collect(struct report *report)
{
    const struct journal *journal = report->options->journal;
    const size_t all = journal_count(journal);
    size_t i;

    report->ran = calloc(all + 1, sizeof *report->ran);
    report->x = malloc((all + 1) * sizeof(double));
    report->y = malloc((all + 1) * sizeof(double));
    report->z = malloc((all + 1) * sizeof(double));
    if (!report->ran || !report->x || !report->y || !report->z)
        return err_memory(report->err);
    for (i = 0; i < all; i++)
        if (report_has_time(journal_record(journal, i)))
            report->ran[report->count++].record = journal_record(journal, i);
    qsort(report->ran, report->count, sizeof *report->ran, by_time);
    if (!report->count)
        return err_set(report->err, ERR_USAGE, "%s: nothing ran in it", journal_path(journal));
    return 0;
}

/* Which configuration a record is: the space is walked once. */
static int find_indices(struct report *report)
{
    const struct report_options *options = report->options;
    unsigned *choices;
    uint64_t i;
    size_t r;
    char *key;
    const struct record *record;

    if (!options->spec)
        return 0;
    choices = calloc(options->spec->parameter_count, sizeof *choices);
    if (!choices)
        return err_memory(report->err);
    for (i = 0; i < space_count(options->space); i++) {
        space_configuration(choices, options->space, i);
        key = configuration_key(options->spec, choices);
        if (!key)
            break;
        record = journal_find(options->journal, key);
        free(key);
        if (!record || !report_has_time(record))
            continue;
        for (r = 0; r < report->count && report->ran[r].record != record; r++)
            ;
        report->ran[r].index = i;
        report->ran[r].in_space = true;
    }
    free(choices);
    return i < space_count(options->space) ? err_memory(report->err) : 0;
}

/* The `i`th of the `n` to predict: those of the table, then evenly from the fastest to the slowest. */
static struct timed_record *chosen(const struct report *report, size_t i, size_t n)
{
    return &report->ran[i < ROWS ? i : i * report->count / n];
}

static int predict_some(struct report *report)
{
    const struct report_options *options = report->options;
    const size_t n = options->predictions < report->count ? options->predictions : report->count;
    size_t i;
    int code = 0;

    if (!options->predictor)
        return 0;
    for (i = 0; i < n && !code; i++)
        if (chosen(report, i, n)->in_space)
            code = predictor_announce(options->predictor, chosen(report, i, n)->index, 0, report->err);
    for (i = 0; i < n && !code; i++) {
        struct timed_record *ranked = chosen(report, i, n);

        if (ranked->in_space)
            code = predictor_ask(&ranked->prediction, options->predictor, ranked->index, report->err);
        if (ranked->prediction && !ranked->prediction->told.predicted)
            ranked->prediction = NULL;
    }
    return code;
}

/* Tables
 * ---------------------------------------------------------------------------------------------------------------
 */

static void add_configuration(struct report *report, const struct timed_record *ranked)
{
    unsigned *choices;
    char *text = NULL;

    if (!ranked->in_space) {
        page_escape(&report->page, ranked->record->key);
        return;
    }
    choices = calloc(report->options->spec->parameter_count, sizeof *choices);
    if (choices) {
        space_configuration(choices, report->options->space, ranked->index);
        text = configuration_text(report->options->spec, choices);
    }
    page_escape(&report->page, text ? text : ranked->record->key);
    free(choices);
    free(text);
}

static void add_count(struct page *page, int count)
{
    page_add(page, count >= 0 ? "<td>%d" : "<td>–", count);
}

static void add_best(struct report *report)
{
    struct page *page = &report->page;
    size_t i;

    page_add(page,
             "<h2>Fastest configurations</h2>\n<div class=scroll><table><tr><th>configuration<th>time, ms"
             "<th>slower by<th>registers<th>shared, B<th>blocks per SM<th>occupancy<th>estimate, ms<th>at "
             "least, ms<th>limited by</tr>\n");
    for (i = 0; i < report->count && i < ROWS; i++) {
        const struct timed_record *ranked = &report->ran[i];
        const struct record *record = ranked->record;

        page_add(page, "<tr><td>");
        add_configuration(report, ranked);
        page_add(page, "<td>%.5g<td>%.2f %%", record->time_s * 1e3,
                 100 * (record->time_s / report->ran[0].record->time_s - 1));
        add_count(page, record->registers);
        add_count(page, record->shared_bytes);
        add_count(page, record->blocks_per_sm);
        page_add(page, record->occupancy >= 0 ? "<td>%.0f %%" : "<td>–", 100 * record->occupancy);
        if (ranked->prediction)
            page_add(page, "<td>%.5g<td>%.5g<td>%s</tr>\n", ranked->prediction->told.estimate_s * 1e3,
                     ranked->prediction->told.bound_s * 1e3, resource_name(ranked->prediction->told.limiter));
        else
            page_add(page, "<td>–<td>–<td>–</tr>\n");
    }
    page_add(page, "</table></div>\n");
}

static void add_outcomes(struct report *report)
{
    const struct journal *journal = report->options->journal;
    size_t counts[OUTCOME_COUNT] = {0}, i;
    int o;

    for (i = 0; i < journal_count(journal); i++)
        counts[journal_record(journal, i)->outcome]++;
    page_add(&report->page, "<h2>Outcomes</h2>\n<table><tr><th>outcome<th>configurations</tr>\n");
    for (o = 0; o < OUTCOME_COUNT; o++)
        if (counts[o])
            page_add(&report->page, "<tr><td>%s<td>%zu</tr>\n", outcome_text((enum outcome)o), counts[o]);
    page_add(&report->page, "</table>\n");
}

/* The best time at each value of each parameter. */
static void add_parameters(struct report *report)
{
    const struct spec *spec = report->options->spec;
    unsigned *choices = calloc(spec->parameter_count, sizeof *choices);
    char text[128];
    size_t p, v, i;

    if (!choices) {
        report->code = err_memory(report->err);
        return;
    }
    page_add(&report->page,
             "<h2>Parameters</h2>\n<p>The best time at each value, in times the fastest of all.</p>"
             "<div class=scroll><table>\n");
    for (p = 0; p < spec->parameter_count; p++) {
        page_add(&report->page, "<tr><td>");
        page_escape(&report->page, spec->parameters[p].name);
        for (v = 0; v < spec->parameters[p].value_count; v++) {
            for (i = 0; i < report->count; i++) {
                if (report->ran[i].in_space)
                    space_configuration(choices, report->options->space, report->ran[i].index);
                if (report->ran[i].in_space && choices[p] == v)
                    break;
            }
            value_text(text, sizeof text, &spec->parameters[p].values[v]);
            page_add(&report->page, "<td><b>");
            page_escape(&report->page, text);
            if (i < report->count)
                page_add(&report->page, "</b> %.3f",
                         report->ran[i].record->time_s / report->ran[0].record->time_s);
            else
                page_add(&report->page, "</b> –");
        }
        page_add(&report->page, "</tr>\n");
    }
    page_add(&report->page, "</table></div>\n");
    free(choices);
}

static void add_head(struct report *report)
{
    struct page *page = &report->page;
    struct metadata metadata;

    metadata_read(&metadata, report->options->journal);
    page_add(page, "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
                   "content=\"width=device-width\"><title>");
    page_escape(page, metadata.kernel_name);
    page_add(page, "</title><style>%s</style>\n<h1>", page_style);
    page_escape(page, metadata.kernel_name);
    page_add(page, "</h1>\n<p>Measured on ");
    page_escape(page, metadata.device_name);
    if (*metadata.date) {
        page_add(page, ", ");
        page_escape(page, metadata.date);
    }
    if (*metadata.driver) {
        page_add(page, ", driver ");
        page_escape(page, metadata.driver);
    }
    if (*metadata.nvrtc) {
        page_add(page, ", NVRTC ");
        page_escape(page, metadata.nvrtc);
    }
    page_add(
        page,
        ". %zu configurations ran; the fastest took %.5g ms, the median %.5g ms, the slowest %.5g ms.</p>\n",
        report->count, report->ran[0].record->time_s * 1e3,
        report->ran[report->count / 2].record->time_s * 1e3,
        report->ran[report->count - 1].record->time_s * 1e3);
}

static void write_page(struct report *report)
{
    add_head(report);
    add_best(report);
    report_charts(report);
    if (report->options->spec)
        add_parameters(report);
    add_outcomes(report);
    page_add(&report->page, "</html>\n");
    if (report->page.failed && !report->code)
        report->code = err_memory(report->err);
}

int report_page(char **out, const struct report_options *options, struct err *err)
{
    struct report report = {.options = options, .err = err};

    *out = NULL;
    report.code = collect(&report);
    if (!report.code)
        report.code = find_indices(&report);
    if (!report.code)
        report.code = predict_some(&report);
    if (!report.code)
        write_page(&report);
    free(report.ran);
    free(report.x);
    free(report.y);
    free(report.z);
    if (report.code)
        free(report.page.text);
    else
        *out = report.page.text;
    return report.code;
}
