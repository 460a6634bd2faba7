#include "tuner/journal/journal_file.h"

#include "base/compress.h"
#include "tuner/journal/record.h"
#include "tuner/journal/record_check.h"
#include "tuner/journal/scan.h"

#include <stdlib.h>
#include <string.h>

/* No journal is larger unpacked; an endless one (/dev/zero) ends here. */
#define JOURNAL_BYTES_MOST ((size_t)1 << 30)

int journal_text(char **out, size_t *length, bool *compressed, const char *path, struct err *err)
{
    return compress_read_file(out, length, compressed, path, JOURNAL_BYTES_MOST, err);
}

/* Copies JSON with null for the NaN and Infinity that Python writes; returns the length. */
static size_t copy_plain(char *to, const char *from, size_t length)
{
    static const char *const words[] = {"NaN", "-Infinity", "Infinity"};
    size_t written = 0, i = 0, w;
    bool quoted = false;

    while (i < length) {
        size_t taken = 0;

        for (w = 0; w < 3 && !quoted && !taken; w++)
            if (length - i >= strlen(words[w]) && !memcmp(from + i, words[w], strlen(words[w])))
                taken = strlen(words[w]);
        if (taken) {
            memcpy(to + written, "null", 4);
            written += 4;
            i += taken;
            continue;
        }
        if (from[i] == '"')
            quoted = !quoted;
        else if (from[i] == '\\' && quoted && i + 1 < length)
            to[written++] = from[i++];
        to[written++] = from[i++];
    }
    return written;
}

/* Parses one member, given as text, into an object of its own, whose brace has `lines` and `spaces` behind it. */
static int parse_padded(struct json **out, const char *from, const char *to, size_t lines, size_t spaces,
                        const char *name, struct err *err)
{
    const size_t length = (size_t)(to - from), before = 1 + lines + spaces;
    char *text = malloc(before + length + length / 3 + 1); /* NaN grows by a third */
    size_t copied;
    int rc;

    *out = NULL;
    if (!text)
        return err_memory(err);
    text[0] = '{';
    memset(text + 1, '\n', lines);
    memset(text + 1 + lines, ' ', spaces);
    copied = copy_plain(text + before, from, length);
    text[before + copied] = '}';
    rc = js_read_text(out, text, before + copied + 1, name, err);
    free(text);
    return rc;
}

/* The same, of a file's text. What is wrong in it is read again where it stands, as messages say line and column: the first of
 * what is left out, which alone is told of. */
static int parse_member(struct json **out, const struct journal *journal, const char *from, const char *to,
                        struct err *err)
{
    size_t lines = 0, spaces = 0;
    const int rc = parse_padded(out, from, to, 0, 0, journal->path, NULL);

    if (!rc || !err)
        return rc;
    for (const char *at = journal->text; at < from && !journal->left_out; at++) {
        lines += *at == '\n';
        spaces = *at == '\n' ? 0 : spaces + 1;
    }
    return parse_padded(out, from, to, lines, spaces && !lines ? spaces - 1 : spaces, journal->path, err);
}

void journal_leave_out(struct journal *journal, const struct err *why)
{
    if (!journal->left_out++)
        journal->left_out_reason = *why;
}

static int put_span(struct spans *spans, const char *from, const char *to, struct err *err)
{
    struct span *larger;

    if (spans->count == spans->capacity) {
        spans->capacity = spans->capacity ? 2 * spans->capacity : 64;
        larger = reallocarray(spans->items, spans->capacity, sizeof *larger);
        if (!larger)
            return err_memory(err);
        spans->items = larger;
    }
    spans->items[spans->count++] = (struct span){from, (size_t)(to - from)};
    return 0;
}

/* Another tool's record may tell nothing; in a file that is opened to be gone on in, it stays there. In a journal of ours it is
 * a piece of a damaged one. */
static int read_record(struct record *out, bool *sealed, bool *tells, const struct journal *journal,
                       const char *from, const char *to, struct err *err)
{
    struct json *json;
    struct js_at root, member = {0}, own;
    int rc = parse_member(&json, journal, from, to, err);

    *sealed = false;
    *tells = true;
    if (rc)
        return rc == ERR_USAGE ? ERR_FORMAT : rc;
    root = js_root(json, journal->path);
    js_next(&member, &root);
    rc = record_check(sealed, &member, err);
    if (!rc) {
        rc = record_from_json(out, &member, err);
        *tells = rc != ERR_USAGE || js_find(&own, &member, "outcome") ||
                 (journal->opening && !journal_foreign(journal));
    }
    js_free(json);
    return rc == ERR_USAGE ? ERR_FORMAT : rc;
}

static int add_record(struct journal *journal, bool *sealed, const char *from, const char *to,
                      struct err *err)
{
    struct record record;
    struct err why = {0};
    bool tells;
    int rc = read_record(&record, sealed, &tells, journal, from, to, &why);

