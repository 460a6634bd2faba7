/* Journals made for a test: of device "GPU", a record by its number. */
#ifndef JOURNAL_MADE_H
#define JOURNAL_MADE_H

#include "journal_fixture.h"

static inline struct json *json_of(const char *text)
{
    struct json *json;
    struct err err = {0};

    check_ok(js_read_text(&json, text, strlen(text), "test", &err), &err);
    return json;
}

static inline struct json *head_of(const char *device)
{
    char text[256];

    snprintf(text, sizeof text,
             "{\"device_name\": \"%s\", \"kernel_name\": \"k\", \"problem_size\": [8],"
             " \"tune_params_keys\": [\"N\"], \"occutune\": {\"schema\": 1}}",
             device);
    return json_of(text);
}

static inline struct journal *open_ok(void)
{
    struct journal *journal;
    struct json *head = head_of("GPU");
    struct err err = {0};

    check_ok(journal_open(&journal, path, head, &err), &err);
    js_free(head);
    return journal;
}

static inline int append(struct journal *journal, int n, double time_s, struct err *err)
{
    char key[16], text[32];
    double samples[3] = {time_s, time_s * 1.1, time_s * 0.9};
    struct record record;
    struct json *parameters;
    int rc;

    record_init(&record);
    snprintf(key, sizeof key, "%d", n);
    snprintf(text, sizeof text, "{\"N\": %d}", n);
    parameters = json_of(text);
    record.key = key;
    record.identified = true;
    record.build_hash = 1;
    record.code_hash = UINT64_C(0xfedcba9876543210);
    record.launch_hash = 3;
    record.time_s = time_s;
    record.samples_s = samples;
    record.sample_count = 3;
    record.registers = 40;
    record.occupancy = 0.5;
    record.clock_hz = 1.98e9;
    record.timed_at_s = 12.5;
    record.prediction =
        (struct record_prediction){.predicted = true,
                                   .latency_hidden = true,
                                   .limiter = RESOURCE_DRAM_READ,
                                   .bound_s = time_s / 2,
                                   .estimate_s = time_s * 1.5,
                                   .interval_low_s = time_s,
                                   .interval_high_s = time_s * 2,
                                   .needed_warps = 20,
                                   .had_warps = 32,
                                   .confidence = NAN,
                                   .busy = {[RESOURCE_DRAM_READ] = 0.95, [RESOURCE_L2] = 0.001}};
    rc = journal_append(journal, &record, parameters, err);
    js_free(parameters);
    return rc;
}

static inline void append_ok(struct journal *journal, int n, double time_s)
{
    struct err err = {0};

    check_ok(append(journal, n, time_s, &err), &err);
}

static inline void close_ok(struct journal *journal)
{
    struct err err = {0};

    check_ok(journal_close(journal, NULL, &err), &err);
}

static inline char *text_of(const char *name)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(name, "rb");

    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static inline char *file_text(void)
{
    return text_of(path);
}

#endif
