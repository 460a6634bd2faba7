/* How fast a GPU is at two things, in seconds of the calibration kernel: GPUs of one kind are compared by it. */
#ifndef GPU_PACE_H
#define GPU_PACE_H

struct gpu_pace {
    double arithmetic_s, memory_s; /* 0: not measured */
};

#endif
