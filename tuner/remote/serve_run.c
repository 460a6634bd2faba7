/* Doing an errand, and its answer. */
#include "tuner/remote/serving.h"

#include "gpu/sources.h"
#include "tuner/remote/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the compiler will find the files that were sent, and no other file of this host: where it would, the
 * controller must compile by itself. */
static void check_files(struct errand *errand)
{
    struct sources_files files = {0};
    struct sources_hash hash;
    const size_t length = strlen(errand->folder);
    bool fits = !sources_list(&files, &hash, &errand->request, errand->text, &errand->err);
    char real[PATH_MAX];

    if (fits && (!hash.complete || hash.strange || files.count != errand->file_count))
        fits = false;
    for (size_t i = 0; i < files.count && fits; i++)
        fits = realpath(files.files[i].path, real) && !strncmp(real, errand->folder, length) &&
               real[length] == '/';
    if (!fits && !errand->err.code)
        snprintf(errand->unfit, sizeof errand->unfit,
                 "the headers that it includes can only be told by the compiler, or lie elsewhere");
    sources_files_release(&files);
}

/* Puts the names that the controller knows its files by in place of those here. */
static char *rename_files(char *text, const struct errand *errand)
{
    struct js_at file, at;
    const size_t folder = strlen(errand->folder);
    char *found, *renamed;

    while (text && errand->file_count && (found = strstr(text, errand->folder))) {
        const char *path, *shown = "", *name = "";

        for (size_t i = 0; i < js_count(&errand->files); i++) {
            file = js_element(&errand->files, i);
            if (js_find(&at, &file, "path") && !js_string(&path, &at, NULL) && strlen(path) > strlen(name) &&
                !strncmp(found + folder, path, strlen(path)) && js_find(&at, &file, "shown") &&
                !js_string(&shown, &at, NULL))
                name = path;
        }
        if (asprintf(&renamed, "%.*s%s%s", (int)(found - text), text, *name ? shown : "",
                     found + folder + strlen(name)) < 0)
            renamed = NULL;
        free(text);
        text = renamed;
    }
    return text;
}

static void rename_in_error(struct errand *errand)
{
    char *text = rename_files(strdup(errand->err.text), errand);

    if (text)
        snprintf(errand->err.text, sizeof errand->err.text, "%s", text);
    free(text);
}

static void run_compile(struct errand *errand)
{
    struct compile_result *compiled = &errand->compiled;
    const bool said = errand->text != NULL;

    if (atomic_load(errand->stop)) {
        err_set(&errand->err, ERR_STOPPED, "it was given up");
        return;
    }
    if (said)
        check_files(errand);
    if (errand->unfit[0] || errand->err.code)
        return;
    if (said && compile_cubin(compiled, errand->options->compiler, &errand->request, &errand->err)) {
        rename_in_error(errand);
        return;
    }
    if (said && compiled->cubin &&
        ((compiled->cubin_bytes > REMOTE_STREAM_CODE && compile_result_pack(compiled, &errand->err)) ||
         code_facts_read(&errand->facts, compiled, "compiled code", &errand->err)))
        return;
    compiled->diagnostic = rename_files(compiled->diagnostic, errand);
    compiled->log = rename_files(compiled->log, errand);
    if (errand->machine && compiled->outcome == OUTCOME_OK && !atomic_load(errand->stop))
        predict_compiled(&errand->prediction, errand->machine, compiled, &errand->launch, errand->warm,
                         errand->stop, &errand->err);
}

void errand_run(struct errand *errand)
{
    const struct serve_options *options = errand->options;

    if (errand->measure)
        worker_trial(&errand->trial, options->gpus[errand->gpu].worker, &errand->code, &errand->launch,
                     &errand->reference, &errand->protocol, &errand->err);
    else
        run_compile(errand);
}

static int set_compiled(struct json *head, struct part *payload, const struct errand *errand)
{
    const struct compile_result *compiled = &errand->compiled;
    struct json *object = js_new_object();
    int failed = !object || compiled_set(object, compiled);

    if (!failed && errand->facts.known)
        failed = code_facts_set(head, "facts", &errand->facts);
    if (compiled->packed)
        *payload = (struct part){compiled->packed, compiled->packed_bytes};
    else if (compiled->cubin)
        *payload = (struct part){compiled->cubin, compiled->cubin_bytes};
    else if (compiled->log)
        *payload = (struct part){compiled->log, strlen(compiled->log) + 1};
    return js_set(head, "compiled", js_unless(failed, object));
}

struct json *errand_answer(struct part *payload, const struct errand *errand)
{
    struct json *head = js_new_object();
    int failed = !head || js_set_integer(head, "id", errand->id);

    *payload = (struct part){NULL, 0};
    if (!failed && errand->missing)
        failed = js_set_bool(head, "missing", true);
    else if (!failed && errand->unfit[0])
        failed = js_set_string(head, "unfit", errand->unfit);
    else if (!failed && errand->err.code)
        failed =
            js_set_integer(head, "error", errand->err.code) | js_set_string(head, "text", errand->err.text);
    else if (!failed && errand->measure)
        failed = js_set(head, "trial", trial_to_json(&errand->trial));
    else if (!failed && errand->text)
        failed = set_compiled(head, payload, errand);
    if (!failed && !errand->measure && errand->machine && !errand->missing && !errand->unfit[0] &&
        !errand->err.code)
        failed = js_set(head, "prediction", prediction_to_json(&errand->prediction));
    return js_unless(failed, head);
}
