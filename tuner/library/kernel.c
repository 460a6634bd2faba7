#include "tuner/library/kernel.h"

#include "gpu/compile.h"
#include "gpu/driver.h"
#include "tuner/predict/request.h"
#include "tuner/evaluate/environment.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double compile_deadline_s = 300;

/* A configuration in a context. */
struct loaded {
    enum { EMPTY, LOADING, READY, FAILED } state;
    gpu_module module;
    gpu_function function;
    unsigned shared_bytes; /* dynamic shared memory that the function is prepared for */
    struct err why;        /* FAILED */
};

struct place {
    struct place *next;
    uint64_t context;
    struct gpu *gpu;
    char device[128]; /* slug */
    unsigned sm;
    struct loaded *loaded; /* one per variant of the chooser */
};

struct kernel {
    struct chooser chooser;
    struct kernel_options options;
    char *cache;          /* owned copy, or null */
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    struct place *places; /* never removed before the end */
    unsigned said;        /* a bit per choice_fit */
    bool cache_checked;
};

/* Messages, under the lock ------------------------------------------------- */

static void say(struct kernel *kernel, const char *text)
{
    if (kernel->options.message)
        kernel->options.message(kernel->options.context, text);
}

/* Once for each way of falling back. */
static void say_fit(struct kernel *kernel, const struct place *place, enum choice_fit fit)
{
    static const char *const texts[] = {
        [CHOICE_NEAREST] = "was tuned for other problem sizes only: the nearest is used",
        [CHOICE_ARCHITECTURE] = "was not tuned for this device: another one of its architecture stands in",
        [CHOICE_OVERALL] = "was not tuned for this architecture: the configuration best over all is used",
        [CHOICE_DEFAULT] = "has no tuned configuration that is valid here: the default is used"};
    char text[1200];

    if (fit == CHOICE_EXACT || kernel->said & 1u << fit)
        return;
    kernel->said |= 1u << fit;
    snprintf(text, sizeof text, "%s: kernel %s on %s %s", kernel->chooser.spec.path,
             kernel->chooser.spec.kernel.name, place->device, texts[fit]);
    say(kernel, text);
}

static void say_cache(struct kernel *kernel)
{
    char text[1200];

    if (kernel->cache_checked || !kernel->cache)
        return;
    kernel->cache_checked = true;
    if (!access(kernel->cache, W_OK | X_OK))
        return;
    snprintf(text, sizeof text, "%s: cannot be written: kernels are compiled anew in every process",
             kernel->cache);
    say(kernel, text);
}

/* Loading ------------------------------------------------------------------ */

/* The compiler's process lives for one call: an application should not keep it. */
static int compile(struct compile_result *out, struct kernel *kernel, const struct place *place,
                   const struct chooser_variant *variant, struct err *err)
{
    const struct kernel_options *options = &kernel->options;
    struct compiler *compiler;
    char arch[16];
    const struct compile_request request = request_of(&variant->variant, arch, compile_deadline_s);
    int rc = compiler_open_with(&compiler, options->worker, options->nvrtc, kernel->cache, err);

    if (rc)
        return rc;
    pthread_mutex_lock(&kernel->lock);
    say_cache(kernel);
    pthread_mutex_unlock(&kernel->lock);
    device_target(arch, place->sm);
    rc = compile_cubin(out, compiler, &request, err);
    compiler_close(compiler);
    if (rc || out->outcome == OUTCOME_OK)
        return rc;
    err_set(err, ERR_USAGE, "%s: does not compile for %s with %s: %s", request.source_path, arch,
            variant->text, out->diagnostic ? out->diagnostic : "no reason is given");
    compile_result_release(out);
    return ERR_USAGE;
}

static int prepare(struct loaded *loaded, const struct place *place, const struct launch *launch,
                   struct err *err)
{
    struct function_facts facts;
    int rc = gpu_prepare(&facts, place->gpu, loaded->function, launch, err);

