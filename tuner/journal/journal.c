#include "tuner/journal/journal.h"

#include "base/file.h"
#include "tuner/journal/journal_file.h"
#include "tuner/journal/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
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
    struct journal *journal = journal_new(path);
    char *text = NULL;
    size_t length;
    int code = journal ? journal_text(&text, &length, &journal->compressed, path, err) : err_memory(err);

    if (!code)
        code = journal_parse(journal, text, length, err);
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

/* A journal is read, cut and, while it holds nothing, removed: /dev/null would not survive that. */
static int check_regular(const char *path, struct err *err)
{
    struct stat status;

    if (stat(path, &status))
        return file_check_writable(path, err);
    if (S_ISREG(status.st_mode))
        return 0;
    return err_set(err, ERR_USAGE,
                   "%s: is no regular file, as a journal must be: name another with --journal", path);
}

static int open_locked(struct journal *journal, struct err *err)
{
    const int code = check_regular(journal->path, err);

    if (code)
        return code;
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
    int code = journal_parse(journal, text, length, err);

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
    int code = journal_text(&text, &length, &journal->compressed, journal->path, err);

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

bool journal_remark(char *out, size_t size, const struct journal *journal, unsigned k)
{
    if (journal->cut_bytes && k-- == 0) {
        snprintf(out, size, "%s: its last %zu bytes were incomplete and are left out", journal->path,
                 journal->cut_bytes);
        return true;
    }
    if (journal->left_out && k == 0) {
        snprintf(out, size, "records that tell nothing and are left out: %zu; the first: %s",
                 journal->left_out, journal->left_out_reason.text);
        return true;
    }
    return false;
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
