/* The instruction that is being read: what sass_decode.c, sass_operand.c and sass_access.c share. */
#ifndef MODEL_SASS_READER_H
#define MODEL_SASS_READER_H

#include "model/sass/sass_table.h"

struct reader {
    struct sass *out;
    const struct arch *arch;
    const struct encoding *encoding;
    unsigned form;
    unsigned port; /* operand slot of the collector that the next source goes through: 0, 1, 2 */
};

enum { READER_REGISTER_BITS = 8 };

/* Marks bits as read. */
void reader_claim(struct reader *r, unsigned lo, unsigned width);

/* The operand that a slot of the encoding describes. */
void reader_slot(struct reader *r, struct sass_operand *operand, const struct slot *slot);

/* Reads bits and marks them. */
uint64_t reader_take(struct reader *r, unsigned lo, unsigned width);

/* The number of the uniform register at `lo`, SASS_URZ for none. */
uint8_t reader_uniform(struct reader *r, unsigned lo);

/* Reads the memory access that the encoding describes, after the modifiers. */
void reader_access(struct reader *r);

int64_t sass_sign_extend(uint64_t value, unsigned width);

/* Bytes of a value of an enum sass_type in registers: at least 4. */
unsigned sass_type_bytes(unsigned type);

#endif
