/* The rows of archs.def. */
#ifndef MODEL_SASS_ARCH_ROWS_H
#define MODEL_SASS_ARCH_ROWS_H

#include "model/sass/arch/arch.h"

#define ARCH(name) extern const struct arch arch_##name;
#include "model/sass/arch/archs.def"
#undef ARCH

#endif
