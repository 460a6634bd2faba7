/* The journal: every result of one spec, device and problem, appended as it comes.
 *
 * The file is a Kernel Tuner cache (one record a line, times in milliseconds, `__error__` for what failed)
 * with extra keys: a top-level object "occutune" that says where the records come from, and in each record
 * the outcome, resources, clock and the hashes that make it trustworthy. Tools that read Kernel Tuner caches
 * read it, and theirs can be read here.
 *
 * A later record of a key replaces the earlier. A record is appended with one write, so a killed program
 * leaves at most one incomplete record at the end of the file: reading stops there and says so. Files may be
 * compressed with gzip; those are read-only. */
#ifndef TUNER_JOURNAL_JOURNAL_H
#define TUNER_JOURNAL_JOURNAL_H

#include "base/err.h"
#include "base/json.h"
#include "launch/outcome.h"
#include "model/machine/throughput.h"
#include "space/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOURNAL_SCHEMA = 1 };

/* What the model said of its code. Reals are NaN where it did not say. */
struct record_prediction {
    bool predicted; /* else the rest is meaningless */
    bool unrated;   /* executes what the model has no rate for: the estimate says nothing */
    bool latency_hidden;
    int limiter; /* enum resource, of the estimate; -1: one that this version does not know */
    double bound_s, estimate_s;
    double interval_low_s, interval_high_s; /* 80 % of measurements are expected between them */
    double needed_warps, had_warps, confidence;
    double issued, stalled_bandwidth, stalled_latency; /* shares of a scheduler's cycles, sum 1 */
    double busy[RESOURCE_COUNT]; /* share of each resource's capacity in use while an SM is full; or 0 */
};

/* What is known of one configuration. Integers are -1, reals NaN, texts null where nothing is known. */
struct record {
    char *key; /* see configuration_key() */
    enum outcome outcome;
    char *message;        /* why, unless ok */
    char *same_as;        /* OUTCOME_SAME_CODE: key of the configuration that was timed in its place */
    char *measured_on;    /* host and GPU, where several measure: "node7 GPU 0" */
    bool identified;      /* the hashes below are known; false for other tools' records */
    bool final;           /* measured among the finalists, interleaved with them */
    uint64_t build_hash;  /* what went into the compiler: source, options, architecture, compiler version */
    uint64_t code_hash;   /* what came out: code and resources; 0 when it did not compile */
    uint64_t launch_hash; /* geometry, arguments and measuring protocol */
    uint64_t reference_hash; /* what its results were compared with; 0: not known, or not yet compared */
    double time_s;           /* median of the samples */
    double *samples_s;       /* kept samples, in order */
    size_t sample_count;
    int launches;  /* per sample */
    int discarded; /* samples dropped for their clock */
    bool throttled;
    int registers, shared_bytes, spill_instructions,
        blocks_per_sm;                         /* shared: static and dynamic, of one block */
    int carveout;                              /* per cent of the unified memory, as the launch asks for it */
    double occupancy;                          /* 0 to 1 */
    double clock_hz, error_max;                /* see struct trial */
    double energy_j, power_w, energy_window_s; /* likewise */
    double compile_s, verify_s, benchmark_s, trial_s; /* time spent; trial_s is the whole trial */
    double compiled_at_s, timed_at_s; /* since the run began, on its clock, which a simulated machine has */
    struct record_prediction prediction;
};

void record_init(struct record *record); /* nothing known */
struct spec_measured record_measured(const struct record *record);
void record_release(struct record *record);
int record_copy(struct record *out, const struct record *record, struct err *err);

struct journal;

/* Reads a journal, another tool's cache or T4 results, of which nothing is changed. ERR_USAGE where the file
 * cannot be found, is larger than 1 GiB or a journal of another schema, ERR_FORMAT where it is no cache file
 * or a record in its middle is damaged (the message names the record). */
int journal_read(struct journal **out, const char *path, struct err *err);

/* The same. T4 results, which are objects without an order, take the order of these parameters where they have all of them. */
int journal_read_ordered(struct journal **out, const char *path, const char *const *names, size_t count,
                         struct err *err);

/* Opens a journal for appending and reads what it holds; creates it with `head` (see journal_head_new) where
 * there is none. The file is locked until it is closed: ERR_USAGE when another process holds it, or when it
 * belongs to another device, kernel, problem or parameter list than `head` says. An incomplete record at its
 * end is cut off; that is all that is ever lost. A file that is no journal, or one with damage in it, is kept
 * under another name (journal_remark says which), and what is whole of it goes on; members of the top level
 * that stand behind the records come before them. */
int journal_open(struct journal **out, const char *path, const struct json *head, struct err *err);

/* Writes the closing braces, with `not_timed` (may be null, not taken over) as a top-level object, and ends.
 * Safe to leave out: a journal that was never closed is complete. Frees in any case. */
int journal_close(struct journal *journal, const struct json *not_timed, struct err *err);

/* Ends without closing braces; a file that was created here and holds no record is removed. Also null. */
void journal_free(struct journal *journal);

/* The top level without "cache"; a cursor into the journal. */
struct js_at journal_head(const struct journal *journal);
const char *journal_path(const struct journal *journal);
bool journal_foreign(const struct journal *journal); /* another tool's: records have no identity */

/* What of the file is left out, to be told: where it was kept when it could not be gone on in, incomplete
 * bytes at its end, damaged records (their checksum does not fit), another tool's records that tell neither a
 * time nor a known error. A line each, k from 0; whether there is a k-th. */
bool journal_remark(char *out, size_t size, const struct journal *journal, unsigned k);

/* Appends a record; `parameters` is the configuration as configuration_json() gives it. When the disk is full
 * the file is cut back to its last complete record and ERR_SYSTEM returned. */
int journal_append(struct journal *journal, const struct record *record, const struct json *parameters,
                   struct err *err);

/* Once after an append or before the close: that the file was removed or replaced during the run, and where
 * all of it is now (journal_path()). False when there is no news. */
bool journal_news(char *out, size_t size, struct journal *journal);

/* The latest record of a key; null when there is none. Valid until the next append. */
const struct record *journal_find(const struct journal *journal, const char *key);

/* The record that holds what was measured of a record's code: itself, or that of the configuration with the same code. Null
 * where that one is gone, or has other code or another launch now. */
const struct record *journal_measured(const struct journal *journal, const struct record *record);

/* Machine code at a launch that weighs so much, in one word: what has the same is measured once. 0: not known. */
uint64_t record_code_key(const struct record *record, double weight);

/* The latest records, in the order in which their keys first came. */
size_t journal_count(const struct journal *journal);
const struct record *journal_record(const struct journal *journal, size_t index);

#endif
