#include "tuner/cli/sources.h"

#include "base/file.h"
#include "tuner/cli/choose.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);

    return length > wanted && !strcmp(text + length - wanted, end);
}

/* The newest regular file of this folder whose name has one of the ends; "" where there is none. */
static int newest(char out[PATH_MAX], const char *const *ends, struct err *err)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    struct stat status, best = {0};
    size_t e;

    *out = '\0';
    if (!folder)
        return err_set(err, ERR_SYSTEM, "this folder cannot be read: %s", strerror(errno));
    while ((entry = readdir(folder)) != NULL) {
        for (e = 0; ends[e] && !ends_with(entry->d_name, ends[e]); e++)
            ;
        if (!ends[e] || stat(entry->d_name, &status) || !S_ISREG(status.st_mode))
            continue;
        if (*out &&
            (status.st_mtim.tv_sec < best.st_mtim.tv_sec || (status.st_mtim.tv_sec == best.st_mtim.tv_sec &&
                                                             status.st_mtim.tv_nsec <= best.st_mtim.tv_nsec)))
            continue;
        best = status;
        snprintf(out, PATH_MAX, "%s", entry->d_name);
    }
    closedir(folder);
    return 0;
}

int sources_latest(char out[PATH_MAX], struct err *err)
{
    static const char *const decisions[] = {".decision.json", NULL};
    static const char *const journals[] = {".journal.json", ".replay.json", NULL};
    int rc = newest(out, decisions, err);

    if (!rc && !*out)
        rc = newest(out, journals, err);
    if (rc || *out)
        return rc;
    return err_set(err, ERR_USAGE,
                   "no decision and no journal is in this folder: name one, or run occutune tune here first");
}

/* Journals ----------------------------------------------------------------- */

static int allocate(struct sources *sources, size_t count, struct err *err)
{
    sources->problems = calloc(count + 1, sizeof *sources->problems);
    sources->journals = calloc(count + 1, sizeof *sources->journals);
    sources->records = calloc(count + 1, sizeof *sources->records);
    return sources->problems && sources->journals && sources->records ? 0 : err_memory(err);
}

static int add_journal(struct sources *sources, struct cli *cli, const char *path,
                       const struct json *decision, struct err *err)
{
    struct journal **journal = &sources->journals[sources->count];
    struct report_problem *problem = &sources->problems[sources->count];
    const struct record ***records = &sources->records[sources->count];
    struct js_at at;

    if (journal_read(journal, path, err))
        return err->code;
    sources->count++;
    remarks_print(cli, *journal);
    *records = malloc((journal_count(*journal) + 1) * sizeof **records);
    if (!*records)
        return err_memory(err);
    for (size_t i = 0; i < journal_count(*journal); i++)
        (*records)[i] = journal_record(*journal, i);
    *problem = (struct report_problem){.head = journal_head(*journal),
                                       .records = *records,
                                       .count = journal_count(*journal),
                                       .decision = decision,
                                       .source = journal_path(*journal),
                                       .replay = ends_with(path, ".replay.json")};
    if (js_find(&at, &problem->head, "not_timed"))
        problem->not_timed = at.value;
    return 0;
}

/* Decisions ---------------------------------------------------------------- */

/* A file that a decision names: as it stands, or beside the decision, which may have been moved with it. */
static void find_named(char out[PATH_MAX], const char *named, const char *decision)
{
    const char *slash = strrchr(decision, '/'), *base = strrchr(named, '/');
    const int folder = slash ? (int)(slash - decision + 1) : 0;

    snprintf(out, PATH_MAX, "%.*s%s", folder, decision, base ? base + 1 : named);
    if (access(out, R_OK))
        snprintf(out, PATH_MAX, "%s", named);
}

static int add_problem(struct sources *sources, struct cli *cli, const struct js_at *problem,
                       const char *decision, struct err *err)
{
    struct js_at at;
    const char *named;
    char path[PATH_MAX];

    if (!js_find(&at, problem, "replay") && js_member(&at, problem, "journal", err))
        return ERR_USAGE;
    if (js_string(&named, &at, err))
        return ERR_USAGE;
    if (!*named)
        return js_fail(&at, err, "is of no journal: nothing was measured, and there is nothing to show");
    find_named(path, named, decision);
    if (!add_journal(sources, cli, path, problem->value, err))
        return 0;
    err_prefix(err, "%s", decision);
    return err->code;
}

