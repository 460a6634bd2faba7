/* Which GPUs of a kind are as fast as the others. */
#ifndef TUNER_REMOTE_PACE_H
#define TUNER_REMOTE_PACE_H

#include "gpu/pace.h"

#include <stdbool.h>
#include <stddef.h>

/* How much slower a GPU is than another at what differs most, as a part of the other's time: 0.05, -0.01. 0 where one
 * of the two was not measured. */
double pace_difference(const struct gpu_pace *pace, const struct gpu_pace *than);

/* Differs by more than 3 %. */
bool pace_is_off(const struct gpu_pace *pace, const struct gpu_pace *than);

/* The pace that most of them agree with; of two equally large groups the faster one's. Zeros for none. */
struct gpu_pace pace_usual(const struct gpu_pace *paces, size_t count);

#endif
