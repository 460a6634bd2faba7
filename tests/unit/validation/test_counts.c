/* Reading what hardware counters counted, and the errors made of it; the counts themselves need a compiler
 * and are in tests/emulated. */
#include "check.h"
#include "validation/counts.h"

#include <unistd.h>

static const char *const header =
    "kernel,configuration,smsp__inst_executed.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,"
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,"
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,dram__bytes_read.sum,dram__bytes_write.sum,"
    "sm__warps_active.avg.pct_of_peak_sustained_active,smsp__issue_active.avg.pct_of_peak_sustained_active\n";

static void write_table(char path[64], const char *first, const char *second)
{
    FILE *file;
    int handle;

    snprintf(path, 64, "/tmp/occutune-counts-XXXXXX");
    handle = mkstemp(path);
    assert_true(handle >= 0);
    file = fdopen(handle, "w");
    assert_non_null(file);
    fprintf(file, "%s%s", first, second);
    fclose(file);
}

static void reads_quoted_configurations(void **state)
{
    struct counted_set set;
    struct err err = {0};
    char path[64];

    write_table(path, header, "saxpy,\"A=1,B=true\",1000,2,0,4,5,600,7,50.5,30\n");
    assert_int_equal(counts_read(&set, path, &err), 0);
    unlink(path);
    assert_int_equal(set.count, 1);
    assert_string_equal(set.items[0].kernel, "saxpy");
    assert_string_equal(set.items[0].configuration, "A=1,B=true");
    check_near(set.items[0].hardware[COUNTER_INSTRUCTIONS], 1000, 0);
    check_near(set.items[0].hardware[COUNTER_OCCUPANCY], 50.5, 0);
    set.items[0].model[COUNTER_INSTRUCTIONS] = 990;
    set.items[0].model[COUNTER_STORE_SECTORS] = 1;
    set.items[0].model[COUNTER_OCCUPANCY] = 48;
    check_near(counts_error(&set.items[0], COUNTER_INSTRUCTIONS), -0.01, 1e-12);
    check_near(counts_error(&set.items[0], COUNTER_OCCUPANCY), -2.5, 1e-12);
    check_near(counts_error(&set.items[0], COUNTER_ISSUE), -30, 1e-12);
    assert_true(isnan(counts_error(&set.items[0], COUNTER_STORE_SECTORS)));
    counts_release(&set);
}

static void check_refused(const char *first, const char *second, const char *wanted)
{
    struct counted_set set;
    struct err err = {0};
    char path[64];

    write_table(path, first, second);
    assert_int_equal(counts_read(&set, path, &err), ERR_FORMAT);
    unlink(path);
    assert_int_equal(set.count, 0);
    if (!strstr(err.text, wanted))
        fail_msg("'%s' does not say '%s'", err.text, wanted);
}

static void refuses_bad_tables(void **state)
{
    check_refused("kernel,configuration,other\n", "", "no column smsp__inst_executed.sum");
    check_refused(header, "", "no variant");
    check_refused(header, "saxpy,A=1,many,2,0,4,5,600,7,50,30\n",
                  ":2: smsp__inst_executed.sum is not a count");
    check_refused(header, "saxpy,A=1,1000,2\n", ":2: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum is not");
}

static void reads_the_table_of_the_library(void **state)
{
    struct counted_set set;
    struct err err = {0};

    assert_int_equal(counts_read(&set, "benchmarks/validation/counters/nvidia-h200.csv", &err), 0);
    assert_true(set.count >= 27);
    counts_release(&set);
}

/* A table has the counters that were asked of the profiler: those of copies and tensor cores here. */
static void compares_the_counters_that_a_table_has(void **state)
{
    struct counted_set set;
    struct err err = {0};

    check_ok(counts_read(&set, "benchmarks/validation/counters/nvidia-h200-hopper.csv", &err), &err);
    assert_int_equal(set.count, 10);
    assert_true(set.has[COUNTER_TENSOR] && set.has[COUNTER_COPIED_IN] && set.has[COUNTER_DRAM_READ]);
    assert_false(set.has[COUNTER_ISSUE] || set.has[COUNTER_WAVEFRONTS]);
    check_near(set.items[0].hardware[COUNTER_COPIED_IN], 1610612736, 0);
    counts_release(&set);
}

int main(void)
{
    return RUN_TESTS(reads_quoted_configurations, refuses_bad_tables, reads_the_table_of_the_library,
                     compares_the_counters_that_a_table_has);
}
