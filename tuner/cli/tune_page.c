#include "tuner/cli/tune_page.h"

#include "base/file.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/output.h"
#include "tuner/cli/sources.h"

#include <stdlib.h>
#include <string.h>

/* Beside the decision. */
static int write_replay(const struct tune_page *page, const struct tune_view *view, struct err *err)
{
    const char *slash = strrchr(page->decision, '/');
    const int folder = slash ? (int)(slash - page->decision + 1) : 0;
    char path[PATH_MAX], *replay = page->tuned[view->problem].replay;
    int code;

    if (!strcmp(page->decision, "-"))
        return 0;
    if (snprintf(path, sizeof path, "%.*s%s", folder, page->decision, view->replay) >= (int)sizeof path)
        return err_set(err, ERR_USAGE, "%s: the name is too long", page->decision);
    code = tune_view_write(path, view, page->spec, err);
    if (!code)
        snprintf(replay, sizeof page->tuned->replay, "%s", view->replay);
    return code;
}

/* As it goes there is one problem on the page: the one that is tuned now. */
static int write_view(const struct tune_page *page, const struct tune_view *view, struct err *err)
{
    const struct record **records = malloc((view->count + 1) * sizeof *records);
    struct report_problem problem = {.head = view->head,
                                     .records = records,
                                     .count = view->count,
                                     .not_timed = view->not_timed,
                                     .source = page->tuned[view->problem].journal,
                                     .replay = true};
    const struct report_options shown = {
        .level = view->measured ? "live" : "recorded",
        .problems = &problem,
        .problem_count = 1,
        .live = !view->finished || view->problem + 1 < page->spec->problem_count || page->kinds_follow};
    int code = records ? 0 : err_memory(err);

    for (size_t i = 0; i < view->count && !code; i++)
        records[i] = view->results[i].record;
    if (!code)
        code = output_runs(page->cli, page->page, &format_page, NULL, &shown, page->profile, err);
    free(records);
    return code;
}

/* A run does not end because its page cannot be written: that is said, once. */
static void show(struct tune_page *page, const struct tune_view *view)
{
    struct err why = {0};

    if (page->failed || !write_view(page, view, &why))
        return;
    page->failed = true;
    fprintf(page->cli->err, "%s: the page is not written any more as the run goes: %s\n", page->cli->program,
            why.text);
}

int tune_page_view(void *context, const struct tune_view *view, struct err *err)
{
    struct tune_page *page = context;

    if (page->page && !page->hidden)
        show(page, view);
    return view->finished && !view->measured ? write_replay(page, view, err) : 0;
}

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
    int code;

    if (!page->page) {
        js_free(decision);
        return 0;
    }
    code =
        decision ? sources_take(&sources, page->cli, decision, page->decision, true, err) : err_memory(err);
    if (!code) {
        shown = sources_shown(&sources);
        code =
            output_runs(page->cli, page->page, &format_page, &sources.decision, &shown, page->profile, err);
    }
    sources_close(&sources);
    return code;
}
