/* Records start, end and SM of every warp of a kernel and holds them against Little's law:
 *
 *   warp_trace [--config K=V,...] [--set NAME=VALUE]... [--counted PERCENT] [--output PREFIX] SPEC
 *
 * --counted is the achieved occupancy that Nsight Compute counted for the same configuration
 * (sm__warps_active.avg.pct_of_peak_sustained_active). With --output the pictures go to PREFIX-warps.svg and
 * PREFIX-occupancy.svg. Exit status 1 where the law is missed by more than 1 % on an SM. */
#include "base/file.h"
#include "gpu/compile.h"
#include "gpu/worker.h"
#include "model/sass/arch/geometry.h"
#include "space/configuration.h"
#include "space/variant.h"
#include "warp_trace/instrument.h"
#include "warp_trace/picture.h"
#include "warp_trace/trace.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETS = 16, DEADLINE_S = 120 };

struct request {
    const char *spec, *config, *output, *sets[SETS];
    size_t set_count;
    double counted; /* per cent; NaN: not given */
};

struct tracer {
    struct spec spec;
    struct compiler *compiler;
    struct worker *worker;
    struct device device;
    struct variant variant;
    struct compile_result plain, traced;
    struct trial before, after; /* of the kernel as it is, and recording */
    struct warp_trace trace;
};

/* Compiling ---------------------------------------------------------------- */

static int compile(struct compile_result *out, struct tracer *t, const char *path, const char *folder,
                   struct err *err)
{
    const size_t count = t->variant.option_count;
    const char **options = calloc(count + 2, sizeof *options);
    char arch[16], include[4096];
    struct compile_request request = {.source_path = path,
                                      .name = t->variant.name,
                                      .options = options,
                                      .option_count = count + 1,
                                      .arch = arch,
                                      .deadline_s = DEADLINE_S};
    int rc = options ? 0 : err_memory(err);

    snprintf(arch, sizeof arch, "sm_%u", t->device.sm);
    snprintf(include, sizeof include, "-I%s", folder);
    if (!rc) {
        memcpy(options, t->variant.options, count * sizeof *options);
        options[count] = include;
        rc = compile_cubin(out, t->compiler, &request, err);
    }
    free(options);
    if (!rc && out->outcome != OUTCOME_OK)
        rc = err_set(err, ERR_USAGE, "%s: %s", path, out->diagnostic ? out->diagnostic : "does not compile");
    return rc;
}

static int compile_text(struct compile_result *out, struct tracer *t, const char *text, const char *folder,
                        struct err *err)
{
    char path[] = "/tmp/warp_trace-XXXXXX.cu";
    const int handle = mkstemps(path, 3);
    FILE *file = handle < 0 ? NULL : fdopen(handle, "w");
    int rc = file ? 0 : err_set(err, ERR_SYSTEM, "%s: cannot be written", path);

    if (file) {
        const bool written = fputs(text, file) >= 0;

        if (fclose(file) || !written)
            rc = err_set(err, ERR_SYSTEM, "%s: cannot be written", path);
    }
    if (!rc)
        rc = compile(out, t, path, folder, err);
    if (handle >= 0)
        unlink(path);
    return rc;
}

static int compile_both(struct tracer *t, struct err *err)
{
    const char *path = t->variant.source_path, *slash = strrchr(path, '/');
    char folder[4096], *text = NULL, *changed = NULL;
    size_t size;
    int rc = file_read(&text, &size, path, err);

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (!rc)
        rc = instrument(&changed, text, t->variant.name, err);
    if (!rc)
        rc = compile(&t->plain, t, path, folder, err);
    if (!rc)
        rc = compile_text(&t->traced, t, changed, folder, err);
    free(text);
    free(changed);
    return rc;
}

/* Running ------------------------------------------------------------------ */

static struct code code_of(const struct compile_result *from)
{
    return (struct code){from->cubin, from->cubin_bytes, from->entry};
}

static int try_one(struct trial *out, struct tracer *t, const struct compile_result *compiled,
                   const struct launch *launch, struct err *err)
{
    const struct code code = code_of(compiled);
    struct protocol protocol;
    int rc;

    protocol_init(&protocol);
    protocol.cache = t->spec.cold ? CACHE_COLD : CACHE_WARM;
    rc = worker_trial(out, t->worker, &code, launch, NULL, &protocol, err);
    if (!rc && out->outcome != OUTCOME_OK)
        rc = err_set(err, ERR_GPU, "%s: %s", outcome_text(out->outcome), out->message);
    return rc;
}

/* Times the kernel as it is and recording, then records one launch of it. */
static int run(struct tracer *t, struct err *err)
{
    const struct launch *launch = &t->variant.launch;
    const uint64_t warps = launch_blocks(launch) * ((launch_threads(launch) + LANES - 1) / LANES);
    const struct code code = code_of(&t->traced);
    struct run_buffer words = {.name = WARP_TRACE_BUFFER};
    struct launch more = *launch;
    int rc;

    more.arguments = calloc(launch->argument_count + 1, sizeof *more.arguments);
    if (!more.arguments)
        return err_memory(err);
    memcpy(more.arguments, launch->arguments, launch->argument_count * sizeof *more.arguments);
    more.arguments[more.argument_count++] = (struct argument){.kind = ARGUMENT_BUFFER,
                                                              .name = (char[]){WARP_TRACE_BUFFER},
                                                              .type = ELEMENT_UINT64,
                                                              .count = WARP_TRACE_WORDS * warps,
                                                              .role = ROLE_INOUT,
                                                              .fill = {.kind = FILL_CONSTANT}};
    rc = try_one(&t->before, t, &t->plain, launch, err);
    if (!rc)
        rc = try_one(&t->after, t, &t->traced, &more, err);
    if (!rc)
        rc = worker_run(&words, 1, t->worker, &code, &more, DEADLINE_S, err);
    if (!rc)
        rc = warp_trace_read(&t->trace, (const uint64_t *)(const void *)words.bytes, warps, err);
    free(words.bytes);
    free(more.arguments);
    return rc;
}

