/* What `occutune explain` shows of one variant, as text and as JSON. */
#ifndef TUNER_CLI_EXPLAIN_H
#define TUNER_CLI_EXPLAIN_H

#include "base/json.h"
#include "model/advice.h"
#include "model/expect.h"
#include "model/hidden_code.h"
#include "model/machine.h"

#include <stddef.h>
#include <stdio.h>

enum { EXPLAIN_CHAIN = 8 }; /* instructions of the latency chain shown, at most */

struct explained {
    const struct expectation *expectation; /* predicted, with its account */
    const struct machine *machine;
    struct advice advice[ADVICE_MOST];
    size_t advice_count;
    size_t chain[EXPLAIN_CHAIN]; /* indices of the instructions that are waited for most */
    size_t chain_count;
    struct hidden_code hidden; /* owned; empty where that model cannot say */
    struct hidden_time hidden_time;
    double *unhidden; /* owned: of each basic block, the share of its latency left unhidden */
};

int explained_init(struct explained *out, const struct expectation *expectation,
                   const struct machine *machine, struct err *err);
void explained_release(struct explained *explained);

void explained_print(FILE *out, const struct explained *explained);
struct json *explained_json(const struct explained *explained); /* null when memory ends */

/* The resources that are asked for, tightest first, at most RESOURCE_COUNT; returns how many. */
size_t explained_bounds(enum resource out[RESOURCE_COUNT], const struct throughput *throughput);

/* "cache hits are estimated from footprints, ..." for a set of enum predict_assumption. */
const char *explained_assumption(enum predict_assumption assumption);

#endif