    if (!rc && !facts.blocks_per_sm)
        rc = err_set(err, ERR_GPU, "a thread block needs more than an SM has");
    if (!rc)
        loaded->shared_bytes = launch->shared_bytes;
    return rc;
}

static int load(struct loaded *loaded, struct kernel *kernel, const struct place *place,
                const struct choice *choice, struct err *err)
{
    struct compile_result compiled;
    int rc = compile(&compiled, kernel, place, &kernel->chooser.variants[choice->variant], err);

    if (rc)
        return rc;
    rc = gpu_load(&loaded->module, place->gpu, compiled.cubin, err);
    if (!rc)
        rc = gpu_find_function(&loaded->function, place->gpu, loaded->module, compiled.entry, err);
    if (!rc)
        rc = prepare(loaded, place, &choice->launch, err);
    if (rc) {
        gpu_unload(place->gpu, loaded->module);
        loaded->module = NULL;
        loaded->function = NULL;
    }
    compile_result_release(&compiled);
    return rc;
}

/* Waits for the configuration, or loads it as the first to ask. A larger problem may need more dynamic shared
 * memory than was opted in to. */
static int ensure(struct kernel_ready *out, struct kernel *kernel, struct place *place,
                  const struct choice *choice, struct err *err)
{
    struct loaded *loaded = &place->loaded[choice->variant];
    int rc = 0;

    pthread_mutex_lock(&kernel->lock);
    while (loaded->state == LOADING)
        pthread_cond_wait(&kernel->changed, &kernel->lock);
    if (loaded->state == EMPTY) {
        loaded->state = LOADING;
        pthread_mutex_unlock(&kernel->lock);
        rc = load(loaded, kernel, place, choice, &loaded->why);
        pthread_mutex_lock(&kernel->lock);
        loaded->state = rc ? FAILED : READY;
        pthread_cond_broadcast(&kernel->changed);
    }
    if (loaded->state == FAILED)
        rc = err_set(err, (enum err_code)loaded->why.code, "%s", loaded->why.text);
    else if (choice->launch.shared_bytes > loaded->shared_bytes)
        rc = prepare(loaded, place, &choice->launch, err);
    pthread_mutex_unlock(&kernel->lock);
    if (!rc)
        *out = (struct kernel_ready){.function = loaded->function,
                                     .module = loaded->module,
                                     .choice = *choice,
                                     .variant = &kernel->chooser.variants[choice->variant]};
    return rc;
}

/* Places ------------------------------------------------------------------- */

static int add_place(struct place **out, struct kernel *kernel, struct err *err)
{
    struct place *place = calloc(1, sizeof *place);
    struct device device;
    int rc = place ? 0 : err_memory(err);

    if (!rc)
        place->loaded = calloc(kernel->chooser.variant_count, sizeof *place->loaded);
    if (!rc && !place->loaded)
        rc = err_memory(err);
    if (!rc)
        rc = gpu_attach(&place->gpu, err);
    if (!rc)
        rc = gpu_context(&place->context, place->gpu, err);
    if (!rc)
        rc = gpu_describe(&device, place->gpu, err);
    if (!rc) {
        environment_slug(place->device, sizeof place->device, device.name);
        place->sm = device.sm;
        device_release(&device);
        place->next = kernel->places;
        kernel->places = place;
        *out = place;
    } else if (place) {
        gpu_close(place->gpu);
        free(place->loaded);
        free(place);
    }
    return rc;
}

/* The place of the context that is current. */
static int find_place(struct place **out, struct kernel *kernel, struct err *err)
{
    struct place *place;
    uint64_t context;
    int rc;

    if (kernel->places) {
        rc = gpu_context(&context, kernel->places->gpu, err);
        if (rc)
            return rc;
        for (place = kernel->places; place; place = place->next)
            if (place->context == context) {
                *out = place;
                return 0;
            }
    }
    return add_place(out, kernel, err);
}

/* The kernel --------------------------------------------------------------- */