int sources_take(struct sources *sources, struct cli *cli, struct json *document, const char *path,
                 bool journals, struct err *err)
{
    struct decision *decision = &sources->decision;
    struct js_at problem;
    int rc = decision_take(decision, document, path, err);

    sources->level = "";
    if (rc)
        return rc;
    sources->has_decision = true;
    sources->level = decision->level;
    sources->signature = decision->signature.value;
    rc = allocate(sources, js_count(&decision->problems), err);
    for (size_t i = 0; journals && i < js_count(&decision->problems) && !rc; i++) {
        problem = js_element(&decision->problems, i);
        rc = add_problem(sources, cli, &problem, path, err);
    }
    return rc;
}

static bool is_decision(struct json *document)
{
    const struct js_at root = js_root(document, "");
    struct js_at at;

    return js_find(&at, &root, "problems") && js_find(&at, &root, "signature");
}

/* Whether text that is no JSON is a decision that is damaged, or was cut; journals may be cut and are read all the same. */
static bool was_decision(const char *path, const char *text)
{
    return ends_with(path, ".decision.json") ||
           (strstr(text, "\"problems\"") && !strstr(text, "\"tune_params_keys\""));
}

/* The document, where the file is a decision; else null: what is wrong with it is for the journal's reader to say. A
 * journal of thousands of records is not parsed for that. */
static int read_decision(struct json **out, const char *path, struct err *err)
{
    struct err why = {0};
    bool damaged = false;
    char *text = NULL;
    size_t size;

    *out = NULL;
    if (!file_read(&text, &size, path, &why) &&
        (was_decision(path, text) || (strstr(text, "\"problems\"") && strstr(text, "\"signature\""))))
        damaged = js_read_text(out, text, size, path, &why) && was_decision(path, text);
    free(text);
    if (why.code == ERR_MEMORY)
        return err_memory(err);
    if (damaged)
        return err_set(err, (enum err_code)why.code, "%s", why.text);
    if (*out && !is_decision(*out)) {
        js_free(*out);
        *out = NULL;
    }
    return 0;
}

int sources_open(struct sources *out, struct cli *cli, const char *path, bool journals, struct err *err)
{
    struct json *document;
    int rc = read_decision(&document, path, err);

    *out = (struct sources){.level = ""};
    if (rc)
        return rc;
    if (document)
        return sources_take(out, cli, document, path, journals, err);
    rc = allocate(out, 1, err);
    return rc ? rc : add_journal(out, cli, path, NULL, err);
}

/* Of what a problem names as `key`; nothing, where it names none. */
static int check_named(const struct js_at *problem, const char *key, const char *decision, const char *output,
                       struct err *err)
{
    struct js_at at;
    const char *named;
    char path[PATH_MAX];

    if (!js_find(&at, problem, key) || js_string(&named, &at, NULL) || !*named)
        return 0;
    find_named(path, named, decision);
    return cli_check_unread(output, "output", path, decision, err);
}

int sources_check_output(const struct sources *sources, const char *path, const char *output, struct err *err)
{
    int rc = cli_check_unread(output, "output", path, "report", err);
    struct js_at problem;

    for (size_t i = 0; sources->has_decision && i < js_count(&sources->decision.problems) && !rc; i++) {
        problem = js_element(&sources->decision.problems, i);
        rc = check_named(&problem, "journal", path, output, err);
        if (!rc)
            rc = check_named(&problem, "replay", path, output, err);
    }
    return rc;
}

struct report_options sources_shown(const struct sources *sources)
{
    return (struct report_options){.level = sources->level,
                                   .signature = sources->signature,
                                   .problems = sources->problems,
                                   .problem_count = sources->count};
}

void sources_close(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        journal_free(sources->journals[i]);
        free(sources->records[i]);
    }
    free(sources->problems);
    free(sources->journals);
    free(sources->records);
    if (sources->has_decision)
        decision_release(&sources->decision);
    *sources = (struct sources){0};
}