/* Showing ------------------------------------------------------------------ */

static int draw(const struct tracer *t, const char *prefix, struct err *err)
{
    const struct trace_sm *sm = &t->trace.sms[t->trace.sm_count / 2];
    const size_t places =
        (size_t)t->after.blocks_per_sm * ((launch_threads(&t->variant.launch) + LANES - 1) / LANES);
    char title[512], path[4096];
    int rc;

    snprintf(title, sizeof title, "%s: the first warps of SM %u", t->spec.kernel.name, sm->sm);
    snprintf(path, sizeof path, "%s-warps.svg", prefix);
    rc = picture_warps(path, sm, places, title, err);
    snprintf(title, sizeof title, "%s: achieved occupancy by SM", t->spec.kernel.name);
    snprintf(path, sizeof path, "%s-occupancy.svg", prefix);
    return rc ? rc : picture_occupancy(path, &t->trace, t->device.limits.warps_per_sm, title, err);
}

static void show(const struct tracer *t, const char *configuration, double counted)
{
    const struct warp_trace *trace = &t->trace;
    const struct trace_sm *middle = &trace->sms[trace->sm_count / 2];
    const double most = t->device.limits.warps_per_sm, achieved = 100 * trace->occupancy / most;

    printf("%s %s\n", t->spec.kernel.name, configuration);
    printf(
        "  recording  %.4g ms instead of %.4g, %d registers instead of %d, %d blocks an SM instead of %d\n",
        1e3 * t->after.time_s, 1e3 * t->before.time_s, t->after.registers, t->before.registers,
        t->after.blocks_per_sm, t->before.blocks_per_sm);
    printf("  warps      %zu on %zu SMs, %.5g cycles each\n", trace->warp_count, trace->sm_count,
           trace->latency);
    printf("  law        SM %u: %.4g resident = %.5g cycles x %.4g warps a cycle + %.3g of those cut "
           "(%zu whole, %zu cut)\n",
           middle->sm, middle->law.occupancy, middle->law.latency, middle->law.throughput,
           middle->law.cut_occupancy, middle->law.whole, middle->law.cut);
    printf("  missed by  %.2g %% at the median SM, %.2g %% at the worst; %.2g %% at the worst where "
           "the cut ones are not counted apart\n",
           100 * trace->median_error, 100 * trace->worst_error, 100 * trace->worst_plain_error);
    printf("  occupancy  achieved %.1f %%", achieved);
    if (!isnan(counted))
        printf(", counted %.1f %%: %+.1f points", counted, achieved - counted);
    printf("\n");
}

static int prepare(struct tracer *t, const struct request *request, struct err *err)
{
    unsigned choices[SPEC_PARAMETERS_MAX];
    int rc = spec_read(&t->spec, request->spec, SPEC_WHOLE, request->sets, request->set_count, err);

    if (!rc)
        rc = configuration_parse(choices, &t->spec, request->config, err);
    if (!rc)
        rc = variant_make(&t->variant, &t->spec, 0, choices, err);
    if (!rc && t->variant.outcome != OUTCOME_OK)
        rc = err_set(err, ERR_USAGE, "%s", t->variant.message);
    if (!rc)
        rc = worker_open(&t->worker, 0, NULL, err);
    if (!rc)
        rc = worker_describe(&t->device, t->worker, err);
    return rc ? rc : compiler_open(&t->compiler, NULL, NULL, err);
}

static int parse(struct request *request, int argc, char **argv)
{
    static const struct option options[] = {{"config", required_argument, NULL, 'c'},
                                            {"set", required_argument, NULL, 's'},
                                            {"counted", required_argument, NULL, 'n'},
                                            {"output", required_argument, NULL, 'o'},
                                            {0}};
    char *end = "";
    int o;

    while ((o = getopt_long(argc, argv, "c:o:", options, NULL)) != -1)
        if (o == 'c')
            request->config = optarg;
        else if (o == 's' && request->set_count < SETS)
            request->sets[request->set_count++] = optarg;
        else if (o == 'n')
            request->counted = strtod(optarg, &end);
        else if (o == 'o')
            request->output = optarg;
        else
            return -1;
    request->spec = argv[optind];
    return optind + 1 == argc && !*end ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct request request = {.config = "", .counted = NAN};
    struct tracer tracer = {0};
    struct err err = {0};
    int rc;

    if (parse(&request, argc, argv)) {
        fprintf(stderr, "usage: warp_trace [--config K=V,...] [--set NAME=VALUE]... [--counted PERCENT] "
                        "[--output PREFIX] SPEC\n");
        return 2;
    }
    device_init(&tracer.device);
    rc = prepare(&tracer, &request, &err);
    if (!rc)
        rc = compile_both(&tracer, &err);
    if (!rc)
        rc = run(&tracer, &err);
    if (!rc)
        show(&tracer, request.config, request.counted);
    if (!rc && request.output)
        rc = draw(&tracer, request.output, &err);
    if (rc)
        fprintf(stderr, "warp_trace: %s\n", err.text);
    rc = rc || tracer.trace.worst_error > 0.01;
    warp_trace_release(&tracer.trace);
    trial_release(&tracer.before);
    trial_release(&tracer.after);
    compile_result_release(&tracer.plain);
    compile_result_release(&tracer.traced);
    variant_release(&tracer.variant);
    compiler_close(tracer.compiler);
    worker_close(tracer.worker);
    device_release(&tracer.device);
    spec_release(&tracer.spec);
    return rc;
}