    if (!rc)
        rc = records_put(&journal->records, &record, &why);
    else if (!tells) {
        journal_leave_out(journal, &why);
        rc = 0;
    }
    if (!rc && journal->opening)
        rc = put_span(&journal->kept, from, to, &why);
    return rc ? err_set(err, (enum err_code)rc, "%s", why.text) : 0;
}

/* A record begins behind another's end, or on a line of its own. */
static bool may_begin(const char *text, size_t at)
{
    while (at && strchr(" \t\r,", text[at - 1]))
        at--;
    return at && (text[at - 1] == '\n' || text[at - 1] == '}');
}

/* Moves the scan to the next whole record, a sealed one where `sealed`; false, and the scan where it was,
 * when there is none. */
static int next_record(bool *found, const struct journal *journal, struct scan *scan, bool sealed,
                       struct err *err)
{
    struct record record;
    struct span key, value;
    struct scan next = *scan;
    bool is_sealed, tells;
    size_t at;
    int rc;

    *found = false;
    for (at = scan->at; at < scan->length && !*found; at++) {
        if (scan->text[at] != '"' || !may_begin(scan->text, at))
            continue;
        next.at = at;
        if (scan_member(&next, &key) != SCAN_MEMBER || next.at >= next.length || next.text[next.at] != '{' ||
            !scan_value(&next, &value))
            continue;
        rc = read_record(&record, &is_sealed, &tells, journal, key.text - 1, value.text + value.length, NULL);
        if (rc == ERR_MEMORY)
            return err_memory(err);
        if (!rc)
            record_release(&record);
        *found = !rc && (is_sealed || !sealed);
        if (*found)
            scan->at = at;
    }
    return 0;
}

/* A cut is where writing was interrupted; complete records behind it mean damage, which is not ours to throw
 * away. */
static int damaged_here(const struct journal *journal, const char *text, struct err *err)
{
    size_t line = 1, i;

    for (i = 0; i < journal->end; i++)
        line += text[i] == '\n';
    return err_set(err, ERR_FORMAT,
                   "%s:%zu: damaged here, with more records behind: mend or remove the next line",
                   journal->path, line);
}

/* What stood at the scan was no whole record: bad, by `why`, or cut. True in *more, and the scan at the next
 * one, when there is one: then it is damage. */
static int step_over(bool *more, struct journal *journal, struct scan *scan, bool closed, bool sealed,
                     const struct err *why, struct err *err)
{
    const int rc = next_record(more, journal, scan, closed, err);

    if (rc || (!*more && !why->code))
        return rc;
    if (!journal->opening && !sealed)
        return why->code ? err_set(err, ERR_FORMAT, "%s", why->text) : damaged_here(journal, scan->text, err);
    if (!journal->damaged++) {
        journal->damage = *why;
        err_set(&journal->damage, ERR_FORMAT, "%s: what stands between two records is none", journal->path);
    }
    return 0;
}

/* The records at the scan, up to the cut. True when the closing brace was found. */
static int add_records(struct journal *journal, struct scan *scan, bool *closed, struct err *err)
{
    struct span key, value;
    bool more = true, sealed;
    int rc = 0;

    journal->end = scan->at;
    while (!rc && more) {
        struct err why = {0};
        const size_t from = scan->at;
        const enum scan_found found = scan_member(scan, &key);
        const bool whole = found == SCAN_MEMBER && scan_value(scan, &value);
        const size_t behind = scan->at;

        sealed = false;
        if (whole)
            rc = add_record(journal, &sealed, key.text - 1, value.text + value.length, &why);
        if (rc == ERR_MEMORY)
            return err_memory(err);
        if (whole && !rc) {
            journal->end = behind;
            continue;
        }
        *closed = found == SCAN_END;
        if (!*closed)
            scan->at = found == SCAN_MEMBER ? (size_t)(key.text - scan->text) : from;
        rc = step_over(&more, journal, scan, *closed, sealed, &why, err);
        if (whole && !more) { /* bad, but what comes behind it is to be seen */
            scan->at = behind;
            more = true;
        }
    }
    return rc;
}

static int add_to_head(struct journal *journal, const struct span *key, const struct span *value,
                       struct err *err)
{
    struct json *json;
    struct js_at root, member = {0};
    struct err why = {0};
    int rc = parse_member(&json, journal, key->text - 1, value->text + value->length, &why);

    if (rc == ERR_USAGE && journal->opening) {
        err_set(&journal->head_damage, ERR_FORMAT, "%s", why.text);
        return 0;
    }
    if (rc)
        return err_set(err, rc == ERR_USAGE ? ERR_FORMAT : rc, "%s", why.text);
    root = js_root(json, journal->path);
    js_next(&member, &root);
    if (strcmp(member.key, "not_timed")) {
        journal->beside |= journal->has_cache;
        if (journal->opening)
            rc = put_span(&journal->members, key->text - 1, value->text + value->length, err);
    }
    if (!rc)
        rc = js_set(journal->head, member.key, js_copy(member.value)) ? err_memory(err) : 0;
    js_free(json);
    return rc;
}

