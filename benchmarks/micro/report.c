#include "micro/report.h"

#include "base/html.h"
#include "micro/pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The colours and panels of the page of a run (tuner/report/page/style.css); charts take theirs from here (base/chart.c). */
static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--panel:#f6f7f9;--ink:#1b1f24;--soft:#5b6470;--line:#d5d9de;"
    "--grid:#e7eaee;--bad:#b3261e;--c0:#2166ac;--c1:#b3261e;--c2:#0a7d4f;--c3:#a35a00;--c4:#6b4fa0}"
    "@media(prefers-color-scheme:dark){:root{--ground:#14171b;--panel:#1c2026;--ink:#e6e9ec;--soft:#a3acb7;"
    "--line:#3a414a;--grid:#2a3038;--bad:#ff8a80;--c0:#6fb1f0;--c1:#ff8a80;--c2:#4fd69c;--c3:#f0a850;--c4:#"
    "b79cf0}}"
    "body{font:15px/1.45 system-ui,sans-serif;margin:0;padding:1rem clamp(.75rem,2vw,2rem);color:var(--ink);"
    "background:var(--ground)}"
    "h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:1.5rem 0 .35rem}p{max-width:75ch}"
    "table{display:block;overflow-x:auto;border-collapse:collapse;margin:.5rem 0;font-size:.88rem}"
    "td,th{border-bottom:1px solid var(--line);padding:.15rem .6rem;text-align:left;white-space:nowrap;"
    "vertical-align:top}th{vertical-align:bottom;color:var(--soft);font-weight:600}"
    "td:first-child,th:first-child{position:sticky;left:0;background:var(--ground)}" /* on narrow screens */
    ".n{text-align:right;font-variant-numeric:tabular-nums}"
    ".t{white-space:normal;min-width:20rem;max-width:40rem}"
    ".charts{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr))}"
    "figure{margin:0;padding:.75rem;background:var(--panel);border:1px solid var(--line);border-radius:8px;"
    "overflow-x:auto}"
    "svg{display:block;width:100%;min-width:32rem;height:auto}" /* narrower, nobody reads what stands in it */
    ".why{color:var(--bad)}";

/* A cell with a number, or a dash where nothing is known. */
static void number(FILE *out, bool known, double value, const char *format)
{
    fputs("<td class=\"n\">", out);
    if (known)
        fprintf(out, format, value);
    else
        fputs("&ndash;", out);
    fputs("</td>", out);
}

static void write_identity(FILE *out, const struct device *device)
{
    const struct device_limits *limits = &device->limits;

    fputs("<h1>", out);
    html_text(out, device->name);
    fprintf(out, "</h1>\n<p>sm_%u, %llu SMs at up to %.0f MHz, driver %s, %s, calibrated %s.", device->sm,
            (unsigned long long)limits->sm_count, (double)limits->sm_clock_hz / 1e6,
            device->driver[0] ? device->driver : "unknown",
            device->toolkit[0] ? device->toolkit : "no compiler", device->date[0] ? device->date : "never");
    if (device_is_published(device))
        fputs(" <b>Some numbers were published by others and not measured here.</b>", out);
    fputs(" A value is the median over runs (a run is an SM or a timed sample), the spread their "
          "interquartile range, the "
          "best the most favourable run; what all SMs share is their mean.</p>\n",
          out);
}

/* Operations ----------------------------------------------------------------------------------------------- */

