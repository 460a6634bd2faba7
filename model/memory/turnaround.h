/* What turning between reads and writes costs DRAM.
 *
 * A copy is slower than reading and writing one after another: the bus turns around. How much slower depends
 * on how reads and writes come. Measured on an NVIDIA H200 with up to 16 arrays read and as many written: a
 * byte written costs as much more as in a copy while more is written than read, and up to twice that among
 * many reads; nothing where nothing is read. The more a warp reads before it writes, by one wide access
 * after another or from several arrays, the more it costs, however many warps there are; more with requests
 * of a single line, or with reads that L2 is to evict first; less with reads past L1. Writing lines that are
 * alone in their 256 bytes costs more by itself. */
#ifndef MODEL_TURNAROUND_H
#define MODEL_TURNAROUND_H

#include "model/machine/machine.h"
#include "model/memory/traffic.h"

/* How many times what a byte written costs DRAM in the copy that DEVICE_DRAM_COPY is of; what the profile
 * lacks makes no difference. */
double turnaround_cost(const struct machine *machine, const struct traffic *traffic);

/* What additions to memory take of DRAM beyond reading and writing it, in bytes that are written, per warp. The more is read
 * beside them the less. On an NVIDIA H200 (512 MB, ps a byte beyond what reads, writes and their turning take; 0, 1, 2, 4
 * other bytes read for each one added to): 0.32, 0.26, 0.21, 0.18 by atomics of lanes in a row; 0.23, 0.13, 0.06, 0.06 by copies
 * that add, of 2 to 16 KB. */
double turnaround_added(const struct machine *machine, const struct traffic *traffic);

#endif
