#include "tuner/remote/answer.h"

#include "tuner/remote/exchange.h"

#include <limits.h>

int answer_id(int64_t *out_id, const struct message *message, struct err *err)
{
    struct js_at root = js_root(message->head, "answer"), at;

    return js_member(&at, &root, "id", err) || js_integer(out_id, &at, err) ? ERR_FORMAT : 0;
}

static int read_kind(enum answer_kind *kind, const struct js_at *root, struct err *failed, struct err *err)
{
    const char *text;
    struct js_at at;
    int64_t code;

    *kind = ANSWER_DONE;
    if (js_find(&at, root, "missing")) {
        *kind = ANSWER_MISSING;
    } else if (js_find(&at, root, "unfit")) {
        *kind = ANSWER_UNFIT;
    } else if (js_find(&at, root, "error")) {
        *kind = ANSWER_FAILED;
        if (js_integer(&code, &at, err) || js_member(&at, root, "text", err) || js_string(&text, &at, err))
            return ERR_FORMAT;
        err_set(failed, code < 0 && code >= INT_MIN ? (enum err_code)code : ERR_SYSTEM, "%s", text);
    }
    return 0;
}

int answer_compile(enum answer_kind *kind, struct compile_result *compiled, struct code_facts *facts,
                   struct variant_prediction *prediction, struct host *host, struct message *message,
                   struct err *failed, struct err *err)
{
    struct js_at root = js_root(message->head, "answer"), at;
    int rc = read_kind(kind, &root, failed, err);

    if (rc || *kind != ANSWER_DONE)
        return rc;
    if (!compiled->cubin) {
        rc = js_member(&at, &root, "compiled", err) ? ERR_FORMAT : 0;
        if (!rc) {
            rc = compiled_get(compiled, &at, message->payload, message->payload_bytes, err);
            message->payload = NULL;
        }
        if (!rc && compiled->packed)
            host_has(host, compiled->content);
        else if (!rc && compiled->cubin)
            host_has(host, key_bytes(compiled->cubin, compiled->cubin_bytes));
        if (!rc && js_find(&at, &root, "facts"))
            rc = code_facts_get(facts, &root, "facts", err);
    }
    if (!rc && js_find(&at, &root, "prediction"))
        rc = prediction_from_json(prediction, &at, err);
    return rc;
}

int answer_trial(enum answer_kind *kind, struct trial *trial, const struct message *message,
                 struct err *failed, struct err *err)
{
    struct js_at root = js_root(message->head, "answer"), at;
    int rc = read_kind(kind, &root, failed, err);

    if (rc || *kind != ANSWER_DONE)
        return rc;
    return js_member(&at, &root, "trial", err) || trial_from_json(trial, &at, err) ? ERR_FORMAT : 0;
}
