/* Straight code simulated by blocks of warps on the profile written by hand: 4 schedulers, LDS 29 cycles and one
 * wavefront a cycle, a barrier of two warps 21. */
#ifndef TESTS_UNIT_MODEL_SIMULATE_FIXTURE_H
#define TESTS_UNIT_MODEL_SIMULATE_FIXTURE_H

#include "model/sm/simulate.h"

enum { CODE = 600, ROUNDS = 9 };

struct fixture {
    struct device device;
    struct machine machine;
    struct sass code[CODE];
    struct traffic_count counts[CODE];
    struct sass_code sass;
    struct traffic traffic;
    struct replay_code ops;
    struct emulate_step steps[5];
    struct emulate_path path;
    struct emulate_result emulation;
    struct emulate_block block;
    const struct emulate_block *blocks[2];
    uint32_t paths[32];
    double slowed; /* see struct sm_input */
};

/* `waits`: a mask of scoreboards. */
struct sass fixture_plain(enum sass_op op, unsigned stall, unsigned waits);
/* 4 bytes a lane, which set scoreboard `sets`. */
struct sass fixture_load(enum sass_op op, enum sass_space space, unsigned sets);

/* The code is `count` - 1 times `with`, then EXIT. */
void fixture_fill(struct fixture *f, size_t count, struct sass with);
/* After the code stands: each of `count` instructions issued once, blocks of `warps` warps. */
void fixture_set_up(struct fixture *f, size_t count, unsigned warps);
/* Releases what fixture_set_up() made. Returns what sm_simulate() does. */
int fixture_try(struct sm_cycles *out, struct fixture *f, unsigned blocks, bool waves,
                const atomic_bool *stop);
struct sm_cycles fixture_simulate(struct fixture *f, unsigned blocks, bool waves);

#endif
