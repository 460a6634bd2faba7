/* The source and its headers, read and hashed once for many requests. */
#include "gpu/sources_scan.h"

#include "base/clock.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct sources_kept {
    struct scan scan;            /* as it stands behind the source, with the names that it does not read */
    struct sources_files *files; /* shared */
    char **options;              /* those before the tuned ones, and the names of these */
    size_t option_count, tuned_count;
    double looked_s; /* at the headers, by the wall's clock */
};

void sources_kept_free(struct sources_kept *kept)
{
    struct key key;

    if (!kept)
        return;
    scan_end(&kept->scan, &key);
    for (size_t k = 0; kept->options && k < kept->option_count; k++)
        free(kept->options[k]);
    free(kept->options);
    sources_files_free(kept->files);
    free(kept);
}

/* Of an option, what all requests have in common: of a tuned macro, its name. */
static size_t common_length(const struct compile_request *request, size_t k)
{
    const char *option = request->options[k];

    return k < request->option_count - request->tuned_count ? strlen(option) + 1 : strcspn(option, "=") + 1;
}

/* Whether the tuned options are macros, so that neither they nor what stands before them decides which files are
 * read, but for folders of headers. */
static bool can_keep(const struct compile_request *request)
{
    const struct scan scan = {.request = request};
    static const char *const naming[] = {"-I", "--include-path", "--pre-include", "-include", NULL};
    const size_t fixed = request->option_count - request->tuned_count;

    for (size_t k = 0; k < request->option_count; k++) {
        const char *option = request->options[k];

        if (k < fixed ? scan_option_value(&scan, k, scan_forced) != NULL
                      : strncmp(option, "-D", 2) != 0 || !strchr(option, '='))
            return false;
        for (size_t n = 0; naming[n]; n++)
            if (k + 1 == fixed && !strcmp(option, naming[n])) /* a tuned option is its value */
                return false;
    }
    return true;
}

/* Within `patience_s` of the last look there is none. */
static bool is_unchanged(struct sources_kept *kept, double patience_s)
{
    const double now_s = clock_wall_s();
    struct stat now;

    if (patience_s > 0 && now_s < kept->looked_s + patience_s)
        return true;

    for (size_t k = 1; k < kept->files->count; k++) {
        const struct stat *then = &kept->files->files[k].stamp;

        if (stat(kept->files->files[k].path, &now) || now.st_dev != then->st_dev ||
            now.st_ino != then->st_ino || now.st_size != then->st_size ||
            now.st_mtim.tv_sec != then->st_mtim.tv_sec || now.st_mtim.tv_nsec != then->st_mtim.tv_nsec)
            return false;
    }
    kept->looked_s = now_s;
    return true;
}

static bool is_kept(struct sources_kept *kept, const struct compile_request *request, const char *text,
                    double patience_s)
{
    if (!kept || kept->option_count != request->option_count || kept->tuned_count != request->tuned_count ||
        strcmp(kept->files->files[0].path, request->source_path) || strcmp(kept->files->files[0].text, text))
        return false;
    for (size_t k = 0; k < request->option_count; k++)
        if (strncmp(kept->options[k], request->options[k], common_length(request, k)))
            return false;
    return is_unchanged(kept, patience_s);
}

static int keep_options(struct sources_kept *kept, const struct compile_request *request, struct err *err)
{
    kept->option_count = request->option_count;
    kept->tuned_count = request->tuned_count;
    kept->options = calloc(request->option_count + 1, sizeof *kept->options);
    for (size_t k = 0; kept->options && k < request->option_count; k++) {
        kept->options[k] = strdup(request->options[k]);
        if (!kept->options[k])
            return err_memory(err);
    }
    return kept->options ? 0 : err_memory(err);
}

static int keep(struct sources_kept **out, const struct compile_request *request, const char *text,
                struct err *err)
{
    struct sources_kept *kept = calloc(1, sizeof *kept);
    int rc;

    if (!kept)
        return err_memory(err);
    kept->looked_s = clock_wall_s();
    kept->scan = (struct scan){.request = request, .hash = HASH_START, .complete = true, .err = err};
    kept->files = kept->scan.files = calloc(1, sizeof *kept->files);
    unread_begin_names(&kept->scan.unread, request);
    rc = kept->files ? scan_source(&kept->scan, text) : err_memory(err);
    if (!rc)
        rc = keep_options(kept, request, err);
    if (rc)
        sources_kept_free(kept);
    else
        *out = kept;
    return rc;
}

/* Goes on behind the source; `left_out`: as in struct scan. */
static int go_on(struct scan *out, struct key *key, const struct sources_kept *kept,
                 const struct compile_request *request, const struct unread *left_out, struct err *err)
{
    int rc;

    *out = kept->scan;
    out->request = request;
    out->left_out = left_out;
    out->visited = NULL;
    out->visited_count = 0;
    out->err = err;
    out->keying = keying_copy(kept->scan.keying);
    rc = out->keying ? scan_options(out) : err_memory(err);
    scan_end(out, key);
    return rc;
}

static int list_kept(struct sources_hash *out, const struct sources_kept *kept,
                     const struct compile_request *request, struct err *err)
{
    struct unread unread;
    struct scan scan;
    int rc = go_on(&scan, &out->key, kept, request, NULL, err);

    out->all = out->code = scan.hash;
    out->complete = scan.complete;
    out->strange = scan.strange;
    unread_begin(&unread, request);
    unread.macros &= kept->scan.unread.macros;
    if (rc || !scan.complete || !unread.macros)
        return rc;
    rc = go_on(&scan, &out->key, kept, request, &unread, err);
    out->code = scan.hash;
    return rc;
}

int sources_list_kept(struct sources_kept **kept, struct sources_files **files, struct sources_hash *out,
                      const struct compile_request *request, const char *text, double patience_s,
                      struct err *err)
{
    int rc = 0;

    *files = NULL;
    *out = (struct sources_hash){.complete = false};
    if (!can_keep(request)) {
        *files = calloc(1, sizeof **files);
        rc = *files ? sources_list(*files, out, request, text, err) : err_memory(err);
    } else {
        if (!is_kept(*kept, request, text, patience_s)) {
            sources_kept_free(*kept);
            *kept = NULL;
            rc = keep(kept, request, text, err);
        }
        if (!rc)
            rc = list_kept(out, *kept, request, err);
        if (!rc) {
            *files = (*kept)->files;
            (*files)->shared++;
        }
    }
    if (rc) {
        sources_files_free(*files);
        *files = NULL;
    }
    return rc;
}