static void write_operations(FILE *out, const struct device *device)
{
    const double parts = (double)device->limits.subpartitions;

    fputs(
        "<h2>Operations</h2>\n<p>Completion latency: issue to issue of a dependent operation, one warp. "
        "Issue latency: cycles a "
        "pipe is busy with one warp instruction. Ridge: warps from which throughput is within 5 % of its "
        "peak.</p>\n"
        "<table><tr><th>operation<th class=\"n\">completion, cycles<th class=\"n\">spread<th class=\"n\">two "
        "chains"
        "<th class=\"n\">four chains<th class=\"n\">issue, cycles<th class=\"n\">operations per cycle and SM"
        "<th class=\"n\">ridge, warps<th>pipe</tr>\n",
        out);
    for (size_t i = 0; i < DEVICE_OP_COUNT; i++) {
        const struct device_op *op = &device->ops[i];

        if (!op->latency.known && !op->interval.known)
            continue;
        fprintf(out, "<tr><td>%s</td>", device_op_text((enum device_op_id)i));
        number(out, op->latency.known, op->latency.sustained, "%.1f");
        number(out, op->latency.known, op->latency.spread, "%.2f");
        number(out, op->ilp2.known, op->ilp2.sustained, "%.2f");
        number(out, op->ilp4.known, op->ilp4.sustained, "%.2f");
        number(out, op->interval.known, op->interval.sustained, "%.2f");
        number(out, op->interval.known, 32 * parts / op->interval.sustained, "%.1f");
        number(out, op->ridge_warps > 0, op->ridge_warps, "%.0f");
        fprintf(out, "<td>%s</td></tr>\n", op->pipe);
    }
    fputs("</table>\n", out);
}

