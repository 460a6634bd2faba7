/* A launch of one kernel of tests/data/emulate/programs.cu, put together argument by argument. */
#ifndef TESTS_UNIT_EMULATE_FIXTURE_H
#define TESTS_UNIT_EMULATE_FIXTURE_H

#include "check.h"
#include "model/emulate/emulate.h"

struct program {
    struct cubin cubin;
    const struct cubin_kernel *kernel;
    struct sass_code code;
    struct launch launch;
    struct argument arguments[8];
    bool prepared;
    struct emulation *emulation;
    struct emulate_result result;
};

/* The kernel `name` of programs_sm<sm>.cubin, as one block of `threads`. Closes the one opened before. */
void program_open(struct program *out, unsigned sm, const char *name, unsigned threads);
/* The same of another cubin. */
void program_open_of(struct program *out, const char *cubin, const char *name, unsigned threads);
/* Behind each test: closes the last one opened. */
int program_close(void **state);

void program_scalar(struct program *program, int32_t value);
void program_scalar64(struct program *program, int64_t value);
/* A buffer filled by an expression of i, or zeros when it is null; returns the argument's number. */
size_t program_buffer(struct program *program, enum element_type type, uint64_t count,
                      const char *expression);

/* A tensor map of a buffer; copied. */
void program_tensor_map(struct program *program, const struct tensor_map *map);

/* Executes the whole grid; fails unless it ends so. Closes an earlier run. */
void program_run(struct program *program, enum emulate_mode mode, enum emulate_end wanted);
void program_run_within(struct program *program, enum emulate_mode mode, uint64_t budget,
                        enum emulate_end wanted);
void program_read(struct program *program, size_t argument, void *out);
/* What all blocks and instructions together counted. */
struct emulate_count program_total(const struct program *program);
/* Full and sliced count the same, instruction by instruction, and touch the same sectors. */
void program_check_modes(struct program *program);
/* The same but for the order in which the lanes of a diverged warp go on: while some wait for others of the
 * block, the rest goes first. */
void program_check_counts(struct program *program);

#endif
