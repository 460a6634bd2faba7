/* The microbenchmarks' CUDA sources, compiled into the program: name and text. Made by the build from *.cu,
 * *.cuh. */
#ifndef MICRO_SOURCES_H
#define MICRO_SOURCES_H

#include <stddef.h>

struct micro_source {
    const char *name, *text;
};
extern const struct micro_source micro_sources[];
extern const size_t micro_source_count;

#endif
