/* What one period of a loop did, for emulate/steady.c: accesses and operands of comparisons with what they
 * advance by from period to period. An access in a loop inside that is in steady state is one record: see
 * emulate/fold.c. */
#ifndef MODEL_EMULATE_RECORD_H
#define MODEL_EMULATE_RECORD_H

#include "model/emulate/access.h"
#include "model/emulate/alu.h"

enum { RECORD_OPERANDS = 3, RECORD_RANKS = RECORD_OPERANDS - 1, RECORD_MOST = 1 << 14 };

struct record {
    const struct sass *i;
    uint32_t mask;
    bool access;    /* its operands: the address, then what that advances by in each loop inside, */
    bool fixed;     /* of which none must move */
    bool wanders;   /* it does not advance evenly, see emulate/wander.h */
    uint8_t second; /* which of the instruction's accesses */
    unsigned width;
    uint8_t space;
    unsigned rank;                /* loops inside, the innermost first, */
    uint64_t times[RECORD_RANKS]; /* and their periods */
    unsigned operand_count;
    uint64_t value[RECORD_OPERANDS][LANES]; /* in period 0 */
    uint64_t delta[RECORD_OPERANDS][LANES]; /* from one period to the next */
};

struct record_run {
    uint32_t first, end;
    uint64_t times;
};

/* What is seen of an instruction: its mask and operands, in values[k][lane]. */
struct execution {
    const struct sass *i;
    uint32_t mask;
    unsigned operand_count;
    const uint64_t (*values)[LANES];
    bool access, fixed;
    uint8_t second, space;
    unsigned width, rank;
    uint64_t times[RECORD_RANKS];
};

void record_first(struct record *out, const struct execution *execution);
/* What the record is of, without values. */
struct execution record_execution(const struct record *record);

/* Whether what is seen now is the same as `record`, `periods` periods later; sets the advance if `learn`. */
bool record_follows(struct record *record, const struct execution *execution, uint64_t periods, bool learn);

/* Whether the same is done, but elsewhere or with other numbers. */
bool record_is_alike(const struct record *record, const struct execution *execution);

/* The first period, from 1 on, in which the instruction could set a predicate otherwise than in period 0;
 * UINT64_MAX when never, or when it wanders. 0: not known. */
uint64_t record_horizon(const struct record *record);

/* Counts the access in the periods first to first + count - 1. */
int record_count(struct emulation *emulation, const struct record *record, uint64_t first, uint64_t count);

/* Periods of the loops inside, all together: 1 where there are none. How far lane l's address is, in the nth of
 * them, from that in the first. */
uint64_t record_inside(const struct record *record);
uint64_t record_offset(const struct record *record, unsigned lane, uint64_t n);

/* What the record accesses, without addresses; and those of one of the periods, and of the loops inside in one of theirs. */
struct request record_request(const struct record *record);
void record_address(struct request *out, const struct record *record, uint64_t period, uint64_t inside);

/* Marks what an access touches in `count` periods, the first at the request's addresses, its lanes moving on
 * by `step`. */
int record_mark_moving(struct emulation *emulation, const struct request *request, int64_t step,
                       uint64_t count);

/* The same of `length` bytes from `first` on. */
int record_mark_stretch(struct emulation *emulation, const struct request *request, uint64_t first,
                        uint64_t length, int64_t step, uint64_t count);

#endif
