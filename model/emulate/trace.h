/* The instructions a warp executes, folded as they come: when a backward branch closes an iteration equal to
 * the one before it, the two become a loop. */
#ifndef MODEL_EMULATE_TRACE_H
#define MODEL_EMULATE_TRACE_H

#include "base/err.h"
#include "model/emulate/emulate.h"

struct trace_loop {
    uint32_t target; /* instruction the backward branch leads to */
    size_t header;   /* step that says how often; its body follows, then the iteration in progress */
};

/* A zeroed struct is the empty trace. */
struct trace {
    struct emulate_step *steps;
    size_t count, capacity;
    struct trace_loop *loops; /* those being executed, outermost first */
    size_t loop_count, loop_capacity;
    uint32_t first, next; /* straight run in progress: instructions first to next - 1 */
    bool cut;             /* grew beyond TRACE_MOST steps */
};

enum { TRACE_MOST = 1 << 16 };

void trace_release(struct trace *trace);
void trace_clear(struct trace *trace);
/* Instructions first to end - 1 were executed. */
int trace_run(struct trace *trace, uint32_t first, uint32_t end, struct err *err);
/* The branch just executed leads back to `target`: loops between the two are inside this one. */
int trace_back(struct trace *trace, uint32_t branch, uint32_t target, struct err *err);
/* How often in a row the loop of the last trace_back went the same way; and that it did so more often. */
uint64_t trace_repeats(const struct trace *trace);
void trace_repeat(struct trace *trace, uint64_t times);
/* Ends the run in progress and returns the hash of all steps. */
int trace_finish(uint64_t *hash, struct trace *trace, struct err *err);

#endif
