/* The rows that arch.c lists. */
#ifndef MODEL_SASS_ARCH_ROWS_H
#define MODEL_SASS_ARCH_ROWS_H

#include "model/sass/arch/arch.h"

extern const struct arch arch_sm_75, arch_sm_80, arch_sm_86, arch_sm_89, arch_sm_90, arch_sm_100, arch_sm_103,
    arch_sm_120;

#endif
