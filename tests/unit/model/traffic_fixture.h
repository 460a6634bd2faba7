/* One block of one warp: two loads of 4 bytes a lane and a store, as the permutation kernel has them (Volkov,
 * 3.10): an index, the gathered element, the result. */
#ifndef TESTS_UNIT_TRAFFIC_FIXTURE_H
#define TESTS_UNIT_TRAFFIC_FIXTURE_H

#include "model/memory/traffic.h"

enum { INDEX, GATHER, BETWEEN /* counted for nothing */, STORE, INSTRUCTIONS };

struct fixture {
    struct sass code[INSTRUCTIONS];
    struct sass_code sass;
    struct emulate_count counts[INSTRUCTIONS];
    struct emulate_touch touches[INSTRUCTIONS];
    struct emulate_region regions[3];
    struct emulate_step steps[2]; /* of the first path; the second has none */
    struct emulate_path way, ways[2];
    uint32_t paths[32]; /* of warps */
    struct emulate_block block;
    struct emulate_result result;
    struct argument arguments[3];
    struct launch launch;
    struct traffic_caches caches;
};

/* So many requests of a word a lane, one after another: sectors and lines that they touch, counted for each, and passes. */
struct emulate_count fixture_requests(unsigned requests, unsigned sectors, unsigned lines, unsigned passes);

/* An access of 4 bytes a lane to global memory; `how`: SASS_READS, SASS_WRITES. */
struct sass fixture_access(enum sass_op op, unsigned how);

/* `stride`: bytes between the elements that neighbouring lanes gather. */
void fixture_set_up(struct fixture *f, unsigned stride);
void fixture_tear_down(struct fixture *f, struct traffic *traffic);

/* What the block moves by traffic_of(). */
struct traffic fixture_find(struct fixture *f);

#endif
