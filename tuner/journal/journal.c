#include "tuner/journal/journal.h"

#include "base/clock.h"
#include "base/hash.h"
#include "tuner/journal/journal_file.h"
#include "tuner/journal/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct journal *journal_new(const char *path)
{
    struct journal *journal = calloc(1, sizeof *journal);

    if (!journal)
        return NULL;
    journal->file = -1;
    records_init(&journal->records);
    journal->path = strdup(path);
    journal->head = js_new_object();
    if (journal->path && journal->head)
        return journal;
    journal_free(journal);
    return NULL;
}

int journal_read(struct journal **out, const char *path, struct err *err)
{
    return journal_read_ordered(out, path, NULL, 0, err);
}

int journal_read_ordered(struct journal **out, const char *path, const char *const *names, size_t count,
                         struct err *err)
{
    struct journal *journal = journal_new(path);
    char *text = NULL;
    size_t length;
    int rc = journal ? journal_text(&text, &length, &journal->compressed, path, err) : err_memory(err);

    if (!rc) {
        journal->names = names;
        journal->name_count = count;
        rc = journal_parse(journal, text, length, err);
        journal->names = NULL;
    }
    free(text);
    *out = rc ? NULL : journal;
    if (rc)
        journal_free(journal);
    return rc;
}

void journal_free(struct journal *journal)
{
    if (!journal)
        return;
    if (journal->created && !journal->records.count && journal_is_in_place(journal))
        unlink(journal->path);
    if (journal->file >= 0)
        close(journal->file);
    records_release(&journal->records);
    js_line_release(&journal->line);
    js_free(journal->head);
    free(journal->path);
    free(journal);
}

/* Writing ------------------------------------------------------------------ */

char *journal_head_text(const struct json *head)
{
    static const char cache[] = ",\n\"cache\": {";
    char *text = js_text(head, JS_LINE), *larger;
    size_t length;

    if (!text)
        return NULL;
    length = strlen(text) - 1;
    larger = realloc(text, length + sizeof cache);
    if (!larger) {
        free(text);
        return NULL;
    }
    memcpy(larger + length, cache, sizeof cache);
    return larger;
}

static int open_contents(struct journal *journal, const struct json *head, struct err *err)
{
    char *text;
    size_t length;
    int rc = journal_text(&text, &length, &journal->compressed, journal->path, err);

    if (rc)
        return rc;
    if (length && journal->compressed)
        rc = err_set(err, ERR_USAGE,
                     "%s: is compressed and therefore only read: name another file with --journal",
                     journal->path);
    else
        rc = journal_resume(journal, text, length, head, err);
    free(text);
    return rc;
}

int journal_open(struct journal **out, const char *path, const struct json *head, struct err *err)
{
    struct journal *journal = journal_new(path);
    int rc = journal ? journal_lock(journal, err) : err_memory(err);

    if (!rc)
        rc = open_contents(journal, head, err);
    *out = rc ? NULL : journal;
    if (rc)
        journal_free(journal);
    return rc;
}

/* "\n\"KEY\": BODY,": the line of one record. */
static int write_line(struct js_line *line, const struct record *record, const struct json *parameters,
                      struct err *err)
{
    js_line_begin(line);
    js_line_more(line, "\n", 1);
    record_write(line, record, parameters);
    js_line_more(line, ",", 1);
    return js_line_end(line, err);
}

int journal_append(struct journal *journal, const struct record *record, const struct json *parameters,
                   struct err *err)
{
    struct record copy;
    int rc = write_line(&journal->line, record, parameters, err);

    if (!rc)
        rc = journal_put(journal, journal->line.text, journal->line.length, err);
    journal->comma |= !rc;
    if (!rc)
        rc = journal_sync(journal, false, err);
    if (rc || (rc = record_copy(&copy, record, err)) != 0)
        return rc;
    return records_put(&journal->records, &copy, err);
}

int journal_close(struct journal *journal, const struct json *not_timed, struct err *err)
{
    char *extra = not_timed ? js_text(not_timed, JS_LINE) : NULL;
    const size_t size = (extra ? strlen(extra) : 0) + 32;
    char *text = malloc(size);
    int rc = text && (extra || !not_timed) ? 0 : err_memory(err);

    if (!rc) {
        if (extra)
            snprintf(text, size, "},\n\"not_timed\": %s\n}", extra);
        else
            snprintf(text, size, "}\n}");
        if (journal->comma)
            journal->end--; /* over the last comma */
        rc = journal_put(journal, text, strlen(text), err);
    }
    if (!rc)
        rc = journal_sync(journal, true, err);
    free(text);
    free(extra);
    journal_free(journal);
    return rc;
}

/* Looking up --------------------------------------------------------------- */

struct js_at journal_head(const struct journal *journal)
{
    return js_root(journal->head, journal->path);
}

const char *journal_path(const struct journal *journal)
{
    return journal->path;
}

bool journal_foreign(const struct journal *journal)
{
    struct js_at head = journal_head(journal), ours;

    return !js_find(&ours, &head, "occutune");
}

bool journal_remark(char *out, size_t size, const struct journal *journal, unsigned k)
{
    if (*journal->aside && k-- == 0) {
        if (journal->begun)
            snprintf(out, size, "%s; it is kept as %s, and a new journal is begun", journal->damage.text,
                     journal->aside);
        else
            snprintf(out, size, "%s: %s; it is kept as %s, and what is whole of it goes on", journal->path,
                     journal->leftover ? "holds text behind its end" : "is damaged", journal->aside);
        return true;
    }
    if (journal->cut_bytes && k-- == 0) {
        snprintf(out, size, "%s: its last %zu bytes were incomplete and are left out", journal->path,
                 journal->cut_bytes);
        return true;
    }
    if (journal->head_damage.code && k-- == 0) {
        snprintf(out, size, "what is damaged beside the records, and is left out: %s",
                 journal->head_damage.text);
        return true;
    }
    if (journal->damaged && k-- == 0) {
        snprintf(out, size, "records that are damaged and are left out: %zu; the first: %s", journal->damaged,
                 journal->damage.text);
        return true;
    }
    if (journal->left_out && k == 0) {
        snprintf(out, size, "records that tell nothing and are left out: %zu; the first: %s",
                 journal->left_out, journal->left_out_reason.text);
        return true;
    }
    return false;
}

bool journal_news(char *out, size_t size, struct journal *journal)
{
    static const double look_s = 0.1;

    if (journal->file >= 0 && clock_wall_s() - journal->looked_s >= look_s && !journal_is_in_place(journal))
        journal_find_again(journal, NULL); /* a failure shows when the next record is written */
    if (!*journal->news)
        return false;
    snprintf(out, size, "%s", journal->news);
    journal->news[0] = '\0';
    return true;
}

const struct record *journal_find(const struct journal *journal, const char *key)
{
    return records_find(&journal->records, key);
}

const struct record *journal_measured(const struct journal *journal, const struct record *record)
{
    const struct record *first;

    if (record->outcome != OUTCOME_SAME_CODE)
        return record;
    first = record->same_as ? journal_find(journal, record->same_as) : NULL;
    return first && first->code_hash == record->code_hash && first->launch_hash == record->launch_hash ? first
                                                                                                       : NULL;
}

uint64_t record_code_key(const struct record *record, double weight)
{
    const uint64_t same = hash_u64(record->code_hash, record->launch_hash);

    return record->code_hash ? hash_bytes(same, &weight, sizeof weight) : 0;
}

size_t journal_count(const struct journal *journal)
{
    return journal->records.count;
}

const struct record *journal_record(const struct journal *journal, size_t index)
{
    return &journal->records.items[index];
}
