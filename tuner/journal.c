#include "tuner/journal.h"

#include "tuner/record.h"
#include "tuner/records.h"
#include "tuner/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

struct journal {
    char *path;
    struct json *head; /* the top level without "cache" */
    struct records records;
    size_t end;      /* bytes that hold the head and complete records */
    bool compressed; /* the file is gzip */
    bool created;    /* by us: without a record it is removed again */
    size_t cut_bytes;
    int file; /* -1 when reading only */
    double synced_s;
};

/* Reading
 * -----------------------------------------------------------------------------------------------------------
 */

/* The whole file as text with a zero behind it; gzip is undone on the way. */
static int read_text(char **out, size_t *length, bool *compressed, const char *path, struct err *err)
{
    size_t capacity = 1 << 16, used = 0;
    char *text = malloc(capacity + 1), *larger;
    gzFile file = gzopen(path, "rb");
    int n = 0;

    *out = NULL;
    if (!file || !text) {
        free(text);
        if (file)
            gzclose(file);
        return file ? err_memory(err)
                    : err_set(err, errno == ENOENT ? ERR_USAGE : ERR_SYSTEM, "%s: cannot be read: %s", path,
                              strerror(errno));
    }
    while ((n = gzread(file, text + used, (unsigned)(capacity - used))) > 0) {
        used += (size_t)n;
        if (used < capacity)
            continue;
        larger = realloc(text, capacity * 2 + 1);
        if (!larger)
            break;
        text = larger;
        capacity *= 2;
    }
    if (n < 0)
        err_set(err, ERR_FORMAT, "%s: cannot be read: damaged gzip data", path);
    else if (n > 0)
        err_memory(err);
    *compressed = !gzdirect(file);
    gzclose(file);
    if (n == 0) {
        text[used] = '\0';
        *out = text;
        *length = used;
        return 0;
    }
    free(text);
    return n < 0 ? ERR_FORMAT : ERR_MEMORY;
}

/* Parses one member, given as text, into an object of its own. */
static int parse_member(struct json **out, const char *from, const char *to, const char *name,
                        struct err *err)
{
    const size_t length = (size_t)(to - from);
    char *text = malloc(length + 2);
    int code;

    *out = NULL;
    if (!text)
        return err_memory(err);
    text[0] = '{';
    memcpy(text + 1, from, length);
    text[length + 1] = '}';
    code = js_read_text(out, text, length + 2, name, err);
    free(text);
    return code;
}

static int add_record(struct journal *journal, const char *from, const char *to, struct err *err)
{
    struct json *json;
    struct js_at root, member = {0};
    struct record record;
    int code = parse_member(&json, from, to, journal->path, err);

    if (code)
        return code;
    root = js_root(json, journal->path);
    js_next(&member, &root);
    code = record_from_json(&record, &member, err);
    if (!code)
        code = records_put(&journal->records, &record, err);
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

static int parse(struct journal *journal, const char *text, size_t length, struct err *err)
{
    struct scan scan = {text, length, 0};
    struct span key, value;
    bool closed = true, found = false;
    int code = 0;

    if (!scan_open(&scan))
        return err_set(err, ERR_FORMAT, "%s: is no journal and no Kernel Tuner cache", journal->path);
    while (!code && closed && scan_member(&scan, &key) == SCAN_MEMBER) {
        if (key.length == 5 && !memcmp(key.text, "cache", 5)) {
            found = true;
            code = add_records(journal, &scan, &closed, err);
        } else if (scan_value(&scan, &value)) {
            code = add_to_head(journal, &key, &value, err);
        } else {
            break;
        }
    }
    if (!code && !found)
        code = err_set(err, ERR_FORMAT, "%s: is no journal and no Kernel Tuner cache: it has no \"cache\"",
                       journal->path);
    if (!code && !closed) {
        journal->cut_bytes = length - journal->end - (text[journal->end] == ',');
        code = check_cut(journal, text, length, err);
    }
    return code;
}

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
    struct journal *journal = journal_new(path);
    char *text = NULL;
    size_t length;
    int code = journal ? read_text(&text, &length, &journal->compressed, path, err) : err_memory(err);

    if (!code)
        code = parse(journal, text, length, err);
    free(text);
    *out = code ? NULL : journal;
    if (code)
        journal_free(journal);
    return code;
}

