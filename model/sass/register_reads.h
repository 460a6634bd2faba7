/* What an instruction asks of the register file, whose banks deliver one register of a warp each a cycle:
 * measured, an FFMA with sources in one bank takes three cycles, with two of three in one bank two, and one
 * when the operand collector kept them (.reuse). Register r lies in bank r modulo their number.
 *
 * The collector keeps one register for each operand slot and bank, until another of that bank is read through
 * that slot: of 41,000 reuse flags of ptxas 13.0 the next such read is of the same register in 98 %, where
 * every second is by another kind of instruction in between; and an NVIDIA H200 executes LOP3 and FFMA in
 * turn, each with two of its registers kept, at the rate of issue (benchmarks/micro/README.md). Instructions
 * of the load/store and XU pipes read their registers by another way. */
#ifndef MODEL_REGISTER_READS_H
#define MODEL_REGISTER_READS_H

#include "model/sass/sass.h"

#include <stddef.h>
#include <stdint.h>

enum { REGISTER_BANKS = 2 };

/* Registers that instruction `index` of `code` reads from each bank, each once; what those before it, in the
 * order of the code, left in the collector is not read again. */
void register_reads(uint8_t out[REGISTER_BANKS], const struct sass *code, size_t index);

#endif
