/* Kinds of GPU, for environment.c. */
#ifndef TUNER_EVALUATE_ENVIRONMENT_KINDS_H
#define TUNER_EVALUATE_ENVIRONMENT_KINDS_H

#include "tuner/evaluate/environment.h"

/* Unless it is there. */
int environment_add_kind(struct environment *environment, const struct device *device, struct err *err);

/* Adds those elsewhere. Where one GPU is named (`named`), its kind is the only one. */
int environment_find_kinds(struct environment *environment, bool named, struct err *err);

/* Tells the workers elsewhere, if there are any, what kinds there are, and how fast those usually are. */
int environment_tell_fleet(struct environment *environment, struct err *err);

#endif