void journal_free(struct journal *journal)
{
    if (!journal)
        return;
    if (journal->created && !journal->records.count)
        unlink(journal->path);
    if (journal->file >= 0)
        close(journal->file);
    records_release(&journal->records);
    js_free(journal->head);
    free(journal->path);
    free(journal);
}

/* Writing
 * -----------------------------------------------------------------------------------------------------------
 */

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Writes behind the complete records, all or nothing. */
static int write_end(struct journal *journal, const char *text, size_t length, struct err *err)
{
    size_t done = 0;
    ssize_t n = 0;

    while (done < length) {
        n = pwrite(journal->file, text + done, length - done, (off_t)(journal->end + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (done == length) {
        journal->end += length;
        return 0;
    }
    err_set(err, ERR_SYSTEM,
            "%s: cannot be written: %s; what it holds is kept, run the same command again to go on",
            journal->path, n < 0 ? strerror(errno) : "no space left");
    if (ftruncate(journal->file, (off_t)journal->end))
        err_prefix(err, "cutting back failed too");
    return ERR_SYSTEM;
}

/* The head without its closing brace, and the opening of the cache. */
static int write_head(struct journal *journal, struct err *err)
{
    static const char cache[] = ",\n\"cache\": {";
    char *text = js_text(journal->head, JS_LINE), *larger;
    size_t length;
    int code;

    if (!text)
        return err_memory(err);
    length = strlen(text) - 1;
    larger = realloc(text, length + sizeof cache);
    if (!larger) {
        free(text);
        return err_memory(err);
    }
    memcpy(larger + length, cache, sizeof cache);
    code = write_end(journal, larger, length + sizeof cache - 1, err);
    free(larger);
    return code;
}

static bool same_field(const struct js_at *a, const struct js_at *b, const char *key)
{
    struct js_at in_a, in_b;
    char *text_a, *text_b;
    bool same;

    if (!js_find(&in_a, a, key) || !js_find(&in_b, b, key))
        return false;
    text_a = js_text(in_a.value, JS_LINE);
    text_b = js_text(in_b.value, JS_LINE);
    same = text_a && text_b && !strcmp(text_a, text_b);
    free(text_a);
    free(text_b);
    return same;
}

static int check_head(const struct journal *journal, const struct json *head, struct err *err)
{
    static const char *const fields[][2] = {{"device_name", "device"},
                                            {"kernel_name", "kernel"},
                                            {"problem_size", "problem"},
                                            {"tune_params_keys", "list of parameters"}};
    const struct js_at here = journal_head(journal), wanted = js_root(js_copy(head), "");
    size_t i;
    int code = wanted.value ? 0 : err_memory(err);

    for (i = 0; !code && i < sizeof fields / sizeof *fields; i++)
        if (!same_field(&here, &wanted, fields[i][0]))
            code = err_set(err, ERR_USAGE, "%s: belongs to another %s: name another file with --journal",
                           journal->path, fields[i][1]);
    js_free(wanted.value);
    return code;
}

static int open_locked(struct journal *journal, struct err *err)
{
    journal->file = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (journal->file < 0)
        return err_set(err, ERR_SYSTEM, "%s: cannot be opened for writing: %s", journal->path,
                       strerror(errno));
    if (!flock(journal->file, LOCK_EX | LOCK_NB))
        return 0;
    return err_set(err, ERR_USAGE,
                   "%s: another occutune is writing to it: wait for it, or name another file with "
                   "--journal",
                   journal->path);
}

/* Cuts off an incomplete record and the closing braces, so that the next record goes behind the last one. */
static int resume(struct journal *journal, const char *text, size_t length, const struct json *head,
                  struct err *err)
{
    int code = parse(journal, text, length, err);

    if (!code)
        code = check_head(journal, head, err);
    if (!code && ftruncate(journal->file, (off_t)journal->end))
        code = err_set(err, ERR_SYSTEM, "%s: cannot be cut: %s", journal->path, strerror(errno));
    if (!code && journal->records.count)
        code = write_end(journal, ",", 1, err);
    return code;
}

static int create(struct journal *journal, const struct json *head, struct err *err)
{
    journal->created = true;
    js_free(journal->head);
    journal->head = js_copy(head);
    if (!journal->head)
        return err_memory(err);
    if (ftruncate(journal->file, 0))
        return err_set(err, ERR_SYSTEM, "%s: cannot be cut: %s", journal->path, strerror(errno));
    return write_head(journal, err);
}

/* A run killed while it wrote the head leaves the beginning of it: the file is begun again. */
static bool is_unborn(const char *text, size_t length)
{
    static const char start[] = "{\"device_name\"";
    const size_t compare = length < sizeof start - 1 ? length : sizeof start - 1;

    return !memcmp(text, start, compare) && !strstr(text, "\"cache\": {");
}

static int open_contents(struct journal *journal, const struct json *head, struct err *err)
{
    char *text;
    size_t length;
    int code = read_text(&text, &length, &journal->compressed, journal->path, err);

    if (code)
        return code;
    if (length && journal->compressed)
        code = err_set(err, ERR_USAGE,
                       "%s: is compressed and therefore only read: name another file with --journal",
                       journal->path);
    else if (is_unborn(text, length))
        code = create(journal, head, err);
    else
        code = resume(journal, text, length, head, err);
    free(text);
    return code;
}

int journal_open(struct journal **out, const char *path, const struct json *head, struct err *err)
{
    struct journal *journal = journal_new(path);
    int code = journal ? open_locked(journal, err) : err_memory(err);

    if (!code)
        code = open_contents(journal, head, err);
    *out = code ? NULL : journal;
    if (code)
        journal_free(journal);
    return code;
}

/* The page cache survives our own death; once a second guards against the machine's. */
static void sync_sometimes(struct journal *journal)
{
    const double now = now_s();

    if (now - journal->synced_s < 1)
        return;
    fdatasync(journal->file);
    journal->synced_s = now;
}

/* "\n\"KEY\": BODY,": the line of one record. */
static char *record_line(const struct record *record, const struct json *parameters)
{
    struct json *line = js_new_object();
    char *text = NULL;
    size_t length;

    if (line && !js_set(line, record->key, record_to_json(record, parameters)))
        text = js_text(line, JS_LINE);
    js_free(line);
    if (!text)
        return NULL;
    length = strlen(text);
    text[0] = '\n';
    text[length - 1] = ',';
    return text;
}

int journal_append(struct journal *journal, const struct record *record, const struct json *parameters,
                   struct err *err)
{
    char *line = record_line(record, parameters);
    struct record copy;
    int code = line ? write_end(journal, line, strlen(line), err) : err_memory(err);

    free(line);
    if (code || (code = record_copy(&copy, record, err)) != 0)
        return code;
    sync_sometimes(journal);
    return records_put(&journal->records, &copy, err);
}

int journal_close(struct journal *journal, const struct json *not_timed, struct err *err)
{
    char *extra = not_timed ? js_text(not_timed, JS_LINE) : NULL;
    const size_t size = (extra ? strlen(extra) : 0) + 32;
    char *text = malloc(size);
    int code = text && (extra || !not_timed) ? 0 : err_memory(err);

    if (!code) {
        if (extra)
            snprintf(text, size, "},\n\"not_timed\": %s\n}", extra);
        else
            snprintf(text, size, "}\n}");
        if (journal->records.count)
            journal->end--; /* over the last comma */
        code = write_end(journal, text, strlen(text), err);
    }
    free(text);
    free(extra);
    journal_free(journal);
    return code;
}

/* Looking up
 * -------------------------------------------------------------------------------------------------------- */

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

size_t journal_cut_bytes(const struct journal *journal)
{
    return journal->cut_bytes;
}

const struct record *journal_find(const struct journal *journal, const char *key)
{
    return records_find(&journal->records, key);
}

size_t journal_count(const struct journal *journal)
{
    return journal->records.count;
}

const struct record *journal_record(const struct journal *journal, size_t index)
{
    return &journal->records.items[index];
}