/* The other formats that tuners write have lists of results. */
static int take_results(struct journal *journal, struct err *err)
{
    const struct js_at head = js_root(journal->head, journal->path);
    struct js_at results;

    if (js_find(&results, &head, "results"))
        return journal_take_t4(journal, err);
    if (js_find(&results, &head, "Results"))
        return err_set(err, ERR_FORMAT,
                       "%s: is a result file of KTT, which is not read: its converter makes a T4 file of it",
                       journal->path);
    return err_set(err, ERR_FORMAT, "%s: is no journal and no Kernel Tuner cache: it has no \"cache\"",
                   journal->path);
}

/* The head of a journal of ours, which stands before its records, says which schema they follow. */
static int check_schema(const struct journal *journal, struct err *err)
{
    const struct js_at head = js_root(journal->head, journal->path);
    struct js_at own, schema;
    int64_t number;

    if (!js_find(&own, &head, "occutune"))
        return 0;
    if (js_member(&schema, &own, "schema", err) || js_integer(&number, &schema, err))
        return ERR_USAGE;
    if (number != JOURNAL_SCHEMA)
        return js_fail(&schema, err, "is %lld, this occutune reads %d", (long long)number, JOURNAL_SCHEMA);
    return 0;
}

/* Where damage is stepped over, another "cache", as a head has one within, may have come up to the top level. */
static bool is_cache(const struct journal *journal, const struct scan *scan, const struct span *key)
{
    return key->length == 5 && !memcmp(key->text, "cache", 5) &&
           (!journal->opening || (scan->at < scan->length && scan->text[scan->at] == '{'));
}

static int add_cache(struct journal *journal, struct scan *scan, bool *closed, struct err *err)
{
    journal->beside |= journal->has_cache;
    journal->has_cache = true;
    if (check_schema(journal, err))
        return ERR_USAGE;
    if (!scan_open(scan))
        return err_set(err, ERR_FORMAT, "%s: \"cache\" is no object", journal->path);
    return add_records(journal, scan, closed, err);
}

/* Whether what stands behind the last whole member is other than what a run that was ended there leaves:
 * nothing, or the beginning of "not_timed". */
static bool is_leftover(const char *text, size_t length)
{
    static const char last[] = "\"not_timed\"";

    while (length && strchr(" \t\r\n,", *text)) {
        text++;
        length--;
    }
    return memcmp(text, last, length < sizeof last - 1 ? length : sizeof last - 1);
}

/* Top-level members, among them the cache. */
static int add_members(struct journal *journal, struct scan *scan, bool *closed, struct err *err)
{
    enum scan_found found;
    struct span key, value;
    size_t from = scan->at;
    int rc = 0;

    while (!rc && *closed && (found = scan_member(scan, &key)) != SCAN_CUT) {
        if (found == SCAN_END) {
            from = scan->at;
            break;
        }
        if (is_cache(journal, scan, &key)) {
            rc = add_cache(journal, scan, closed, err);
        } else if (scan_value(scan, &value)) {
            rc = add_to_head(journal, &key, &value, err);
        } else {
            break;
        }
        from = scan->at;
    }
    journal->leftover = !rc && *closed && is_leftover(scan->text + from, scan->length - from);
    return rc;
}

/* Damage in the head can hide the cache, be it a quotation mark too many. Records that are whole by their checksum show where
 * it is; what was read before them may stand in the wrong place, and none of it goes on. */
static int add_hidden_cache(struct journal *journal, struct scan *scan, bool *closed, struct err *err)
{
    bool found;
    int rc = next_record(&found, journal, scan, true, err);

    if (rc || !found)
        return rc;
    journal->has_cache = true;
    journal->members.count = 0;
    err_set(&journal->head_damage, ERR_FORMAT, "%s: the head, which is that of this run now", journal->path);
    rc = add_records(journal, scan, closed, err);
    return rc ? rc : add_members(journal, scan, closed, err);
}

int journal_parse(struct journal *journal, const char *text, size_t length, struct err *err)
{
    const size_t mark = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0; /* byte order mark */
    struct scan scan = {.text = text, .length = length, .at = mark}, whole = scan;
    const bool opened = scan_open(&scan);
    bool closed = true;
    int rc = 0;

    journal->text = text;
    if (opened)
        rc = add_members(journal, &scan, &closed, err);
    if (!rc && !journal->has_cache && journal->opening)
        rc = add_hidden_cache(journal, &whole, &closed, err);
    journal->loose = scan.loose;
    if (!rc && !journal->has_cache)
        rc = opened ? take_results(journal, err)
                    : err_set(err, ERR_FORMAT, "%s: is no journal and no Kernel Tuner cache", journal->path);
    if (!rc && journal->left_out && !journal->records.count && !journal->opening)
        rc = err_set(err, ERR_FORMAT, "%s", journal->left_out_reason.text);
    if (!rc && !closed)
        journal->cut_bytes = length - journal->end - (text[journal->end] == ',');
    return rc;
}
