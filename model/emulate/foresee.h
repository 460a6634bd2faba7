/* How much a block issues, foreseen: counted loops (sass/counted.h) are passed over at once, with as many iterations as
 * their registers say, each of which issues every instruction of the loop. What is executed says where they begin and end; so
 * a block costs little, however long it takes. What it issues is foreseen about, in proportion at best. */
#ifndef MODEL_EMULATE_FORESEE_H
#define MODEL_EMULATE_FORESEE_H

#include "model/emulate/signature.h"
#include "model/sass/counted.h"

/* Of loops within each other, which are passed over: where the outer ones are it costs less; lengths may be those of the inner. */
enum foresight_loops { FORESIGHT_OUTER, FORESIGHT_INNER };

struct foresight {
    struct sass_counted *loops; /* owned */
    size_t count;
    uint32_t *next; /* the loop that begins at an instruction or behind it, `count` for none; owned */
    bool *moves;    /* whether an instruction of them moves a register by the same in each iteration, ... */
    struct sass_operand *by; /* ... and by what: sass_counted_moves(); both owned */
};

/* To be closed in either case. ERR_MEMORY. */
int foresight_open(struct foresight *out, const struct emulation *emulation, enum foresight_loops which,
                   struct err *err);
void foresight_close(struct foresight *foresight);

/* What the block at `position` issues, foreseen, and what that cost in instructions; leaves nothing behind. *known is false where
 * it cannot be said. */
int foresee(double *issued, uint64_t *cost, bool *known, struct signer *signer,
            const struct foresight *foresight, const unsigned position[3], struct err *err);

/* While foreseeing: lets a group that comes to a counted loop go on behind it, unless nobody knows how long that lasts. */
void foresee_loops(struct emulation *emulation, struct warp *warp, struct group *group);

#endif
