/* The inside of variant_make: variant.c makes what is compiled, variant_launch.c what is launched. */
#ifndef SPACE_VARIANT_MAKER_H
#define SPACE_VARIANT_MAKER_H

#include "space/variant.h"

/* One variant in the making. Its functions return ERR_MEMORY with the error set, or ERR_USAGE with the
 * variant's outcome and message set. */
struct maker {
    struct variant *variant;
    const struct spec *spec;
    struct value *slots;
    struct err *err;
};

int make_launch(struct maker *maker, const struct spec_launch *from);
int make_arguments(struct maker *maker);

#endif
