#include "gpu/compiler.h"

#include "gpu/compile.h"
#include "gpu/compile_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Raised when what gpu/standard or gpu/cub.cuh give to a source changes: what failed without is tried again. */
#define HEADERS "2"

static int read_architectures(struct compiler *compiler, const struct js_at *root, struct err *err)
{
    enum { EACH = 16 }; /* bytes of a name at most */
    struct js_at list;
    size_t used = 0, i;
    uint64_t sm;

    if (js_member(&list, root, "architectures", err))
        return err ? err->code : ERR_FORMAT;
    compiler->architectures = calloc(js_count(&list) + 1, EACH);
    if (!compiler->architectures)
        return err_memory(err);
    for (i = 0; i < js_count(&list); i++) {
        const struct js_at at = js_element(&list, i);

        if (js_unsigned(&sm, &at, err))
            return err ? err->code : ERR_FORMAT;
        used += (size_t)snprintf(compiler->architectures + used, EACH, " sm_%u", (unsigned)sm);
    }
    return 0;
}

static int read_greeting(struct compiler *compiler, const struct message *greeting, struct err *err)
{
    struct js_at root = js_root(greeting->head, "compiler"), at;
    const char *version, *library;
    size_t size;

    if (js_member(&at, &root, "version", err) || js_string(&version, &at, err) ||
        js_member(&at, &root, "library", err) || js_string(&library, &at, err))
        return err ? err->code : ERR_FORMAT;
    size = strlen(version) + strlen(library) + sizeof "NVRTC  (), headers " HEADERS;
    compiler->version = strdup(version);
    compiler->provenance = malloc(size);
    if (!compiler->version || !compiler->provenance)
        return err_memory(err);
    snprintf(compiler->provenance, size, "NVRTC %s (%s), headers " HEADERS, version, library);
    return read_architectures(compiler, &root, err);
}

int compiler_open(struct compiler **out, const char *library, const char *cache_directory, struct err *err)
{
    return compiler_open_with(out, NULL, library, cache_directory, err);
}

int compiler_open_with(struct compiler **out, const char *worker, const char *library,
                       const char *cache_directory, struct err *err)
{
    struct compiler *compiler = calloc(1, sizeof *compiler);
    struct process process;
    struct message greeting;
    int rc;

    *out = NULL;
    if (!compiler)
        return err_memory(err);
    pthread_mutex_init(&compiler->lock, NULL);
    compiler->unchecked_bytes = COMPILE_CACHE_BYTES; /* not looked at yet */
    compiler->worker = worker ? strdup(worker) : NULL;
    compiler->library = strdup(library ? library : "");
    compiler->cache = cache_directory ? strdup(cache_directory) : NULL;
    pool_init(&compiler->pool, compiler->worker, compiler->library);
    once_init(&compiler->once, ONCE_BYTES);
    writer_init(&compiler->writer, compiler_write, compiler);
    rc = (compiler->worker || !worker) && compiler->library && (compiler->cache || !cache_directory)
             ? 0
             : err_memory(err);
    if (!rc)
        rc = pool_start(&process, &greeting, &compiler->pool, err);
    if (!rc) {
        rc = read_greeting(compiler, &greeting, err);
        if (rc && rc != ERR_MEMORY)
            err_prefix(err, "occutune-worker is of another build than this program");
        message_release(&greeting);
        pool_give(&compiler->pool, &process);
    }
    if (rc) {
        compiler_close(compiler);
        return rc;
    }
    if (compiler->cache)
        compile_cache_make(compiler->cache);
    if (compiler->cache && compile_cache_is_foreign(compiler->cache)) {
        free(compiler->cache);
        compiler->cache = NULL;
    }
    *out = compiler;
    return 0;
}

void compiler_close(struct compiler *compiler)
{
    if (!compiler)
        return;
    writer_release(&compiler->writer);
    pool_release(&compiler->pool);
    once_release(&compiler->once);
    pthread_mutex_destroy(&compiler->lock);
    free(compiler->worker);
    free(compiler->library);
    free(compiler->cache);
    free(compiler->version);
    free(compiler->architectures);
    free(compiler->provenance);
    free(compiler);
}

/* The cache is held to its size at the first entry of a run, and then now and again. */
void compiler_write(const struct compile_result *result, void *context, struct key key)
{
    struct compiler *compiler = context;
    bool full;

    compile_cache_write(result, compiler->cache, key);
    pthread_mutex_lock(&compiler->lock);
    full = compiler->unchecked_bytes >= COMPILE_CACHE_BYTES / 32;
    compiler->unchecked_bytes = (full ? 0 : compiler->unchecked_bytes) + result->cubin_bytes;
    pthread_mutex_unlock(&compiler->lock);
    if (full)
        compile_cache_trim(compiler->cache, COMPILE_CACHE_BYTES);
}

int compiler_prepare(struct compiler *compiler, unsigned count, struct err *err)
{
    return pool_prepare(&compiler->pool, count, err);
}

void compiler_interrupt(struct compiler *compiler)
{
    once_interrupt(&compiler->once); /* first: nobody who waited is to begin */
    pool_interrupt(&compiler->pool);
}

const char *compiler_version(const struct compiler *compiler)
{
    return compiler->version;
}

bool compiler_cache_is_foreign(const char *directory)
{
    return compile_cache_is_foreign(directory);
}

bool compiler_cache_is_writable(const char *directory)
{
    compile_cache_make(directory);
    return !access(directory, W_OK | X_OK);
}

int compiler_check_arch(const struct compiler *compiler, const char *arch, struct err *err)
{
    const size_t length = strncmp(arch, "sm_", 3) ? strlen(arch) : 3 + strspn(arch + 3, "0123456789");
    const char *at = compiler->architectures;

    for (; *at; at += strcspn(at, " ")) {
        at++;
        if (strcspn(at, " ") == length && !strncmp(at, arch, length))
            return 0;
    }
    return err_set(err, ERR_USAGE, "NVRTC %s does not compile for %s; it knows%s", compiler->version, arch,
                   compiler->architectures);
}
