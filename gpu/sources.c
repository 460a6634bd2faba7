#include "gpu/sources_scan.h"

#include "base/array.h"
#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int hash_file(struct scan *scan, const char *path, const char *text);

static void add_text(struct scan *scan, const char *text)
{
    scan->hash = hash_text(scan->hash, text);
    keying_text(scan->keying, text);
}

static void add_bytes(struct scan *scan, const char *bytes, size_t size)
{
    scan->hash = hash_bytes(scan->hash, bytes, size);
    keying_bytes(scan->keying, bytes, size);
}

const char *scan_option_value(const struct scan *scan, size_t k, const char *const *names)
{
    for (; *names; names++) {
        size_t length = strlen(*names);
        const char *rest = scan->request->options[k] + length;

        if (strncmp(scan->request->options[k], *names, length))
            continue;
        if (*rest)
            return *rest == '=' ? rest + 1 : rest;
        return k + 1 < scan->request->option_count ? scan->request->options[k + 1] : NULL;
    }
    return NULL;
}

static bool is_file(const char *path)
{
    struct stat status;

    return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* Finds a header as the compiler does: beside the including file when quoted, then in the -I directories. */
static bool find_header(char out[PATH_MAX], const struct scan *scan, const char *includer, const char *name,
                        bool quoted)
{
    static const char *const directories[] = {"-I", "--include-path", NULL};
    const char *slash = strrchr(includer, '/');

    if (*name == '/') {
        snprintf(out, PATH_MAX, "%s", name);
        return is_file(out);
    }
    if (quoted) {
        snprintf(out, PATH_MAX, "%.*s%s", slash ? (int)(slash - includer + 1) : 0, includer, name);
        if (is_file(out))
            return true;
    }
    for (size_t k = 0; k < scan->request->option_count; k++) {
        const char *directory = scan_option_value(scan, k, directories);

        if (!directory)
            continue;
        snprintf(out, PATH_MAX, "%s/%s", directory, name);
        if (is_file(out))
            return true;
    }
    return false;
}

/* True when this header was hashed before; remembers it otherwise. */
static int visit(bool *seen, struct scan *scan, const char *path)
{
    char *real = realpath(path, NULL);
    int rc;

    if (!real)
        return err_set(scan->err, ERR_USAGE, "%s: %s", path, strerror(errno));
    *seen = false;
    for (size_t i = 0; i < scan->visited_count && !*seen; i++)
        *seen = !strcmp(scan->visited[i], real);
    rc = *seen ? 0 : ARRAY_GROW(scan->visited, scan->visited_count, scan->err);
    if (rc || *seen) {
        free(real);
        return rc;
    }
    scan->visited[scan->visited_count++] = real;
    return 0;
}

static int add_file(struct scan *scan, const char *path, const char *text, size_t size,
                    const struct stat *stamp)
{
    struct sources_files *out = scan->files;
    struct sources_file *larger, file = {.size = size, .content = key_bytes(text, size), .stamp = *stamp};

    if (!out)
        return 0;
    larger = reallocarray(out->files, out->count + 1, sizeof *larger);
    if (larger)
        out->files = larger;
    file.path = strdup(path);
    file.text = malloc(size + 1);
    if (!larger || !file.path || !file.text) {
        free(file.path);
        free(file.text);
        return err_memory(scan->err);
    }
    memcpy(file.text, text, size + 1);
    out->files[out->count++] = file;
    return 0;
}

void sources_files_release(struct sources_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->files[i].path);
        free(files->files[i].text);
    }
    free(files->files);
    *files = (struct sources_files){0};
}

void sources_files_free(struct sources_files *files)
{
    if (files && files->shared--)
        return;
    if (files)
        sources_files_release(files);
    free(files);
}

static int hash_header(struct scan *scan, const char *includer, const char *name, bool quoted)
{
    char path[PATH_MAX], *text;
    struct stat stamp;
    size_t size;
    bool seen = false;
    int rc;

    add_text(scan, name);
    if (!find_header(path, scan, includer, name, quoted)) {
        scan->strange = scan->strange || *name == '/' || strstr(name, "..");
        unread_give_up(&scan->unread);
        return 0;
    }
    rc = visit(&seen, scan, path);
    if (rc || seen)
        return rc;
    if (stat(path, &stamp))
        return err_set(scan->err, ERR_USAGE, "%s: %s", path, strerror(errno));
    rc = file_read(&text, &size, path, scan->err);
    if (rc)
        return rc;
    if (strlen(text) != size) /* the compiler reads on behind the zero */
        scan->complete = false;
    rc = add_file(scan, path, text, size, &stamp);
    if (!rc)
        rc = hash_file(scan, path, text);
    free(text);
    return rc;
}

