#include "tuner/cli/tune_page.h"

#include "tuner/cli/choose.h"
#include "tuner/cli/output.h"
#include "tuner/cli/sources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside the decision; false: the name is too long. */
static bool replay_path(char path[PATH_MAX], const struct tune_page *page, const char *replay)
{
    const char *slash = strrchr(page->decision, '/');
    const int folder = slash ? (int)(slash - page->decision + 1) : 0;

    return snprintf(path, PATH_MAX, "%.*s%s", folder, page->decision, replay) < PATH_MAX;
}

static int write_replay(const struct tune_page *page, const struct tune_view *view, struct err *err)
{
    char path[PATH_MAX], *replay = page->tuned[view->problem].replay;
    int rc;

    if (!strcmp(page->decision, "-"))
        return 0;
    if (!replay_path(path, page, view->replay))
        return err_set(err, ERR_USAGE, "%s: the name is too long", page->decision);
    rc = tune_view_write(path, view, page->spec, err);
    if (!rc)
        snprintf(replay, sizeof page->tuned->replay, "%s", view->replay);
    return rc;
}

/* As the run goes -------------------------------------------------------------- */

int tune_pages_init(struct tune_pages *pages, size_t kinds, struct err *err)
{
    *pages = (struct tune_pages){.shown = calloc(kinds, sizeof *pages->shown), .kinds = kinds};
    return pages->shown ? 0 : err_memory(err);
}

static void forget(struct tune_shown *shown)
{
    for (size_t i = 0; i < shown->problem.count; i++)
        record_release(&shown->copies[i]);
    free(shown->copies);
    free(shown->records);
    js_free(shown->head);
    js_free(shown->not_timed);
    *shown = (struct tune_shown){0};
}

void tune_pages_release(struct tune_pages *pages)
{
    for (size_t k = 0; k < pages->count; k++)
        forget(&pages->shown[k]);
    free(pages->shown);
    *pages = (struct tune_pages){0};
}

static int copy_records(struct tune_shown *shown, const struct tune_view *view, struct err *err)
{
    shown->copies = malloc((view->count + 1) * sizeof *shown->copies);
    shown->records = malloc((view->count + 1) * sizeof *shown->records);
    if (!shown->copies || !shown->records)
        return err_memory(err);
    for (size_t i = 0; i < view->count; i++) {
        if (record_copy(&shown->copies[i], view->results[i].record, err))
            return ERR_MEMORY;
        shown->records[i] = &shown->copies[i];
        shown->problem.count++;
    }
    return 0;
}

/* One problem of a kind is on the page: the one that is tuned now, or was last. */
static int take_view(struct tune_shown *shown, const struct tune_page *page, const struct tune_view *view,
                     struct err *err)
{
    int rc;

    forget(shown);
    rc = copy_records(shown, view, err);
    shown->head = js_copy(view->head.value);
    shown->not_timed = view->not_timed ? js_copy(view->not_timed) : NULL;
    if (!rc && (!shown->head || (view->not_timed && !shown->not_timed)))
        rc = err_memory(err);
    shown->problem.head = js_root(shown->head, page->tuned[view->problem].journal);
    shown->problem.records = shown->records;
    shown->problem.not_timed = shown->not_timed;
    shown->problem.source = page->tuned[view->problem].journal;
    shown->problem.replay = true;
    return rc;
}

static int write_pages(const struct tune_page *page, const struct tune_view *view, struct err *err)
{
    const struct tune_pages *pages = page->pages;
    struct report_problem *problems = malloc(pages->count * sizeof *problems);
    const struct report_options shown = {
        .level = view->measured ? "live" : "recorded",
        .problems = problems,
        .problem_count = pages->count,
        .live = !view->finished || view->problem + 1 < page->spec->problem_count || pages->kinds > 1};
    int rc = problems ? 0 : err_memory(err);

    for (size_t k = 0; k < pages->count && !rc; k++)
        problems[k] = pages->shown[k].problem;
    if (!rc)
        rc = output_runs(page->cli, page->page, &format_page, NULL, &shown, page->profile, err);
    free(problems);
    return rc;
}

/* A run does not end because its page cannot be written: that is said, once. */
static void show(struct tune_page *page, const struct tune_view *view)
{
    struct tune_pages *pages = page->pages;
    struct err why = {0};

    if (pages->failed)
        return;
    if (!page->shown)
        page->shown = &pages->shown[pages->count++];
    if (!take_view(page->shown, page, view, &why) && !write_pages(page, view, &why))
        return;
    pages->failed = true;
    fprintf(page->cli->err, "%s: the page is not written any more as the run goes: %s\n", page->cli->program,
            why.text);
}

/* Nor is the decision lost with what is written beside it. */
static int write_beside(const struct tune_page *page, const struct tune_view *view, struct err *err)
{
    struct err why = {0};
    const int rc = write_replay(page, view, &why);

    if (rc == ERR_MEMORY)
        return err_memory(err);
    if (rc)
        fprintf(page->cli->err, "%s: %s; the decision is written without it\n", page->cli->program, why.text);
    return 0;
}

int tune_page_view(void *context, const struct tune_view *view, struct err *err)
{
    struct tune_page *page = context;

    if (page->page)
        show(page, view);
    return view->finished && !view->measured ? write_beside(page, view, err) : 0;
}

bool tune_page_remove_replays(const struct tune_page *page, struct tuned *tuned, size_t count)
{
    char path[PATH_MAX];
    bool any = false;

    for (size_t i = 0; i < count; i++)
        if (*tuned[i].replay && replay_path(path, page, tuned[i].replay)) {
            any |= !unlink(path);
            *tuned[i].replay = '\0';
        }
    return any;
}

/* When it ends ------------------------------------------------------------------ */

int tune_page_check(const struct tune_page *page, const struct cli_args *args, struct err *err)
{
    if (!page->page)
        return 0;
    if (cli_check_output(args, "page", NULL, err) || choose_output(page->page, "page", page->spec, err))
        return ERR_USAGE;
    if (!format_page.check(err))
        return 0;
    err_prefix(err, "--page");
    return err->code;
}

int tune_page_end(const struct tune_page *page, struct json *decision, struct err *err)
{
    struct sources sources = {0};
    struct report_options shown;
    int rc;

    if (!page->page) {
        js_free(decision);
        return 0;
    }
    rc = decision ? sources_take(&sources, page->cli, decision, page->decision, true, err) : err_memory(err);
    if (!rc) {
        shown = sources_shown(&sources);
        rc = output_runs(page->cli, page->page, &format_page, &sources.decision, &shown, page->profile, err);
    }
    sources_close(&sources);
    return rc;
}
