/* simulated_host TIMES CODE NVRTC CORES DILATION: stands in for `occutune worker` on a host with so many cores and one
 * GPU. Compiles and trials take the times of records, multiplied by DILATION, and give made-up results; nothing is
 * compiled or run. For the controller there is no difference.
 *
 * TIMES has a line for each variant: seconds of the compile, of the trial, of the kernel, and its parameters,
 * NAME=VALUE,NAME=VALUE... What has no line takes the times of the first. CODE is the machine code that every compile gives, but for a word that tells variants apart. */
#include "base/clock.h"
#include "base/compress.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "gpu/trial.h"
#include "model/device/device.h"
#include "tuner/predict/code_facts.h"
#include "tuner/remote/exchange.h"
#include "tuner/remote/wire.h"

#include <elf.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORES_MOST = 1024, SAMPLES = 7, LINE_BYTES = 1024 };

struct times {
    double compile_s, trial_s, kernel_s;
};

struct job {
    double due_s;
    int64_t id;
    uint64_t variant;
    bool trial, predicts;
    struct job *next;
};

struct simulation {
    struct wire wire;
    struct times *times;
    size_t time_count;
    struct map lines; /* what parameters_hash() says of a variant -> its line, from 1 on */
    char *names;      /* of the parameters: ,NAME=,NAME= */
    unsigned char *code;
    size_t code_bytes, word_at; /* where variants differ */
    double core_free_s[CORES_MOST], gpu_free_s, dilation;
    unsigned cores;
    const char *nvrtc;
    struct map variants; /* low word of a code's key -> its variant */
    struct job *jobs;    /* the next due first */
};

static void stop(const char *why)
{
    fprintf(stderr, "simulated_host: %s\n", why);
    exit(1);
}

static const struct times *times_of(const struct simulation *simulation, uint64_t variant)
{
    return &simulation->times[variant >> 1];
}

/* In whatever order the parameters come. */
static void add_parameter(uint64_t *hash, const char *define)
{
    *hash += hash_mix(hash_text(HASH_START, define));
}

static void read_parameters(struct simulation *simulation, char *text)
{
    const bool first = !simulation->names;
    uint64_t hash = HASH_START;
    char *names = first ? calloc(1, 2 * LINE_BYTES) : NULL, *rest = text, *define;

    while ((define = strsep(&rest, ",")) != NULL) {
        add_parameter(&hash, define);
        if (names)
            sprintf(names + strlen(names), ",%.*s=", (int)strcspn(define, "="), define);
    }
    if (first)
        simulation->names = names;
    if (!simulation->names ||
        map_put(&simulation->lines, hash, (void *)(uintptr_t)simulation->time_count, NULL))
        stop("no memory");
}

static void read_times(struct simulation *simulation, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[LINE_BYTES], parameters[LINE_BYTES];
    struct times times;

    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lf %lf %lf %1023s", &times.compile_s, &times.trial_s, &times.kernel_s,
                   parameters) != 4)
            stop("a line of times cannot be read");
        simulation->times = reallocarray(simulation->times, simulation->time_count + 1, sizeof times);
        if (!simulation->times)
            stop("no memory");
        simulation->times[simulation->time_count++] = times;
        read_parameters(simulation, parameters);
    }
    if (!simulation->time_count)
        stop("there are no times");
    fclose(file);
}

/* A word in the middle of the largest section of instructions, which nobody decodes. */
static void read_code(struct simulation *simulation, const char *path)
{
    char *bytes;
    Elf64_Ehdr head;
    Elf64_Shdr section;
    size_t largest = 0;

    if (file_read(&bytes, &simulation->code_bytes, path, NULL))
        stop("the code cannot be read");
    simulation->code = (unsigned char *)bytes;
    memcpy(&head, bytes, sizeof head);
    for (unsigned k = 0; k < head.e_shnum; k++) {
        memcpy(&section, bytes + head.e_shoff + k * sizeof section, sizeof section);
        if (section.sh_type != SHT_PROGBITS || !(section.sh_flags & SHF_EXECINSTR) ||
            section.sh_size < largest)
            continue;
        largest = section.sh_size;
        simulation->word_at = section.sh_offset + largest / 32 * 16;
    }
    if (!simulation->word_at)
        stop("the code has no instructions");
}

/* `packed`: code; null: none. */
static void put(struct simulation *simulation, struct json *head, const struct part *packed)
{
    if (!head || (packed ? wire_put_packed(&simulation->wire, head, *packed, NULL)
                         : wire_put(&simulation->wire, head, NULL, 0, NULL)))
        stop("the connection ended");
    js_free(head);
}

static struct json *gpu_json(void)
{
    struct json *list = js_new_array(), *gpu = js_new_object();
    struct device device;

