#include "tuner/evaluate/questions.h"

#include "space/configuration.h"
#include "tuner/evaluate/evaluator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Null when memory ends. */
static struct json *question_json(const struct questions *questions, const struct evaluator_job *job)
{
    const struct variant *variant = job->variant;
    const struct launch *launch = &variant->launch;
    const struct search_prediction *told = &job->prediction.told;
    struct json *question = js_new_object();
    int failed = !question || js_set_integer(question, "number", (int64_t)questions->number) ||
                 js_set(question, "configuration", configuration_json(questions->spec, job->choices));

    if (!failed && told->predicted)
        failed = js_set_real(question, "estimate_s", told->estimate_s) ||
                 js_set_real(question, "bound_s", told->bound_s);
    failed = failed || js_set_string(question, "name", variant->name) ||
             js_set(question, "options",
                    js_new_strings((const char *const *)variant->options, variant->option_count)) ||
             js_set(question, "grid", js_new_counts(launch->grid, 3)) ||
             js_set(question, "block", js_new_counts(launch->block, 3)) ||
             js_set_integer(question, "shared_bytes", (int64_t)launch->shared_bytes);
    return js_unless(failed, question);
}

int questions_put_line(const struct questions *questions, struct json *line, struct err *err)
{
    char *text = line ? js_text(line, JS_LINE) : NULL;

    js_free(line);
    if (!text)
        return err_memory(err);
    fprintf(questions->out, "%s\n", text);
    free(text);
    return fflush(questions->out) ? err_set(err, ERR_SYSTEM, "standard output: %s", strerror(errno)) : 0;
}

int questions_put(const struct questions *questions, const struct evaluator_job *job, struct err *err)
{
    return questions_put_line(questions, question_json(questions, job), err);
}

/* Answers ------------------------------------------------------------------ */

static int read_time(struct trial *out, const struct js_at *root, struct err *err)
{
    struct js_at at;
    double time_s;

    if (js_member(&at, root, "time_s", err) || js_real(&time_s, &at, err))
        return err->code;
    if (!(time_s > 0))
        return js_fail(&at, err, "a time is above 0; of a configuration that fails say \"failed\" and why");
    out->samples_s = malloc(sizeof *out->samples_s);
    if (!out->samples_s)
        return err_memory(err);
    out->outcome = OUTCOME_OK;
    out->samples_s[0] = out->time_s = time_s;
    out->sample_count = 1;
    return 0;
}

static int read_failure(struct trial *out, const struct js_at *at, struct err *err)
{
    const char *reason;

    if (js_string(&reason, at, err))
        return err->code;
    out->outcome = OUTCOME_RUNTIME;
    snprintf(out->message, sizeof out->message, "%s", reason);
    return 0;
}

/* {"number": 3, "time_s": 0.001}, or {"number": 3, "failed": "why"}. */
static int read_answer(struct trial *out, const struct questions *questions, struct err *err)
{
    static const char *const members[] = {"number", "time_s", "failed", NULL};
    struct json *json = NULL;
    struct js_at root, at, failed;
    uint64_t number = 0;
    int rc = js_read_text(&json, questions->answers.line, questions->answers.length, "answer", err);

    root = js_root(json, "answer");
    if (!rc)
        rc = js_only(&root, members, err);
    if (!rc && !(rc = js_member(&at, &root, "number", err)))
        rc = js_unsigned(&number, &at, err);
    if (!rc && number != questions->number)
        rc = js_fail(&at, err, "is not the question that waits for an answer, %llu",
                     (unsigned long long)questions->number);
    if (!rc && !js_find(&failed, &root, "failed"))
        rc = read_time(out, &root, err);
    else if (!rc && js_find(&at, &root, "time_s"))
        rc = js_fail(&at, err, "stands beside \"failed\": give one of the two");
    else if (!rc)
        rc = read_failure(out, &failed, err);
    js_free(json);
    return rc;
}

/* True: the question is answered, or cannot be. */
static bool judge(struct trial *out, struct questions *questions, enum line_got got, struct err *err)
{
    struct err why = {0};

    if (got == LINE_LONG)
        err_set(&why, ERR_USAGE, "answer: is longer than %zu bytes", questions->answers.most);
    else
        read_answer(out, questions, &why);
    if (why.code == ERR_MEMORY)
        err_memory(err);
    questions->doubtful = why.code && why.code != ERR_MEMORY;
    if (questions->doubtful)
        questions->refused(questions->context, &why);
    return !questions->doubtful;
}

bool questions_take(struct trial *out, struct questions *questions, struct err *err)
{
    enum line_got got;

    while ((got = line_reader_next(&questions->answers, 0)) == LINE_WHOLE || got == LINE_LONG)
        if (judge(out, questions, got, err)) {
            questions->number++;
            return true;
        }
    questions->gone = questions->gone || got == LINE_END;
    return false;
}

bool questions_over(const struct questions *questions)
{
    return questions->gone || *questions->stop;
}
