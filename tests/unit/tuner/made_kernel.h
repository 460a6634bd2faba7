/* A kernel that was tuned, made up in a folder of its own: source, spec and decisions.
 *
 * The kernel is called copy, which the pretended driver knows. Its one size is N; THREADS must divide it.
 * SHARED is dynamic shared memory per thread. BROKEN=1 does not compile. */
#ifndef TESTS_UNIT_TUNER_MADE_KERNEL_H
#define TESTS_UNIT_TUNER_MADE_KERNEL_H

#include "check.h"

#include <ftw.h>
#include <unistd.h>

struct made_row {
    double n;
    int threads, broken;
};

static char made_folder[64];

static inline const char *made_path(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", made_folder, name);
    return path;
}

static inline void made_write(const char *name, const char *text)
{
    FILE *file = fopen(made_path(name), "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline int made_remove(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

static inline int made_set_up(void **state)
{
    strcpy(made_folder, "/tmp/occutune-test-XXXXXX");
    assert_non_null(mkdtemp(made_folder));
    made_write("copy.cu", "extern \"C\" __global__ void copy(const float *in, float *out, int n)\n"
                          "{\n"
                          "#if BROKEN\n"
                          "#error this variant does not compile\n"
                          "#endif\n"
                          "    const int i = blockIdx.x * THREADS + threadIdx.x;\n"
                          "    if (i < n)\n"
                          "        out[i] = in[i];\n"
                          "}\n");
    made_write(
        "spec.json",
        "{\"kernel\": {\"file\": \"copy.cu\", \"name\": \"copy\"},\n"
        " \"parameters\": {\"THREADS\": [32, 64, 128, 256], \"BROKEN\": [0, 1], \"SHARED\": [0, 4]},\n"
        " \"default\": {\"THREADS\": 32},\n"
        " \"constraints\": [\"N % THREADS == 0\"],\n"
        " \"problem\": {\"N\": 4096},\n"
        " \"launch\": {\"grid\": [\"N // THREADS\"], \"block\": [\"THREADS\"], \"shared\": \"SHARED * N\"},\n"
        " \"arguments\": [{\"buffer\": \"float32\", \"name\": \"in\", \"length\": \"N\", \"fill\": "
        "{\"constant\": 1}},\n"
        "  {\"buffer\": \"float32\", \"name\": \"out\", \"length\": \"N\", \"role\": \"out\"},\n"
        "  {\"scalar\": \"int32\", \"value\": \"N\"}]}\n");
    return 0;
}

static inline int made_tear_down(void **state)
{
    return nftw(made_folder, made_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* A decision as file `name`; the winner of a row is its only finalist; a source hash of "" is left
 * out. */
static inline void made_decision(const char *name, const char *device, unsigned sm, const char *source_hash,
                                 const struct made_row *rows, size_t count)
{
    FILE *file = fopen(made_path(name), "w");
    size_t i;

    assert_non_null(file);
    fprintf(
        file,
        "{\"schema\": 1, \"kernel\": \"copy\", \"level\": \"live\", \"parameters\": [\"THREADS\", "
        "\"BROKEN\", "
        "\"SHARED\"],\n \"sizes\": [\"N\"], \"default\": {\"THREADS\": 32, \"BROKEN\": 0, \"SHARED\": 0},\n"
        " \"launch\": {}, \"signature\": {\"device\": \"%s\", \"sm\": %u, \"driver\": \"13.0\", \"nvrtc\": "
        "\"13.0\", \"spec_hash\": \"0\"%s%s%s},\n \"problems\": [",
        device, sm, *source_hash ? ", \"source_hash\": \"" : "", source_hash, *source_hash ? "\"" : "");
    for (i = 0; i < count; i++) {
        char best[300];

        snprintf(best, sizeof best,
                 "{\"configuration\": {\"THREADS\": %d, \"BROKEN\": %d, \"SHARED\": %d}, \"options\": [], "
                 "\"block\": [%d, 1, 1], \"shared_dynamic_bytes\": 0, \"time_ms\": 1}",
                 rows[i].threads, rows[i].broken, rows[i].threads == 256 ? 4 : 0, rows[i].threads);
        fprintf(file,
                "%s{\"problem\": {\"N\": %.15g}, \"recorded_date\": \"\", \"best\": %s, \"finalists\": [%s]}",
                i ? ", " : "", rows[i].n, best, best);
    }
    fprintf(file, "]}\n");
    assert_int_equal(fclose(file), 0);
}

#endif
