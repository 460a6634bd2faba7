#include "model/sass/sass_rate.h"

static const struct sass_rate rates[SASS_OP_COUNT] = {
    [SASS_UNKNOWN] = {SASS_RATE_NONE, "what it does: the decoder does not have it"},
#define RATE_TRAFFIC(op)            [SASS_##op] = {SASS_RATE_TRAFFIC, NULL},
#define RATE_MATRIX(op)             [SASS_##op] = {SASS_RATE_MATRIX, NULL},
#define RATE_ISSUE(op, reason)      [SASS_##op] = {SASS_RATE_ISSUE, reason},
#define RATE_SIMULATED(op, missing) [SASS_##op] = {SASS_RATE_SIMULATED, missing},
#define RATE_NONE(op, missing)      [SASS_##op] = {SASS_RATE_NONE, missing},
#include "model/sass/sass_rates.def"
};

struct sass_rate sass_rate(enum sass_op op)
{
    return rates[(unsigned)op < SASS_OP_COUNT ? op : SASS_UNKNOWN];
}
