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

/* Puts names[k] of `count` there; where it is a word of C, C++ or of the header itself, with as many '_'
 * behind as make it a name that nothing else has. What it is called depends on names alone, never on values. */
void header_name_put(FILE *out, const char *const *names, size_t count, size_t k, enum header_place place);

#endif
