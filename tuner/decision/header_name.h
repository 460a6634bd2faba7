/* Names of the user's, parameters and problem sizes, as they stand in a generated header. Part of header. */
#ifndef TUNER_DECISION_HEADER_NAME_H
#define TUNER_DECISION_HEADER_NAME_H

#include <stddef.h>
#include <stdio.h>

enum header_place {
    HEADER_MACRO,   /* behind the kernel's name */
    HEADER_FIELD,   /* of the configuration's struct */
    HEADER_ARGUMENT /* of the lookup */
};

/* Macros of the standard library, such as NULL and errno, whose names no field or argument can have where they are
 * defined; a blank between two. */
extern const char header_macros[];

/* Puts names[k] of `count` there; where it is a word of C or C++, a macro of the C library or a name of the header
 * itself, with as many '_' behind as make it a name that nothing else has. What it is called depends on names
 * alone, never on values. */
void header_name_put(FILE *out, const char *const *names, size_t count, size_t k, enum header_place place);

#endif