    device_init(&device);
    snprintf(device.name, sizeof device.name, "Simulated GPU");
    device.sm = 90;
    device_limits_of(&device.limits, device.sm, NULL);
    device.limits.sm_count = 132;
    if (!list || !gpu || js_set(gpu, "device", device_to_json(&device)) ||
        js_set_real(gpu, "arithmetic_s", 1e-3) || js_set_real(gpu, "memory_s", 1e-3) || js_append(list, gpu))
        stop("no memory");
    return list;
}

static void say_hello(struct simulation *simulation)
{
    struct json *head = js_new_object(), *hello = js_new_object();
    char name[32];

    snprintf(name, sizeof name, "simulated-%d", (int)getpid());
    if (!head || !hello || js_set_string(hello, "version", OCCUTUNE_VERSION) ||
        js_set_integer(hello, "protocol", REMOTE_PROTOCOL) || js_set_string(hello, "host", name) ||
        js_set_integer(hello, "cores", simulation->cores) ||
        js_set_string(hello, "nvrtc", simulation->nvrtc) || js_set(hello, "gpus", gpu_json()) ||
        js_set(head, "hello", hello))
        stop("no memory");
    put(simulation, head, NULL);
}

/* Jobs --------------------------------------------------------------------- */

static void add_job(struct simulation *simulation, double *free_s, double seconds, struct job job)
{
    struct job **place = &simulation->jobs, *added = malloc(sizeof *added);

    if (!added)
        stop("no memory");
    *free_s = fmax(*free_s, clock_wall_s()) + seconds * simulation->dilation;
    job.due_s = *free_s;
    while (*place && (*place)->due_s <= job.due_s)
        place = &(*place)->next;
    *added = job;
    added->next = *place;
    *place = added;
}

static bool is_parameter(const struct simulation *simulation, const char *define)
{
    char name[LINE_BYTES];

    snprintf(name, sizeof name, ",%.*s=", (int)strcspn(define, "="), define);
    return strstr(simulation->names, name) != NULL;
}

/* The variant of a compile: its line among the times, and a bit that tells it from none. */
static uint64_t asked_variant(const struct simulation *simulation, const struct js_at *root)
{
    uint64_t hash = HASH_START;
    uintptr_t line;
    struct js_at list, at;
    const char *text;

    for (size_t k = 0; js_find(&list, root, "options") && k < js_count(&list); k++) {
        at = js_element(&list, k);
        if (!js_string(&text, &at, NULL) && !strncmp(text, "-D", 2) && is_parameter(simulation, text + 2))
            add_parameter(&hash, text + 2);
    }
    line = (uintptr_t)map_find(&simulation->lines, hash);
    return (line ? line - 1 : 0) << 1 | 1;
}

/* The code of a variant, and under which key it will come back. */
static void set_code(struct simulation *simulation, uint64_t variant)
{
    struct key key;

    memcpy(simulation->code + simulation->word_at, &variant, sizeof variant);
    key = key_bytes(simulation->code, simulation->code_bytes);
    if (map_put(&simulation->variants, key.low, (void *)(uintptr_t)(variant | 1), NULL))
        stop("no memory");
}

static void take(struct simulation *simulation, const struct message *message)
{
    struct js_at root = js_root(message->head, "message"), at;
    struct job job = {0};
    unsigned char *code;
    struct key key;
    int64_t size;
    unsigned core, best = 0;

    if (js_find(&at, &root, "bytes") && !js_integer(&size, &at, NULL) &&
        (size_t)size == simulation->code_bytes &&
        !compress_unpack(&code, simulation->code_bytes, message->payload, message->payload_bytes, NULL)) {
        key = key_bytes(code, simulation->code_bytes);
        memcpy(&job.variant, code + simulation->word_at, sizeof job.variant);
        map_put(&simulation->variants, key.low, (void *)(uintptr_t)(job.variant | 1), NULL);
        free(code);
    }
    if (!js_find(&at, &root, "id") || js_integer(&job.id, &at, NULL))
        return;
    job.trial = js_find(&at, &root, "protocol");
    job.predicts = js_find(&at, &root, "profile");
    job.variant = asked_variant(simulation, &root);
    if (job.trial) {
        content_get(&key, &root, "code", NULL);
        job.variant = (uintptr_t)map_find(&simulation->variants, key.low);
        add_job(simulation, &simulation->gpu_free_s, times_of(simulation, job.variant)->trial_s, job);
        return;
    }
    for (core = 1; core < simulation->cores; core++)
        if (simulation->core_free_s[core] < simulation->core_free_s[best])
            best = core;
    add_job(simulation, &simulation->core_free_s[best], times_of(simulation, job.variant)->compile_s, job);
}

