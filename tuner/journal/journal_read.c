#include "tuner/journal/journal_file.h"

#include "base/file.h"
#include "tuner/journal/record.h"
#include "tuner/journal/scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static gzFile open_compressed(const char *path, struct err *err)
{
    FILE *file = file_open(path, err);
    const int descriptor = file ? dup(fileno(file)) : -1;
    gzFile compressed = descriptor >= 0 ? gzdopen(descriptor, "rb") : NULL;

    if (file)
        fclose(file);
    if (!compressed && descriptor >= 0)
        close(descriptor);
    if (file && !compressed)
        err_memory(err);
    return compressed;
}

/* No journal is larger unpacked; an endless one (/dev/zero) ends here. */
#define JOURNAL_BYTES_MOST ((size_t)1 << 30)

/* The rest of the file, which ends where a read gives less than asked for. */
static int read_rest(char **text, size_t *used, gzFile file, const char *path, struct err *err)
{
    size_t room = 1 << 16;
    char *larger;
    int n;

    do {
        if (room > JOURNAL_BYTES_MOST)
            return err_set(err, ERR_USAGE, "%s: cannot be read: it is larger than 1 GiB", path);
        larger = realloc(*text, room + 1);
        if (!larger)
            return err_memory(err);
        *text = larger;
        n = gzread(file, *text + *used, (unsigned)(room - *used));
        if (n < 0)
            return err_set(err, ERR_FORMAT, "%s: cannot be read: damaged gzip data", path);
        *used += (size_t)n;
        room *= 2;
    } while (*used == room / 2);
    (*text)[*used] = '\0';
    return 0;
}

int journal_text(char **out, size_t *length, bool *compressed, const char *path, struct err *err)
{
    struct err why = {0};
    gzFile file = open_compressed(path, &why);
    char *text = NULL;
    size_t used = 0;

    *out = NULL;
    if (file) {
        read_rest(&text, &used, file, path, &why);
        *compressed = !gzdirect(file);
        gzclose(file);
    }
    if (why.code) {
        free(text);
        return err_set(err, (enum err_code)why.code, "%s", why.text);
    }
    *out = text;
    *length = used;
    return 0;
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

/* Parses one member, given as text, into an object of its own. */
static int parse_member(struct json **out, const char *from, const char *to, const char *name,
                        struct err *err)
{
    const size_t length = (size_t)(to - from);
    char *text = malloc(length + length / 3 + 2); /* NaN grows by a third */
    size_t copied;
    int code;

    *out = NULL;
    if (!text)
        return err_memory(err);
    text[0] = '{';
    copied = copy_plain(text + 1, from, length);
    text[copied + 1] = '}';
    code = js_read_text(out, text, copied + 2, name, err);
    free(text);
    return code;
}

void journal_leave_out(struct journal *journal, const struct err *why)
{
    if (!journal->left_out++)
        journal->left_out_reason = *why;
}

static int add_record(struct journal *journal, const char *from, const char *to, struct err *err)
{
    struct json *json;
    struct js_at root, member = {0}, own;
    struct record record;
    struct err why = {0};
    int code = parse_member(&json, from, to, journal->path, err);

    if (code)
        return code;
    root = js_root(json, journal->path);
    js_next(&member, &root);
    code = record_from_json(&record, &member, &why);
    if (!code)
        code = records_put(&journal->records, &record, err);
    else if (code == ERR_USAGE && !js_find(&own, &member, "outcome")) {
        journal_leave_out(journal, &why);
        code = 0;
    } else {
        err_set(err, (enum err_code)code, "%s", why.text);
    }
    js_free(json);
    return code;
}

/* The records of the object at the scan, up to the cut. True when the closing brace was found. */
static int add_records(struct journal *journal, struct scan *scan, bool *closed, struct err *err)
{
    struct span key, value;
    enum scan_found found;
    int code;

    *closed = false;
    if (!scan_open(scan))
        return err_set(err, ERR_FORMAT, "%s: \"cache\" is no object", journal->path);
    journal->end = scan->at;
    while ((found = scan_member(scan, &key)) == SCAN_MEMBER && scan_value(scan, &value)) {
        code = add_record(journal, key.text - 1, value.text + value.length, err);
        if (code)
            return err && err->code == ERR_USAGE ? err->code = ERR_FORMAT : code;
        journal->end = scan->at;
    }
    *closed = found == SCAN_END;
    return 0;
}

static int add_to_head(struct journal *journal, const struct span *key, const struct span *value,
                       struct err *err)
{
    struct json *json;
    struct js_at root, member = {0};
    int code = parse_member(&json, key->text - 1, value->text + value->length, journal->path, err);

    if (code)
        return err && err->code == ERR_USAGE ? err->code = ERR_FORMAT : code;
    root = js_root(json, journal->path);
    js_next(&member, &root);
    code = js_set(journal->head, member.key, js_copy(member.value)) ? err_memory(err) : 0;
    js_free(json);
    return code;
}

/* A cut is where writing was interrupted; complete records behind it mean damage, which is not ours to throw
 * away. */
static int check_cut(const struct journal *journal, const char *text, size_t length, struct err *err)
{
    const char *next = memchr(text + journal->end, '\n', length - journal->end);
    size_t line = 1, i;

    next = next ? memchr(next + 1, '\n', (size_t)(text + length - next - 1)) : NULL;
    if (!next || next + 1 == text + length)
        return 0;
    for (i = 0; i < journal->end; i++)
        line += text[i] == '\n';
    return err_set(err, ERR_FORMAT,
                   "%s:%zu: damaged here, with more records behind: mend or remove the next line",
                   journal->path, line);
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

int journal_parse(struct journal *journal, const char *text, size_t length, struct err *err)
{
    const size_t mark = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0; /* byte order mark */
    struct scan scan = {text, length, mark};
    struct span key, value;
    bool closed = true, found = false;
    int code = 0;

    if (!scan_open(&scan))
        return err_set(err, ERR_FORMAT, "%s: is no journal and no Kernel Tuner cache", journal->path);
    while (!code && closed && scan_member(&scan, &key) == SCAN_MEMBER) {
        if (key.length == 5 && !memcmp(key.text, "cache", 5)) {
            found = true;
            code = check_schema(journal, err);
            if (!code)
                code = add_records(journal, &scan, &closed, err);
        } else if (scan_value(&scan, &value)) {
            code = add_to_head(journal, &key, &value, err);
        } else {
            break;
        }
    }
    if (!code && !found)
        code = take_results(journal, err);
    if (!code && journal->left_out && !journal->records.count)
        code = err_set(err, ERR_FORMAT, "%s", journal->left_out_reason.text);
    if (!code && !closed) {
        journal->cut_bytes = length - journal->end - (text[journal->end] == ',');
        code = check_cut(journal, text, length, err);
    }
    return code;
}
