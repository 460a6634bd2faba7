/* The run as its caller sees it while it goes and when it ends. */
#include "tuner/tune/tuning.h"

#include "base/clock.h"
#include "space/configuration.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run spends one part in as many of its time on being shown, at most. */
enum { CHEAP = 20 };

/* The records of what is settled, in the order in which the search came to them; malloc'ed. */
static struct tune_result *settled(size_t *count, const struct tuning *tuning)
{
    struct tune_result *results = malloc((tuning->candidate_count + 1) * sizeof *results);

    *count = 0;
    for (size_t i = 0; results && i < tuning->candidate_count; i++) {
        const struct candidate *candidate = tuning->candidates[i];

        if (candidate->settled && candidate->record.outcome != OUTCOME_SKIPPED)
            results[(*count)++] = (struct tune_result){&candidate->record, candidate->choices};
    }
    return results;
}

int tuning_show(struct tuning *tuning, const struct json *not_timed, bool finished, struct err *err)
{
    const struct tune_options *options = tuning->options;
    struct tune_view view = {.problem = tuning->problem,
                             .measured = tuning->out->evaluator->measures,
                             .not_timed = not_timed,
                             .replay = tuning->replay,
                             .finished = finished};
    const double began_s = clock_wall_s();
    struct tune_result *results;
    double ended_s;
    int rc;

    if (!options->view || !tuning->journal)
        return 0;
    if (!finished && (!(options->view_s > 0) || began_s < tuning->next_view_s))
        return 0;
    results = settled(&view.count, tuning);
    if (!results)
        return err_memory(err);
    view.head = journal_head(tuning->journal);
    view.results = results;
    rc = options->view(options->view_context, &view, err);
    ended_s = clock_wall_s();
    tuning->next_view_s = ended_s + fmax(options->view_s, CHEAP * (ended_s - began_s));
    free(results);
    return rc;
}

/* As a file ---------------------------------------------------------------- */

/* The head of the recording, without what that run left untimed, which this one may have timed. */
static struct json *replay_head(const struct js_at *head)
{
    struct json *copy = js_new_object();
    struct js_at member = {0};
    int failed = !copy;

    while (!failed && js_next(&member, head))
        if (strcmp(member.key, "not_timed"))
            failed = js_set(copy, member.key, js_copy(member.value));
    return js_unless(failed, copy);
}

static int append_all(struct journal *journal, const struct tune_view *view, const struct spec *spec,
                      struct err *err)
{
    struct json *parameters;
    int rc = 0;

    for (size_t i = 0; i < view->count && !rc; i++) {
        parameters = configuration_json(spec, view->results[i].choices);
        rc = parameters ? journal_append(journal, view->results[i].record, parameters, err) : err_memory(err);
        js_free(parameters);
    }
    return rc;
}

int tune_view_write(const char *path, const struct tune_view *view, const struct spec *spec, struct err *err)
{
    char part[PATH_MAX];
    struct json *head = replay_head(&view->head);
    struct journal *journal = NULL;
    int rc = head ? 0 : err_memory(err);

    if (!rc && snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        rc = err_set(err, ERR_USAGE, "%s: the name is too long", path);
    if (!rc) {
        unlink(part); /* of a run that was killed */
        rc = journal_open(&journal, part, head, err);
    }
    if (!rc) {
        rc = append_all(journal, view, spec, err);
        if (rc)
            journal_free(journal);
        else
            rc = journal_close(journal, view->not_timed, err);
    }
    js_free(head);
    if (!rc && rename(part, path))
        rc = err_set(err, ERR_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
    if (rc)
        unlink(part);
    return rc;
}
