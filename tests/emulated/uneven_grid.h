/* Grids of one, two and three dimensions whose blocks do unequal work, drawn at random, for the tests of samples
 * of them. Failures fail the test. */
#ifndef TESTS_UNEVEN_GRID_H
#define TESTS_UNEVEN_GRID_H

#include "compiled.h"
#include "model/memory/traffic.h"

struct grid {
    struct compiled compiled;
    struct launch launch;
    struct argument arguments[5]; /* out, in, length, count, step */
    int32_t count, step;
    char text[200]; /* which it is */
};

/* A GPU like an H200, of which eight blocks fit on an SM. */
extern const struct traffic_caches grid_caches;

/* Numbers at random, the same for the same seed. */
struct draws {
    uint64_t seed, at;
};
unsigned draw(struct draws *draws, unsigned least, unsigned most);

/* Compiles a kernel of tests/emulated/SOURCE. */
void grid_compile(struct grid *grid, const char *source, const char *name, const char *const *options,
                  size_t option_count);
/* Draws a launch, with buffers of so many elements and one of three kinds of loaded lengths. To be released. */
void grid_draw(struct grid *grid, const char *name, struct draws *draws, uint64_t out, uint64_t in);
/* Other loaded lengths for the launch. */
void grid_set_lengths(struct grid *grid, const char *expression);
void grid_release_launch(struct grid *grid);
void grid_release(struct grid *grid);

/* The sample, or all blocks, within a budget that may end it; without one, 0, it has to be done. */
void grid_run(struct emulate_result *out, const struct grid *grid, bool whole, uint64_t budget);

/* Adds sectors to a set. */
void grid_unite(struct footprint *out, const struct footprint *from);
/* What all blocks touch, each sector once. To be released. */
void grid_touched(struct footprint *read, struct footprint *written, const struct emulate_result *whole);

#endif
