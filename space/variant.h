/* A variant: what one configuration is compiled with and how it is launched. The only place that evaluates
 * the spec's expressions for launches and arguments. */
#ifndef SPACE_VARIANT_H
#define SPACE_VARIANT_H

#include "base/err.h"
#include "launch/launch.h"
#include "launch/outcome.h"
#include "space/spec.h"

#include <stddef.h>
#include <stdint.h>

struct variant {
    const char *source_path; /* borrowed from the spec */
    char *name;              /* plain, or an NVRTC name expression with the parameters' values in it */
    char **options;          /* the spec's options, then each parameter's in order; without -arch */
    size_t option_count;
    size_t tuned_count;   /* the last of them: the parameters' */
    enum outcome outcome; /* OUTCOME_OK; OUTCOME_LIMITS: this configuration has no launch on any device;
                             OUTCOME_CONSTRAINT: it has no objective */
    char message[512];    /* why, when not ok: "launch.grid[0]: ceil_div(N, 0): column 1: division by zero" */
    double weight;        /* of a second: see spec_weight */
    struct launch launch; /* when ok; fills are not prepared: see launch_prepare */
};

/* Fixes every value for a configuration of problem `problem`. What is this configuration's own fault (a grid
 * of 0, a negative length, an overflow) is its outcome; the only error is ERR_MEMORY. */
int variant_make(struct variant *out, const struct spec *spec, size_t problem, const unsigned *choices,
                 struct err *err);

/* The launch geometry alone, for a program that brings its own arguments: grid, block, shared memory and
 * carve-out at any problem sizes, `spec->size_count` values in the spec's order. The outcome is OUTCOME_OK;
 * OUTCOME_CONSTRAINT where the configuration is not valid at these sizes; or OUTCOME_LIMITS. The only error
 * is ERR_MEMORY. */
int variant_geometry(struct variant *out, const struct spec *spec, const struct value *sizes,
                     const unsigned *choices, struct err *err);

/* The reference kernel (spec->reference.kind REFERENCE_KERNEL) for the arguments of configuration `choices`,
 * launched by problem sizes only. It has the spec's options and, so that it may stand in the kernel's own
 * file, the macros of the one configuration `compiled`: the default, so that one compilation serves all.
 * Parameters that are compiler options do not touch it. */
int variant_reference(struct variant *out, const struct spec *spec, size_t problem, const unsigned *compiled,
                      const unsigned *choices, struct err *err);

void variant_release(struct variant *variant);

/* Hash of the source text, the name and the options: what is compiled. Reads the file: ERR_SYSTEM when it
 * cannot. */
int variant_source_hash(uint64_t *out, const struct variant *variant, struct err *err);

#endif
