/* What a prediction had to assume, in words, and which of it matters most. */
#include "tuner/cli/explain.h"

/* What of the time an assumption touches. */
enum touched { ALL, MEMORY, LATENCY, THROUGHPUT, BOUND };

/* In the order in which they were seen to move estimates: by a factor, by what is executed, by what is touched in memory, by
 * rates. The lower bound comes last: its own line says that it is not proved. */
static const struct assumed {
    enum predict_assumption is;
    enum touched touched;
    const char *text;
} table[] = {
    {PREDICT_ASSUMED_POLLING, ALL,
     "a loop waits for what other blocks store: for how long is not simulated, and the time may be several "
     "times the "
     "estimate"},
    {PREDICT_ASSUMED_WHEREABOUTS, ALL,
     "a branch depends on a clock, or on the SM or the place on it where a warp runs, which the model does "
     "not know"},
    {PREDICT_ASSUMED_STORED, ALL,
     "a branch depends on memory that other blocks write: each block was taken to see what was there before "
     "the launch"},
    {PREDICT_ASSUMED_PUBLISHED, ALL,
     "the device profile holds values published or of another GPU, not measured on this one"},
    {PREDICT_ASSUMED_SKIPS, ALL,
     "a branch or a guard depends on what cannot be known, such as results of tensor cores; it was taken to "
     "skip what it can"},
    {PREDICT_ASSUMED_PARTED, ALL,
     "some lanes leave a loop before others, which give way (YIELD); all were taken to meet there again"},
    {PREDICT_ASSUMED_ATOMIC, ALL,
     "a branch depends on an atomic's answer, which was taken from one block alone"},
    {PREDICT_ASSUMED_TICKETS, ALL,
     "a counter hands out work: each number goes to one block, to all resident blocks in turn"},
    {PREDICT_ASSUMED_ARRIVALS, ALL,
     "the block that comes last to a counter does more: of the n blocks that meet at one, each nth of the "
     "grid is it"},
    {PREDICT_ASSUMED_CLUSTERS, ALL,
     "blocks of a cluster do different things, and were simulated as if all did what one does"},
    {PREDICT_ASSUMED_EQUAL_BLOCKS, ALL, "blocks differ, and only a sample was looked at"},
    {PREDICT_ASSUMED_CLUSTER_SMS, ALL,
     "how many clusters of this size run at a time was not measured on this GPU: as many as its SMs hold"},
    {PREDICT_ASSUMED_CLUSTER_COUNT, ALL,
     "as many clusters of this size run at a time as on the GPU of the profile; another one, of its kind "
     "too, may run "
     "fewer"},
    {PREDICT_ASSUMED_SHARING, MEMORY,
     "how much of what blocks touch in memory is the same is estimated from some of them"},
    {PREDICT_ASSUMED_WANDERING, MEMORY,
     "some addresses in long loops are loaded or uneven, and only some iterations were looked at"},
    {PREDICT_ASSUMED_COPIES, MEMORY,
     "copies of neighbouring blocks are answered together by L2, those of others wait their share"},
    {PREDICT_ASSUMED_PARTS, MEMORY,
     "DRAM brings the rest of sectors that are written in part: as many as if any elements were left out"},
    {PREDICT_ASSUMED_HIT_RATE, MEMORY, "cache hits are estimated from footprints"},
    {PREDICT_ASSUMED_LATENCY, LATENCY,
     "some instructions' latencies were never measured and taken from their pipe"},
    {PREDICT_ASSUMED_TABLES, LATENCY,
     "how many loads from tables in constant memory miss depends on whether warps keep in step, which is not "
     "modelled"},
    {PREDICT_ASSUMED_ONE_PLACE, THROUGHPUT,
     "at how many places the lanes of some loads from constant memory (LDC) read is not known, or not what "
     "that costs on this GPU: one place is assumed, or an issue slot alone"},
    {PREDICT_ASSUMED_CONSTANTS, LATENCY,
     "what loads from constant memory at places that differ among lanes (LDC) miss goes by the bytes of "
     "tables that sampled "
     "blocks read, and where the profile does not say how many a cache keeps they never miss"},
    {PREDICT_ASSUMED_CLOCK, THROUGHPUT,
     "what tensor cores and the power limit leave of the clock was not measured on this GPU; where the "
     "profile says "
     "nothing of it, the full clock is assumed"},
    {PREDICT_ASSUMED_CAPACITY, THROUGHPUT,
     "some instructions' rates were never measured and taken from NVIDIA's tables"},
    {PREDICT_LIKELY_BLOCKS, BOUND,
     "the lower bound is not proved: of some blocks only others, or a few of their warps, tell what "
     "they do"},
    {PREDICT_LIKELY_ADDRESSES, BOUND,
     "the lower bound is not proved: of addresses in long loops only a sample tells how many sectors they "
     "touch"},
};
enum { ROWS = sizeof table / sizeof *table };

const char *explained_assumption(enum predict_assumption assumption)
{
    for (size_t r = 0; r < ROWS; r++)
        if (table[r].is == assumption)
            return table[r].text;
    return "";
}

/* What sets the time: latency, a level of memory, or something else that has a rate. */
static enum touched what_limits(enum limited_by limited, enum resource limiter)
{
    if (limited == LIMITED_LATENCY)
        return LATENCY;
    return limiter >= RESOURCE_L1_DATA && limiter <= RESOURCE_LOADS_IN_FLIGHT ? MEMORY : THROUGHPUT;
}

/* The first that touches what limits the time, else the first; ROWS where nothing is assumed. */
static size_t matters_most(unsigned assumptions, enum limited_by limited, enum resource limiter)
{
    const enum touched limits = what_limits(limited, limiter);
    size_t first = ROWS;

    for (size_t r = 0; r < ROWS; r++) {
        if (!(assumptions & table[r].is))
            continue;
        if (table[r].touched == ALL || table[r].touched == limits)
            return r;
        first = first < ROWS ? first : r;
    }
    return first;
}

const char *explained_most(unsigned assumptions, enum limited_by limited, enum resource limiter)
{
    const size_t most = matters_most(assumptions, limited, limiter);

    return most < ROWS ? table[most].text : NULL;
}

void explained_put_assumed(FILE *out, const struct prediction *p, bool verbose)
{
    const size_t most = matters_most(p->assumptions, p->limited_by, p->limiter);
    unsigned count = 0;

    if (most == ROWS)
        return;
    for (size_t r = 0; r < ROWS; r++)
        count += (p->assumptions & table[r].is) != 0;
    fprintf(out, "  assumed     %s", table[most].text);
    if (count > 1 && !verbose)
        fprintf(out, " (matters most of %u; all: --verbose)", count);
    fprintf(out, "\n");
    for (size_t r = 0; verbose && r < ROWS; r++)
        if (r != most && p->assumptions & table[r].is)
            fprintf(out, "              %s\n", table[r].text);
}
