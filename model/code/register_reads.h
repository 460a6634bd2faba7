/* What an instruction asks of the register file, whose banks deliver one register of a warp each a cycle:
 * measured, an FFMA with sources in one bank takes three cycles, with two of three in one bank two, and one
 * when the operand collector kept them (.reuse). Register r lies in bank r modulo their number. */
#ifndef MODEL_REGISTER_READS_H
#define MODEL_REGISTER_READS_H

#include "model/code/sass.h"

#include <stdint.h>

enum { REGISTER_BANKS = 2 };

/* Registers read from each bank, each once; what `previous` (null: none), the instruction before it in the
 * code, left in the same operand's collector is not read again. */
void register_reads(uint8_t out[REGISTER_BANKS], const struct sass *previous, const struct sass *instruction);

#endif
