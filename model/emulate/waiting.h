/* Loops that wait for what another block stores (model/sass/spin.h). A block that is executed without the others would wait
 * there for ever: it goes on when no other warp of its own can do anything, and what it has loaded stays unknown. */
#ifndef MODEL_EMULATE_WAITING_H
#define MODEL_EMULATE_WAITING_H

#include "model/sass/spin.h"

#include <stdbool.h>
#include <stdint.h>

enum { WAITING_LOOPS = 16 };

struct waiting {
    struct sass_spin loops[WAITING_LOOPS];
    unsigned count;
};

struct emulation;
struct group;
struct warp;

/* Finds the loops of sliced code, and marks the branches back: TRAIT_WAITS. */
void waiting_find(struct emulation *emulation, const struct sass_code *code);
/* The group took the marked branch `back`. */
void waiting_note(struct emulation *emulation, struct warp *warp, struct group *group, uint32_t back);
/* Nothing of the block can run any more: whether some group waited, and goes on. */
bool waiting_end(struct emulation *emulation);

#endif