int kernel_open(struct kernel **out, const char *spec, const struct decision *const *decisions, size_t count,
                const struct kernel_options *options, struct err *err)
{
    struct kernel *kernel = calloc(1, sizeof *kernel);
    int rc;

    *out = NULL;
    if (!kernel)
        return err_memory(err);
    kernel->options = *options;
    pthread_mutex_init(&kernel->lock, NULL);
    pthread_cond_init(&kernel->changed, NULL);
    kernel->cache = options->cache ? strdup(options->cache) : NULL;
    rc = kernel->cache || !options->cache ? 0 : err_memory(err);
    if (!rc)
        rc = chooser_init(&kernel->chooser, spec, decisions, count, options->message, options->context, err);
    if (rc)
        kernel_close(kernel);
    else
        *out = kernel;
    return rc;
}

static void close_place(struct place *place, size_t variant_count)
{
    uint64_t context;

    if (!gpu_context(&context, place->gpu, NULL) && context == place->context)
        for (size_t v = 0; v < variant_count; v++)
            gpu_unload(place->gpu, place->loaded[v].module);
    gpu_close(place->gpu);
    free(place->loaded);
    free(place);
}

void kernel_close(struct kernel *kernel)
{
    struct place *place, *next;

    if (!kernel)
        return;
    for (place = kernel->places; place; place = next) {
        next = place->next;
        close_place(place, kernel->chooser.variant_count);
    }
    chooser_release(&kernel->chooser);
    pthread_cond_destroy(&kernel->changed);
    pthread_mutex_destroy(&kernel->lock);
    free(kernel->cache);
    free(kernel);
}

/* What the default could mend: code that does not compile or load, not a missing compiler. */
static bool is_of_variant(int rc)
{
    return rc == ERR_USAGE || rc == ERR_GPU;
}

static int get_default(struct kernel_ready *out, struct kernel *kernel, struct place *place,
                       const double *sizes, const struct err *why, struct err *err)
{
    struct choice choice;
    char text[1200];
    int rc = chooser_default(&choice, &kernel->chooser, sizes, err);

    if (!rc)
        rc = ensure(out, kernel, place, &choice, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&kernel->lock);
    if (!(kernel->said & 1u << CHOICE_DEFAULT)) {
        kernel->said |= 1u << CHOICE_DEFAULT;
        snprintf(text, sizeof text, "%s; the default configuration is used", why->text);
        say(kernel, text);
    }
    pthread_mutex_unlock(&kernel->lock);
    return 0;
}

int kernel_get(struct kernel_ready *out, struct kernel *kernel, const double *sizes, struct err *err)
{
    struct place *place;
    struct choice choice;
    struct err why = {0};
    int rc;

    *out = (struct kernel_ready){0};
    pthread_mutex_lock(&kernel->lock);
    rc = find_place(&place, kernel, err);
    pthread_mutex_unlock(&kernel->lock);
    if (!rc)
        rc = chooser_find(&choice, &kernel->chooser, place->device, place->sm, sizes, err);
    if (rc)
        return rc;
    rc = ensure(out, kernel, place, &choice, &why);
    if (rc && choice.variant != 0 && is_of_variant(rc))
        return get_default(out, kernel, place, sizes, &why, err);
    if (rc)
        return err_set(err, (enum err_code)rc, "%s", why.text);
    pthread_mutex_lock(&kernel->lock);
    say_fit(kernel, place, choice.fit);
    pthread_mutex_unlock(&kernel->lock);
    return 0;
}

int kernel_choose(struct kernel_ready *out, const struct kernel *kernel, const char *device, unsigned sm,
                  const double *sizes, struct err *err)
{
    char slug[128];
    int rc;

    *out = (struct kernel_ready){0};
    environment_slug(slug, sizeof slug, device ? device : "");
    rc = chooser_find(&out->choice, &kernel->chooser, slug, sm, sizes, err);
    if (!rc)
        out->variant = &kernel->chooser.variants[out->choice.variant];
    return rc;
}
