/* A run goes on in a journal that is there already, whatever state it was left in: nothing of it is lost. */
#include "tuner/journal/journal_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int same_field(bool *same, const struct js_at *a, const struct js_at *b, const char *key,
                      struct err *err)
{
    struct js_at in_a, in_b;
    char *text_a, *text_b;
    int rc;

    *same = false;
    if (!js_find(&in_a, a, key) || !js_find(&in_b, b, key))
        return 0;
    text_a = js_text(in_a.value, JS_LINE);
    text_b = js_text(in_b.value, JS_LINE);
    rc = text_a && text_b ? 0 : err_memory(err);
    *same = !rc && !strcmp(text_a, text_b);
    free(text_a);
    free(text_b);
    return rc;
}

static int check_head(const struct journal *journal, const struct json *head, struct err *err)
{
    static const char *const fields[][2] = {{"device_name", "device"},
                                            {"kernel_name", "kernel"},
                                            {"problem_size", "problem"},
                                            {"tune_params_keys", "list of parameters"}};
    const struct js_at here = journal_head(journal), wanted = js_root(js_copy(head), "");
    struct js_at field;
    bool same;
    int rc = wanted.value ? 0 : err_memory(err);

    for (size_t i = 0; !rc && i < sizeof fields / sizeof *fields; i++) {
        rc = same_field(&same, &here, &wanted, fields[i][0], err);
        if (!rc && !same && journal->head_damage.code && !js_find(&field, &here, fields[i][0]))
            rc = err_set(err, ERR_USAGE,
                         "%s: is damaged where it names its %s: mend it, or name another file with --journal",
                         journal->path, fields[i][1]);
        else if (!rc && !same)
            rc = err_set(err, ERR_USAGE, "%s: belongs to another %s: name another file with --journal",
                         journal->path, fields[i][1]);
    }
    js_free(wanted.value);
    return rc;
}

/* A run killed while it wrote the head leaves the beginning of it. */
static bool is_unborn(const char *text, size_t length, const char *head)
{
    return length <= strlen(head) && !memcmp(text, head, length);
}

static int take_head(struct journal *journal, const struct json *head, struct err *err)
{
    struct json *copy = js_copy(head);

    if (!copy)
        return err_memory(err);
    js_free(journal->head);
    journal->head = copy;
    return 0;
}

/* What is no journal at all is kept under another name. */
static int begin_beside(struct journal *journal, const struct json *head, const char *own,
                        const struct err *why, struct err *err)
{
    const struct span text = {own, strlen(own)};
    int rc = journal_renew(journal, &text, 1, true, err);

    records_release(&journal->records);
    records_init(&journal->records);
    journal->cut_bytes = 0;
    journal->left_out = 0;
    journal->damaged = 0;
    journal->damage = *why;
    journal->head_damage = (struct err){0};
    journal->begun = true;
    return rc ? rc : take_head(journal, head, err);
}

static bool has_member(const struct journal *journal, const char *key)
{
    const size_t length = strlen(key);

    for (size_t i = 0; i < journal->members.count; i++) {
        const struct span *member = &journal->members.items[i];

        if (member->length > length + 1 && !memcmp(member->text + 1, key, length) &&
            member->text[length + 1] == '"')
            return true;
    }
    return false;
}

/* Members of the run's head take the place of those that are damaged: as text between the braces of an object, which the
 * caller frees. */
static int mend_head(char **out, struct journal *journal, const struct json *head, struct err *err)
{
    const struct js_at own = js_root((struct json *)head, journal->path);
    struct js_at member = {0};
    struct json *missing = js_new_object();
    int failed = !missing;

    while (!failed && js_next(&member, &own))
        if (!has_member(journal, member.key))
            failed = js_set(missing, member.key, js_copy(member.value)) ||
                     js_set(journal->head, member.key, js_copy(member.value));
    *out = failed ? NULL : js_text(missing, JS_LINE);
    js_free(missing);
    return *out ? 0 : err_memory(err);
}