/* Past the blanks and the comments that end in this line. */
static const char *skip_blanks(const char *line)
{
    const char *end = line;

    while (end) {
        line = end + strspn(end, " \t\f\v\r");
        end = strncmp(line, "/*", 2) ? NULL : memmem(line, strcspn(line, "\n"), "*/", 2);
        end = end ? end + 2 : NULL;
    }
    return line;
}

/* `line` follows "#include": hashes the header it names. */
static int hash_include(struct scan *scan, const char *path, const char *line)
{
    char name[PATH_MAX];
    const char *end;

    line = skip_blanks(line);
    if (*line != '"' && *line != '<') {
        scan->complete = false;
        return 0;
    }
    end = strpbrk(line + 1, *line == '"' ? "\"\n" : ">\n");
    if (!end || *end == '\n' || end - line > PATH_MAX - 1)
        return 0; /* the compiler will say so */
    snprintf(name, sizeof name, "%.*s", (int)(end - line - 1), line + 1);
    return hash_header(scan, path, name, *line == '"');
}

/* What follows "#include" in this line, in any spelling and behind the end of any comment; else null. */
static const char *find_include(const char *line)
{
    static const char *const signs[] = {"#", "%:", "\?\?="};
    const char *name;

    while (line) {
        line = skip_blanks(line);
        for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
            name = strncmp(line, signs[k], strlen(signs[k])) ? "" : skip_blanks(line + strlen(signs[k]));
            if (!strncmp(name, "include", 7))
                return name + 7;
        }
        line = memmem(line, strcspn(line, "\n"), "*/", 2);
        line = line ? line + 2 : NULL;
    }
    return NULL;
}

static int hash_file(struct scan *scan, const char *path, const char *text)
{
    const char *line = text, *included;
    size_t followed = 0;
    int rc = 0;

    add_text(scan, text);
    if (strstr(text, "__has_include"))
        scan->complete = false;
    while (line && !rc) {
        included = find_include(line);
        if (included) {
            rc = hash_include(scan, path, included);
            followed++;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    unread_text(&scan->unread, text, followed);
    return rc;
}

const char *const scan_forced[] = {"--pre-include", "-include", NULL};

int scan_source(struct scan *scan, const char *text)
{
    const struct stat none = {0};
    int rc;

    scan->keying = keying_new();
    if (!scan->keying)
        return err_memory(scan->err);
    rc = add_file(scan, scan->request->source_path, text, strlen(text), &none);
    return rc ? rc : hash_file(scan, scan->request->source_path, text);
}

int scan_options(struct scan *scan)
{
    const struct compile_request *request = scan->request;
    int rc = 0;

    for (size_t k = 0; k < request->option_count && !rc; k++) {
        const char *header = scan_option_value(scan, k, scan_forced);

        if (scan->left_out && unread_has(scan->left_out, k)) /* its name may clash with the compiler's own */
            add_bytes(scan, request->options[k], strcspn(request->options[k], "="));
        else
            add_text(scan, request->options[k]);
        if (header)
            rc = hash_header(scan, "", header, true);
    }
    add_text(scan, request->name);
    add_text(scan, request->arch);
    return rc;
}

void scan_end(struct scan *scan, struct key *key)
{
    for (size_t k = 0; k < scan->visited_count; k++)
        free(scan->visited[k]);
    free(scan->visited);
    if (scan->keying)
        *key = keying_key(scan->keying);
    keying_free(scan->keying);
}

static int hash_request(struct scan *scan, struct key *key, const char *text)
{
    int rc = scan_source(scan, text);

    if (!rc)
        rc = scan_options(scan);
    scan_end(scan, key);
    return rc;
}

int sources_list(struct sources_files *files, struct sources_hash *out, const struct compile_request *request,
                 const char *text, struct err *err)
{
    struct scan all = {.request = request, .hash = HASH_START, .complete = true, .err = err}, code = all;
    int rc;

    unread_begin(&all.unread, request);
    all.files = files;
    *out = (struct sources_hash){.complete = false};
    rc = hash_request(&all, &out->key, text);
    out->all = out->code = all.hash;
    out->complete = all.complete;
    out->strange = all.strange;
    if (rc || !all.complete || !all.unread.macros)
        return rc;
    code.left_out = &all.unread;
    rc = hash_request(&code, &out->key, text);
    out->code = code.hash;
    return rc;
}

int sources_hash(struct sources_hash *out, const struct compile_request *request, const char *text,
                 struct err *err)
{
    return sources_list(NULL, out, request, text, err);
}
