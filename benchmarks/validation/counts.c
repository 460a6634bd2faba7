#include "validation/counts.h"

#include "base/array.h"
#include "base/file.h"
#include "model/sass/sass_matrix.h"
#include "space/configuration.h"
#include "tuner/predict/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *text, *column;
    double tolerance;
} counters[COUNTER_COUNT] = {
    [COUNTER_INSTRUCTIONS] = {"instructions", "smsp__inst_executed.sum", 0.001},
    [COUNTER_LOAD_SECTORS] = {"load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0.01},
    [COUNTER_STORE_SECTORS] = {"store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0.01},
    [COUNTER_LOAD_REQUESTS] = {"load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 0.01},
    [COUNTER_WAVEFRONTS] = {"shared wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 0.05},
    [COUNTER_TENSOR] = {"tensor instructions", "sm__inst_executed_pipe_tensor.sum", 0.001},
    [COUNTER_COPIED_IN] = {"copied in", "l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum", 0.01},
    [COUNTER_COPIED_OUT] = {"copied out", "l1tex__m_l1tex2xbar_write_bytes_pipe_tma.sum", 0.01},
    [COUNTER_L2_SECTORS] = {"L2 sectors", "lts__t_sectors_srcunit_tex.sum", 0.15},
    [COUNTER_DRAM_READ] = {"DRAM read", "dram__bytes_read.sum", 0.15},
    [COUNTER_DRAM_WRITTEN] = {"DRAM written", "dram__bytes_write.sum", 0.15},
    [COUNTER_OCCUPANCY] = {"occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", 5},
    [COUNTER_ISSUE] = {"issuing", "smsp__issue_active.avg.pct_of_peak_sustained_active", 5},
};

const char *counter_text(enum counter counter)
{
    return counters[counter].text;
}

bool counter_is_share(enum counter counter)
{
    return counter == COUNTER_OCCUPANCY || counter == COUNTER_ISSUE;
}

double counter_tolerance(enum counter counter)
{
    return counters[counter].tolerance;
}

double counts_error(const struct counted *item, enum counter counter)
{
    const double model = item->model[counter], hardware = item->hardware[counter];

    if (counter_is_share(counter))
        return model - hardware;
    return hardware > 0 ? model / hardware - 1 : model > 0 ? NAN : 0;
}

/* Reading ------------------------------------------------------------------ */

enum { LINE_MOST = 4096, FIELDS_MOST = 32 };

struct reader {
    const char *path;
    unsigned line;
    int column[COUNTER_COUNT]; /* where each counter stands, -1: nowhere */
};

/* Cuts a line into fields, in place; quotes keep commas. Returns how many. */
static int cut(char *fields[FIELDS_MOST], char *line)
{
    int count = 0;
    bool quoted = false;
    char *from, *to;

    line[strcspn(line, "\r\n")] = 0;
    for (from = to = fields[count++] = line; *from; from++) {
        if (*from == '"') {
            quoted = !quoted;
        } else if (*from == ',' && !quoted && count < FIELDS_MOST) {
            *to++ = 0;
            fields[count++] = to;
        } else {
            *to++ = *from;
        }
    }
    *to = 0;
    return count;
}

static int find_columns(struct counted_set *out, struct reader *reader, char *const *fields, int count,
                        struct err *err)
{
    int f;

    for (int c = 0; c < COUNTER_COUNT; c++) {
        for (f = 0; f < count && strcmp(fields[f], counters[c].column) != 0; f++)
            ;
        out->has[c] = f < count;
        reader->column[c] = out->has[c] ? f : -1;
    }
    if (!out->has[COUNTER_INSTRUCTIONS])
        return err_set(err, ERR_FORMAT, "%s: no column %s", reader->path,
                       counters[COUNTER_INSTRUCTIONS].column);
    return 0;
}

static int read_item(struct counted_set *out, const struct reader *reader, char *const *fields, int count,
                     struct err *err)
{
    struct counted *item;

    if (ARRAY_GROW(out->items, out->count, err))
        return ERR_MEMORY;
    item = &out->items[out->count];
    *item = (struct counted){0};
    for (int c = 0; c < COUNTER_COUNT; c++) {
        char *end = NULL;

        if (!out->has[c])
            continue;
        if (reader->column[c] < count)
            item->hardware[c] = strtod(fields[reader->column[c]], &end);
        if (!end || end == fields[reader->column[c]] || *end || !(item->hardware[c] >= 0))
            return err_set(err, ERR_FORMAT, "%s:%u: %s is not a count", reader->path, reader->line,
                           counters[c].column);
    }
    snprintf(item->kernel, sizeof item->kernel, "%s", fields[0]);
    item->configuration = strdup(fields[1]);
    out->count++;
    return item->configuration ? 0 : err_memory(err);
}

int counts_read(struct counted_set *out, const char *path, struct err *err)
{
    struct reader reader = {.path = path};
    char line[LINE_MOST], *fields[FIELDS_MOST];
    FILE *file = file_open(path, err);
    int rc = 0;

    *out = (struct counted_set){0};
    if (!file)
        return err ? err->code : ERR_SYSTEM;
    while (!rc && fgets(line, sizeof line, file)) {
        const int count = cut(fields, line);

        rc = ++reader.line == 1 ? find_columns(out, &reader, fields, count, err)
                                : read_item(out, &reader, fields, count, err);
    }
    if (!rc && !out->count)
        rc = err_set(err, ERR_FORMAT, "%s: no variant in it", path);
    fclose(file);
    if (rc)
        counts_release(out);
    return rc;
}

void counts_release(struct counted_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->items[i].configuration);
    free(set->items);
    *set = (struct counted_set){0};
}

/* Counting ----------------------------------------------------------------- */

/* Writes shared memory by the copy engine, or reads it. */
static bool copies(const struct sass *i)
{
    return sass_is_bulk(i) || sass_is_tensor_copy(i);
}

static bool multiplies(const struct sass *i)
{
    struct sass_matrix matrix;

    return sass_matrix(&matrix, i);
}

/* Loads, also those that write to shared memory (LDGSTS); not atomics. */
static bool loads(const struct sass *i)
{
    return traffic_is_global(i) && i->accesses[0].access & SASS_READS &&
           !(i->accesses[0].access & SASS_ATOMICALLY);
}

static bool stores(const struct sass *i)
{
    return traffic_is_global(i) && i->accesses[0].access & SASS_WRITES &&
           !(i->accesses[0].access & SASS_ATOMICALLY);
}

/* Sectors of global memory as L1's tag stage counts them: a copy past L1 to rows that lie askew in shared
 * memory is counted by the sectors it fills there. L2 sees count->sectors. */
static double tagged_sectors(const struct sass *i, const struct traffic_count *count)
{
    return i->op == SASS_LDGSTS && i->mod[SASS_MOD_BYPASS] ? fmax(count->sectors, count->filled)
                                                           : count->sectors;
}

static void add_up(double out[COUNTER_COUNT], const struct sass_code *code, const struct traffic *traffic)
{
    for (size_t i = 0; i < code->count; i++) {
        const struct sass *instruction = &code->instructions[i];
        const struct traffic_count *count = &traffic->counts[i];

        out[COUNTER_INSTRUCTIONS] += traffic->warps * count->issued;
        out[COUNTER_WAVEFRONTS] += traffic->warps * traffic_shared_passes(instruction, count);
        out[COUNTER_TENSOR] += multiplies(instruction) ? traffic->warps * count->issued : 0;
        if (copies(instruction))
            out[instruction->accesses[0].access & SASS_WRITES ? COUNTER_COPIED_OUT : COUNTER_COPIED_IN] +=
                traffic->warps *
                (instruction->accesses[0].access & SASS_WRITES ? count->bytes : count->delivered);
        if (!instruction->access_count)
            continue;
        if (loads(instruction)) {
            out[COUNTER_LOAD_SECTORS] += traffic->warps * tagged_sectors(instruction, count);
            out[COUNTER_LOAD_REQUESTS] += traffic->warps * count->requests;
        } else if (stores(instruction)) {
            out[COUNTER_STORE_SECTORS] += traffic->warps * count->sectors;
        }
    }
    out[COUNTER_L2_SECTORS] = traffic->warps * (traffic->loads.l2_read + traffic->stores.sectors);
    out[COUNTER_DRAM_READ] = traffic->warps * traffic->dram.read;
    out[COUNTER_DRAM_WRITTEN] = traffic->warps * traffic->dram.written;
}

static int take(struct counted *item, const struct ranking_options *options, struct err *err)
{
    struct analysis analysis = {0};
    struct ranked ranked = {0};
    unsigned choices[SPEC_PARAMETERS_MAX];
    int rc = configuration_parse(choices, options->spec, item->configuration, err);

    if (!rc)
        rc = ranking_one(&ranked, &analysis, options, choices, err);
    if (!rc) {
        item->counts = ranked.predicted;
        snprintf(item->reason, sizeof item->reason, "%s", ranked.reason ? ranked.reason : "");
    }
    if (!rc && item->counts) {
        item->blocks_equal = analysis.traffic.blocks_equal;
        add_up(item->model, &analysis.code, &analysis.traffic);
        item->model[COUNTER_OCCUPANCY] = 100 * analysis.achieved;
        item->model[COUNTER_ISSUE] = 100 * analysis.prediction.issued;
    }
    analysis_release(&analysis);
    free(ranked.reason);
    return rc;
}

int counts_take(struct counted *item, const struct machine *machine, struct compiler *compiler,
                const char *const *folders, struct err *err)
{
    struct ranking_options options = {.machine = machine, .compiler = compiler, .jobs = 1};
    struct spec spec;
    char path[4096];
    int rc;

    do
        snprintf(path, sizeof path, "%s/%s/spec.json", *folders, item->kernel);
    while (access(path, F_OK) && *++folders);
    rc = spec_read(&spec, path, SPEC_WHOLE, NULL, 0, err);
    if (rc)
        return rc;
    options.spec = &spec;
    rc = take(item, &options, err);
    spec_release(&spec);
    return rc;
}