static void write_sources(FILE *out, const struct device *device)
{
    if (device->source_count == 0)
        return;
    fputs("<h2>Operations of the source</h2>\n<table><tr><th>operation<th>fast-math<th class=\"n\">machine "
          "instructions<th>routine"
          "<th class=\"n\">latency, cycles<th class=\"n\">cycles per warp and sub-partition</tr>\n",
          out);
    for (size_t i = 0; i < device->source_count; i++) {
        const struct device_source *source = &device->sources[i];

        fputs("<tr><td>", out);
        html_text(out, source->name);
        fprintf(out, "</td><td>%s</td>", source->fast ? "yes" : "no");
        number(out, true, source->instructions, "%.1f");
        fprintf(out, "<td>%s</td>", source->calls ? "called" : "");
        number(out, true, source->latency, "%.1f");
        number(out, true, source->interval, "%.1f");
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void write_pairs(FILE *out, const struct device *device)
{
    if (device->pair_count == 0)
        return;
    fputs("<h2>Pipe map</h2>\n<p>Cycles per sub-partition of one of each, interleaved, beside their own "
          "issue latencies: the sum "
          "means a shared pipe, the larger of them two "
          "pipes.</p>\n<table><tr><th>pair<th class=\"n\">first alone<th class=\"n\">second alone"
          "<th class=\"n\">together</tr>\n",
          out);
    for (size_t i = 0; i < device->pair_count; i++) {
        const struct device_pair *pair = &device->pairs[i];
        const struct device_value *a = &device->ops[pair->a].interval, *b = &device->ops[pair->b].interval;

        fprintf(out, "<tr><td>%s + %s</td>", device_op_text(pair->a), device_op_text(pair->b));
        number(out, a->known, a->sustained, "%.2f");
        number(out, b->known, b->sustained, "%.2f");
        number(out, true, pair->cycles, "%.2f");
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

/* Architecture --------------------------------------------------------------------------------------------- */

enum { NONE = -1 };

/* Rows of the summary: what it is, where latency and size stand, who shares it, and the GT200 of Wong et al.. */
static const struct row {
    const char *name;
    int latency, bytes, rate; /* enum device_value_id or NONE */
    const char *shared_by, *gt200;
} rows[] = {
    {"barrier", DEVICE_BARRIER_LATENCY, NONE, NONE, "thread block", "20 cycles"},
    {"shared memory", DEVICE_SHARED_LATENCY, NONE, DEVICE_SHARED_READ, "SM", "16 KB, 38 cycles"},
    {"L1 data cache", DEVICE_L1_LATENCY, DEVICE_L1_BYTES, DEVICE_L1_READ, "SM", "none"},
    {"read-only path", DEVICE_READONLY_LATENCY, NONE, NONE, "SM, the L1 data cache",
     "texture L1: 5 KB, 20 ways, 32 B lines, 261 cycles"},
    {"L2, near and far", DEVICE_L2_LATENCY, DEVICE_L2_BYTES, DEVICE_L2_READ,
     "GPU; capacity as one SM sees it", "texture L2: 256 KB, 8 ways, 256 B lines"},
    {"DRAM", DEVICE_DRAM_LATENCY, NONE, NONE, "GPU", "436 to 443 cycles"},
    {"TLB, last level", DEVICE_TLB_MISS_LATENCY, DEVICE_TLB_REACH, NONE,
     "not measured; the latency is what a miss adds",
     "16 entries of 512 KB; 32 MB, 8 ways; 440, 487, 698 cycles"},
    {"constant cache, first level", DEVICE_CONSTANT_L1_LATENCY, DEVICE_CONSTANT_L1_BYTES, NONE, "SM",
     "2 KB, 4 ways, 64 B lines, 8 cycles"},
    {"constant cache, second level", DEVICE_CONSTANT_L2_LATENCY, DEVICE_CONSTANT_L2_BYTES, NONE,
     "SM, with instructions", "8 KB, 4 ways, 256 B lines, 81 cycles; 32 KB, 220 cycles"},
    {"instruction cache, first level", NONE, DEVICE_INSTRUCTION_L0_BYTES, NONE, "sub-partition",
     "4 KB, 4 ways"},
    {"instruction cache, second level", NONE, DEVICE_INSTRUCTION_L1_BYTES, NONE, "SM",
     "8 KB, 4 ways, 256 B lines"},
    {"instruction cache, third level", NONE, DEVICE_INSTRUCTION_L2_BYTES, NONE, "several SMs",
     "32 KB, 8 ways"},
};

static void value_cell(FILE *out, const struct device *device, int id)
{
    static const char prefixes[] = " KMG";
    const double value = id < 0 ? 0 : device->values[id].sustained;
    const char *unit;
    double steps = 1;
    char format[32];
    int p = 0;

    if (id < 0 || !device->values[id].known) {
        fputs("<td class=\"n\">&ndash;</td>", out);
        return;
    }
    unit = device_value_info((enum device_value_id)id)->unit;
    for (; !strcmp(unit, "B") && value >= 1024 * steps && prefixes[p + 1]; p++)
        steps *= 1024;
    snprintf(format, sizeof format, "%%.4g %.*s%s", p > 0, prefixes + p, unit);
    number(out, true, value / steps, format);
}

/* What DRAM delivers as a share of what its pins carry. */
static void write_against_pins(FILE *out, const struct device *device)
{
    static const struct {
        enum device_value_id id;
        const char *what;
    } rates[] = {{DEVICE_DRAM_READ, "reading"},
                 {DEVICE_DRAM_WRITE, "writing"},
                 {DEVICE_DRAM_COPY, "copying"},
                 {DEVICE_DRAM_DRIVER_COPY, "the driver's own copy"},
                 {DEVICE_DRAM_SCATTERED, "random sectors, 64 bytes each,"}};

    if (!device_has(device, DEVICE_DRAM_PIN))
        return;
    fputs("<p>DRAM against its pins:", out);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (device_has(device, rates[i].id))
            fprintf(out, "%s %s %.1f %%", i ? ";" : "", rates[i].what,
                    100 * device_sustained(device, rates[i].id) / device_sustained(device, DEVICE_DRAM_PIN));
    fputs(".</p>\n", out);
}

static void write_architecture(FILE *out, const struct device *device)
{
    const struct device_limits *limits = &device->limits;

    fprintf(out,
            "<h2>Architecture</h2>\n<table><tr><th><th class=\"n\">latency<th class=\"n\">capacity<th "
            "class=\"n\">throughput"
            "<th>shared by<th>GT200 (2008)</tr>\n"
            "<tr><td>SM</td><td></td><td class=\"n\">%llu warps, %llu blocks, %llu "
            "sub-partitions</td><td></td><td></td>"
            "<td>32 warps, 8 blocks</td></tr>\n"
            "<tr><td>registers</td><td></td><td class=\"n\">%llu, given to a warp by "
            "%llu</td><td></td><td>SM</td>"
            "<td>16,384, rounded to 4 a thread, 64 banks</td></tr>\n",
            (unsigned long long)limits->warps_per_sm, (unsigned long long)limits->blocks_per_sm,
            (unsigned long long)limits->subpartitions, (unsigned long long)limits->registers_per_sm,
            (unsigned long long)limits->register_granule);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fprintf(out, "<tr><td>%s</td>", rows[i].name);
        value_cell(out, device, rows[i].latency);
        value_cell(out, device, rows[i].bytes);
        value_cell(out, device, rows[i].rate);
        fprintf(out, "<td>%s</td><td>%s</td></tr>\n", rows[i].shared_by, rows[i].gt200);
    }
    fputs("</table>\n<p>Ways are not inferable: the steps that an LRU cache shows are not in the curve "
          "of latency against footprint. Sets chosen by a hash of the address would look like this; that "
          "they are "
          "is assumed, not measured.</p>\n",
          out);
    write_against_pins(out, device);
}

struct scale {
    double by;
    const char *prefix;
};

/* Of rates and times, which are far from one. */
static struct scale scale_of(const struct device_value *value, const char *unit)
{
    static const struct scale scales[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                                          {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    const size_t count = sizeof scales / sizeof *scales;

    if (!value->known || !(value->sustained > 0) ||
        (strcmp(unit, "B/s") && strcmp(unit, "Hz") && strcmp(unit, "s")))
        return (struct scale){1, ""};
    for (size_t k = 0; k < count; k++)
        if (value->sustained >= scales[k].by)
            return scales[k];
    return scales[count - 1];
}

static void write_values(FILE *out, const struct device *device)
{
    fputs("<h2>All "
          "values</h2>\n<table><tr><th>value<th class=\"n\">sustained<th class=\"n\">best<th "
          "class=\"n\">spread<th>unit"
          "<th>what<th>from</tr>\n",
          out);
    for (size_t i = 0; i < DEVICE_VALUE_COUNT; i++) {
        const struct device_value *value = &device->values[i];
        const struct device_value_info *info = device_value_info((enum device_value_id)i);
        const struct scale scale = scale_of(value, info->unit);

        fprintf(out, "<tr><td>%s</td>", info->name);
        number(out, value->known, value->sustained / scale.by, "%.5g");
        number(out, value->known, value->best / scale.by, "%.5g");
        number(out, value->known, value->spread / scale.by, "%.2g");
        fprintf(out, "<td>%s%s</td><td class=\"t\">", scale.prefix, info->unit);
        html_text(out, info->description);
        fputs("</td><td>", out);
        html_text(out, value->known ? value->origin : "");
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n<h2>Missing, doubtful, or worth knowing</h2>\n<ul>\n", out);
    for (size_t i = 0; i < device->note_count; i++) {
        fputs("<li class=\"why\">", out);
        html_text(out, device->notes[i]);
        fputs("</li>\n", out);
    }
    fputs(device->note_count ? "</ul>\n" : "<li>nothing</li></ul>\n", out);
}

static int write_page(FILE *out, const struct device *device, struct err *err)
{
    int rc;

    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width, initial-scale=1\"><title>",
          out);
    html_text(out, device->name);
    fprintf(out, "</title><style>%s</style></head><body>\n", style);
    write_identity(out, device);
    write_architecture(out, device);
    write_operations(out, device);
    write_sources(out, device);
    fputs("<h2>Pictures</h2>\n", out);
    rc = report_pictures(out, device, err);
    write_pairs(out, device);
    write_values(out, device);
    fputs("</body></html>\n", out);
    return rc;
}

int calibrate_report(char **out, const struct device *device, struct err *err)
{
    size_t size;
    FILE *stream;
    int rc;

    *out = NULL;
    stream = open_memstream(out, &size);
    if (!stream)
        return err_memory(err);
    rc = write_page(stream, device, err);
    if (fclose(stream) != 0 && rc == 0)
        rc = err_memory(err);
    if (rc) {
        free(*out);
        *out = NULL;
    }
    return rc;
}