/* The file anew, of its own pieces as they were written: members of the head, also those that stood behind
 * the cache, and whole records. `mended` is mend_head()'s, or null. */
static int rebuild(struct journal *journal, const char *mended, bool aside, struct err *err)
{
    static const struct span open = {"{", 1}, next = {",\n", 2}, cache = {"\"cache\": {\n", 11},
                             end = {",", 1};
    struct span *texts = calloc(2 * (journal->members.count + journal->kept.count) + 4, sizeof *texts);
    size_t count = 0, i;
    int rc;

    if (!texts)
        return err_memory(err);
    texts[count++] = open;
    if (mended && strlen(mended) > 2) {
        texts[count++] = (struct span){mended + 1, strlen(mended) - 2};
        texts[count++] = next;
    }
    for (i = 0; i < journal->members.count; i++) {
        texts[count++] = journal->members.items[i];
        texts[count++] = next;
    }
    texts[count++] = cache;
    for (i = 0; i < journal->kept.count; i++) {
        texts[count++] = journal->kept.items[i];
        texts[count++] = i + 1 < journal->kept.count ? next : end;
    }
    journal->comma = journal->kept.count;
    rc = journal_renew(journal, texts, count, aside, err);
    free(texts);
    return rc;
}

/* Goes on behind the last record: an incomplete one and the closing braces are cut off. */
static int append_here(struct journal *journal, struct err *err)
{
    if (ftruncate(journal->file, (off_t)journal->end))
        return err_set(err, ERR_SYSTEM, "%s: cannot be cut: %s", journal->path, strerror(errno));
    journal->comma = journal->kept.count;
    return journal->comma ? journal_put(journal, ",", 1, err) : 0;
}

/* Whether what stands behind the last whole record is the beginning of one, as an interrupted write leaves
 * it. What was whole once, and then damaged, has its checksum, or more lines or an end behind it. */
static bool is_torn(const char *text, size_t length)
{
    while (length && strchr(",\n ", *text)) {
        text++;
        length--;
    }
    while (length && strchr("\n ", text[length - 1]))
        length--;
    return !length || (!memchr(text, '\n', length) && !memmem(text, length, "\"checksum\"", 10) &&
                       !strchr("},", text[length - 1]));
}

static int resume(struct journal *journal, const char *text, size_t length, const struct json *head,
                  struct err *err)
{
    const bool damaged = journal->cut_bytes && !is_torn(text + journal->end, length - journal->end);
    const bool aside = journal->damaged || journal->leftover || damaged || journal->head_damage.code;
    char *mended = NULL;
    int rc = check_head(journal, head, err);

    if (!rc && journal->head_damage.code)
        rc = mend_head(&mended, journal, head, err);
    if (!rc)
        rc = aside || journal->beside || journal->loose ? rebuild(journal, mended, aside, err)
                                                        : append_here(journal, err);
    free(mended);
    return rc;
}

static int begin(struct journal *journal, const struct json *head, const char *own, struct err *err)
{
    const int rc = take_head(journal, head, err);

    journal->created = true;
    journal->end = 0;
    return rc ? rc : journal_put(journal, own, strlen(own), err);
}

int journal_resume(struct journal *journal, const char *text, size_t length, const struct json *head,
                   struct err *err)
{
    char *own = journal_head_text(head);
    struct err why = {0};
    int rc;

    if (!own)
        return err_memory(err);
    journal->opening = true;
    if (is_unborn(text, length, own)) {
        rc = begin(journal, head, own, err);
    } else {
        rc = journal_parse(journal, text, length, &why);
        if (!rc && !journal->has_cache)
            rc = err_set(&why, ERR_FORMAT, "%s: is no journal: it has no \"cache\"", journal->path);
        if (rc == ERR_FORMAT)
            rc = begin_beside(journal, head, own, &why, err);
        else if (rc)
            err_set(err, (enum err_code)rc, "%s", why.text);
        else
            rc = resume(journal, text, length, head, err);
    }
    free(journal->members.items);
    free(journal->kept.items);
    journal->members = journal->kept = (struct spans){0};
    free(own);
    return rc;
}
