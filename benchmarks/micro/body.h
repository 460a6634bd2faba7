/* Is the machine code what the microbenchmark means? Its time is not believed before this says yes.
 *
 * The timed parts of a kernel are what stands between its clock reads, in the order of the code; a kernel
 * without clock reads is one part. Each is compared, instruction by instruction, with a text:
 *
 *   "FFMA*32 | FFMA*96"        two timed parts, of 32 and 96 FFMA and nothing else
 *   "(STS LDS)*64"             64 times a store and a load
 *   "IADD3/VIADD*8"            either name will do
 *   "- | FFMA*32"              a first part that does not matter
 *
 * A name stands for itself and for itself with more modifiers: LDG for LDG.E.64. */
#ifndef MICRO_BODY_H
#define MICRO_BODY_H

#include "base/err.h"
#include "model/sass/sass.h"

#include <stdbool.h>

struct body {
    const char *parts;       /* as above; parts beyond those written are not looked at */
    const char *bookkeeping; /* names, separated by blanks, that may stand anywhere in between: loop counters,
                                addresses; null: none */
    bool any_order;   /* only how many of each there are matters: the compiler interleaves them as it likes */
    bool dependent;   /* each instruction must read a result of the one before */
    size_t bytes_max; /* the timed parts may not be larger than this: the smallest instruction cache */
};

enum {
    BODY_CACHE = 12 * 1024
}; /* first-level instruction cache, the smallest published for sm_75 to sm_120 */

/* ERR_FORMAT: "instruction 7 (0x0110) is MOV R1, R2: FFMA was meant". */
int body_check(const struct sass_code *code, const struct body *body, struct err *err);

/* Instructions of timed part `part`, from 0; 0 where there is none. `*calls`: whether one of them is a call. */
size_t body_count(bool *calls, const struct sass_code *code, size_t part);

#endif