/* Answers ------------------------------------------------------------------ */

static void answer_compile(struct simulation *simulation, const struct job *job, struct json *head)
{
    const struct times *times = times_of(simulation, job->variant);
    struct compile_result compiled = {.outcome = OUTCOME_OK,
                                      .entry = (char *)"matmul",
                                      .compile_s = times->compile_s,
                                      .cubin = simulation->code,
                                      .cubin_bytes = simulation->code_bytes};
    struct json *object = js_new_object();
    struct code_facts facts = {0};
    struct variant_prediction prediction = {
        .told = {.predicted = true, .bound_s = 0.5 * times->kernel_s, .estimate_s = 0.9 * times->kernel_s}};

    set_code(simulation, job->variant);
    if (compile_result_pack(&compiled, NULL) || code_facts_read(&facts, &compiled, "code", NULL))
        stop("the code cannot be read");
    if (!object || code_facts_set(head, "facts", &facts) || compiled_set(object, &compiled) ||
        js_set(head, "compiled", object) ||
        (job->predicts && js_set(head, "prediction", prediction_to_json(&prediction))))
        stop("no memory");
    put(simulation, head, &(struct part){compiled.packed, compiled.packed_bytes});
    free(compiled.packed);
    code_facts_release(&facts);
}

static void answer_trial(struct simulation *simulation, const struct job *job, struct json *head)
{
    const struct times *times = times_of(simulation, job->variant);
    double samples[SAMPLES];
    struct trial trial = {.outcome = OUTCOME_OK,
                          .samples_s = samples,
                          .sample_count = SAMPLES,
                          .launches = 1,
                          .time_s = times->kernel_s,
                          .clock_hz = 1.98e9,
                          .verify_s = 0.1 * times->trial_s,
                          .benchmark_s = 0.8 * times->trial_s,
                          .total_s = times->trial_s,
                          .kernel_s = 0.5 * times->trial_s};

    for (int k = 0; k < SAMPLES; k++)
        samples[k] = times->kernel_s * (1 + 1e-4 * k);
    if (js_set(head, "trial", trial_to_json(&trial)))
        stop("no memory");
    put(simulation, head, NULL);
}

static void answer_due(struct simulation *simulation)
{
    const double now_s = clock_wall_s();
    struct job *job;

    while ((job = simulation->jobs) && job->due_s <= now_s) {
        struct json *head = js_new_object();

        simulation->jobs = job->next;
        if (!head || js_set_integer(head, "id", job->id))
            stop("no memory");
        if (job->trial)
            answer_trial(simulation, job, head);
        else
            answer_compile(simulation, job, head);
        free(job);
    }
}

static void say_alive(struct simulation *simulation, double *said_s)
{
    struct json *head;

    if (clock_wall_s() - *said_s < 1)
        return;
    head = js_new_object();
    if (!head || js_set_bool(head, "alive", true))
        stop("no memory");
    put(simulation, head, NULL);
    *said_s = clock_wall_s();
}

static int turn(struct simulation *simulation)
{
    const double left_s = simulation->jobs ? simulation->jobs->due_s - clock_wall_s() : 0.5;
    struct pollfd signs[] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = wire_has_more(&simulation->wire) ? STDOUT_FILENO : -1, .events = POLLOUT}};
    struct message message;
    bool whole = true;
    int rc = 0;

    if (poll(signs, 2, (int)ceil(1e3 * fmin(fmax(left_s, 0), 0.5))) < 0 && errno != EINTR)
        return ERR_SYSTEM;
    if (signs[0].revents)
        rc = wire_receive(&simulation->wire, NULL);
    while (!rc && whole) {
        rc = wire_next(&message, &whole, &simulation->wire, NULL);
        if (!rc && whole)
            take(simulation, &message);
        message_release(&message);
    }
    answer_due(simulation);
    return rc ? rc : wire_flush(&simulation->wire, NULL);
}

int main(int argc, char **argv)
{
    struct simulation simulation = {0};
    double said_s = clock_wall_s();

    if (argc != 6)
        stop("wanted: TIMES CODE NVRTC CORES DILATION");
    read_times(&simulation, argv[1]);
    read_code(&simulation, argv[2]);
    simulation.nvrtc = argv[3];
    simulation.cores = (unsigned)strtoul(argv[4], NULL, 10);
    simulation.dilation = strtod(argv[5], NULL);
    if (!simulation.cores || simulation.cores > CORES_MOST || !(simulation.dilation > 0))
        stop("CORES and DILATION are numbers above 0");
    wire_init(&simulation.wire, STDIN_FILENO, STDOUT_FILENO);
    say_hello(&simulation);
    while (!turn(&simulation))
        say_alive(&simulation, &said_s);
    return 0;
}
