/* The tuning spec: one JSON file, read and checked. Everything that can be wrong with it before a
 * configuration is chosen is found here; errors read `FILE: parameters.TILE_M[2]: message with a remedy` and
 * are ERR_USAGE. Its fields:
 *
 * - kernel: {file, name, options}: file beside the spec; name a plain name, or an NVRTC name expression in
 *   which parameters stand for their values; options for every compile
 * - parameters: {NAME: [values] or {values, option, macro, description}}: integers, reals, true/false or
 *   strings; a macro -DNAME=value (true is 1), unless it has an `option`: true adds the option as it is, false
 *   nothing; numbers and strings replace the % in it ("--maxrregcount=%"); or unless `macro` is false: then
 *   the compiler does not see it
 * - default: {NAME: value or expression over the sizes}: where the search starts; what is not named has its
 *   first listed value
 * - constraints: [expressions over parameters and problem sizes]: true or false
 * - configurations: [[a value for each parameter, in their order]]: no others are valid
 * - problem: {NAME: number or expression over the sizes before it}, or a list of such objects with the same
 *   names
 * - launch: {grid, block, cluster: lists of 1 to 3 expressions; shared, carveout: expressions; cooperative,
 *   programmatic: conditions}
 * - arguments: in the kernel's order, symbols anywhere. A scalar is {scalar: type, value: expression; name},
 *   {scalar: "bytes", value: hexadecimal text; name}, or {scalar: "struct", fields: [scalars]; name}, laid
 *   out as in C, a field {pointer: BUFFER} among them; {buffer: type, name, length: expression, fill, role: in
 *   (default), inout, out or scratch, compare: {sum, min or max: expression}: as so many elements, each of all the
 *   elements at its place in the parts of that length, passed: false for one reached through others alone}; {symbol: name,
 *   type, length: expression, fill}; {tensor_map: BUFFER, dimensions, box, strides, element_strides: lists of
 *   expressions; offset, interleave, swizzle, l2_promotion: expressions; type; fill: zero or nan}
 * - fill of an argument: {uniform: [low, high]}, {normal: [mean, deviation]}, {constant: x}, {expression:
 *   text} or {file: "x.npy"}, with `seed` (default: the argument's position, from 1); every `in` and `inout`
 *   buffer has one
 * - reference: {file, name, launch} of a kernel with the same arguments, or with those that `arguments`
 *   names, its launch over problem sizes only, and over what `sizes`
 *   gives it: {NAME: expression over problem sizes}, numbers in place of parameters and problem sizes, in its
 *   launch, its arguments and its macros; {files: {BUFFER: "x.npy"}}, or a list of
 *   these, one for each problem; a result that is not named is not compared;
 *   the text "none", nothing is compared; or no such field: then the default configuration's result
 * - tolerance: {relative, absolute}: default 1e-5 and 1e-8, for floating-point outputs
 * - cache: "warm" (default) or "cold"
 * - metrics: {NAME: expression over parameters, problem sizes, `time` in seconds and `energy` in joules}
 * - objective: {minimize: expression} or {maximize: expression} over the same, or the name of a metric; one
 *   without `energy` is proportional to `time` if minimized, to its inverse if maximized. Or "time" (the default),
 *   "energy" or "energy-delay", their product
 * - description: text */
#ifndef SPACE_SPEC_H
#define SPACE_SPEC_H

#include "base/err.h"
#include "launch/expr.h"
#include "base/json.h"
#include "launch/launch.h"
#include "space/listed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPEC_PARAMETERS_MAX 256 /* parameters of a spec */

/* Strings are borrowed from the document and expressions own themselves; all is freed by spec_release. */
struct spec_kernel {
    char *path; /* the source file, found from the spec's directory */
    const char *name;
    const char **options;
    size_t option_count;
};

struct spec_parameter {
    const char *name;
    struct value *values;    /* distinct */
    size_t value_count;      /* at least 1 */
    const char *option;      /* null: a macro */
    bool hidden;             /* nor that: the compiler does not see it */
    const char *description; /* or null */
};

struct spec_launch {
    struct expr *grid[3], *block[3];         /* null: 1 */
    struct expr *shared;                     /* bytes; null: 0 */
    struct expr *carveout;                   /* per cent; null: left to the driver */
    struct expr *cluster[3];                 /* null: 1 */
    struct expr *cooperative, *programmatic; /* conditions; null: false */
};

struct spec_tensor_map {
    const char *buffer;
    size_t index; /* of the buffer among the arguments */
    bool typed;   /* it has a type of its own */
    enum tensor_type type;
    size_t rank;
    struct expr *dimensions[TENSOR_RANK_MOST], *box[TENSOR_RANK_MOST]; /* null from the rank on */
    struct expr *strides[TENSOR_RANK_MOST - 1];                        /* bytes; null: packed */
    struct expr *element_strides[TENSOR_RANK_MOST];                    /* null: 1 */
    struct expr *offset, *interleave, *swizzle, *l2;                   /* bytes; null: 0 */
    enum tensor_fill fill;
};

struct spec_argument {
    enum argument_kind kind;
    const char *name;             /* null for a scalar without one */
    enum element_type type;       /* not for bytes and structs */
    const char *bytes;            /* scalar of raw bytes: hexadecimal text, else null */
    struct spec_argument *fields; /* scalar that is a struct: its fields, scalars too; else null */
    size_t field_count;
    struct expr *value; /* scalar: its value; buffer and symbol: its length */
    enum role role;
    struct fill fill;                   /* expression and path owned; names and values empty */
    enum reduction reduction;           /* buffer that is a result ... */
    struct expr *kept;                  /* ... its elements after that; null without */
    struct expr *fill_value;            /* FILL_EXPRESSION: the text parsed over `names` and i */
    bool passed;                        /* buffer: a parameter of its own */
    const char *pointer;                /* field of a struct: the buffer whose address it is; else null */
    size_t pointed;                     /* which argument that is */
    struct spec_tensor_map *tensor_map; /* of that kind, else null */
};

/* What the reference takes a name for: a parameter, or a problem size. */
struct spec_size {
    size_t slot;
    struct expr *value; /* over problem sizes */
};

enum spec_reference_kind { REFERENCE_DEFAULT, REFERENCE_KERNEL, REFERENCE_FILES, REFERENCE_NONE };

struct spec_reference {
    enum spec_reference_kind kind;
    struct spec_kernel kernel; /* REFERENCE_KERNEL; its options are the kernel's */
    struct spec_launch launch;
    size_t *passed; /* REFERENCE_KERNEL: which arguments it takes, in its order; null: the kernel's own */
    size_t passed_count;
    struct spec_size *sizes; /* REFERENCE_KERNEL: in place of the configuration's and the problem's */
    size_t size_count;
    const char **buffers; /* REFERENCE_FILES: buffer names and the .npy file of each */
    char **paths;
    size_t file_count; /* of all problems */
    size_t *file_from; /* of problem k: those from file_from[k] to file_from[k + 1]; null: all, of each */
};

/* What is measured of a launch, and what expressions call it: `time`, `energy`. They have the slots behind
 * name_count, in this order. */
enum { SPEC_MEASURED = 2 };
struct spec_measured {
    double time_s, energy_j; /* energy NaN or 0: not known */
};

struct spec_metric {
    const char *name;
    struct expr *value; /* over `names` and what is measured */
};

struct spec_objective {
    enum { OBJECTIVE_TIME, OBJECTIVE_MINIMIZE, OBJECTIVE_MAXIMIZE } kind;
    struct expr *value; /* like a metric's; null: the time itself */
    bool energy;        /* it depends on the energy */
};

struct spec {
    char *path;      /* as given */
    char *directory; /* of it; file names in the spec start there */
    struct json *document;
    uint64_t hash;             /* of the spec's content, overrides included */
    const char *description;   /* or null */
    struct spec_kernel kernel; /* path null when the file is a space only */
    struct spec_parameter *parameters;
    size_t parameter_count; /* at least 1 */
    unsigned *defaults;     /* see spec_default */
    bool has_default;
    struct expr **constraints;
    size_t constraint_count;
    struct listing listed;
    const char **names; /* what expressions may use: parameters, then problem sizes */
    size_t name_count;
    size_t size_count;       /* problem sizes: names[parameter_count] .. */
    struct value **problems; /* problems[k][s]: value of size s in problem k; see drop_repeated_problems() */
    size_t *problem_places;  /* where each stands in the list of the file */
    size_t problem_count;    /* at least 1; the one problem has no sizes when the spec has none */
    struct spec_launch launch;
    struct spec_argument *arguments;
    size_t argument_count;
    struct spec_reference reference;
    double relative, absolute;
    bool cold; /* cache: "cold" */
    struct spec_metric *metrics;
    size_t metric_count;
    struct spec_objective objective;
    bool energy; /* it, or a metric, asks for the energy */
};

enum spec_part {
    SPEC_WHOLE,
    SPEC_SPACE /* kernel, launch and arguments may be missing: a space to count, nothing to run */
};

/* Reads and checks a spec. `sets[0..set_count)` are overrides of problem sizes, "M=1024" or "M=2*N", each
 * applied to every problem (`--set`). On failure `out` is empty. */
int spec_read(struct spec *out, const char *path, enum spec_part part, const char *const *sets,
              size_t set_count, struct err *err);

/* The same from memory; `path` names the text in messages and says where its files are. */
int spec_read_text(struct spec *out, const char *text, size_t length, const char *path, enum spec_part part,
                   const char *const *sets, size_t set_count, struct err *err);
void spec_release(struct spec *spec); /* also an empty one */

/* Fills slots[0 .. name_count) for evaluating the spec's expressions; `choices` null leaves the parameters
 * alone. */
void spec_slots(struct value *slots, const struct spec *spec, size_t problem, const unsigned *choices);

/* Where the search of a problem starts: a choice for every parameter; satisfies the constraints if
 * has_default. */
const unsigned *spec_default(const struct spec *spec, size_t problem);

/* The first numeric parameter of which the reference kernel has two values: the default's among its macros, that of
 * `choices` in the length, value or fill of an argument. Null: there is none. */
const char *spec_reference_split(const struct spec *spec, size_t problem, const unsigned *choices);

/* "M=4096 N=4096 K=4096" as snprintf does; empty without sizes. */
int spec_problem_text(char *out, size_t size, const struct spec *spec, size_t problem);

/* "problem[2] (N=0)": where it stands in the file, for messages. */
void spec_problem_place(char *out, size_t size, const struct spec *spec, size_t problem);

/* Fills the slots behind name_count. */
void spec_put_measured(struct value *slots, const struct spec *spec, struct spec_measured measured);

/* A metric of what was measured; fails where its expression does, or asks for an energy that is not known. */
int spec_metric(double *out, const struct spec *spec, size_t metric, size_t problem, const unsigned *choices,
                struct spec_measured measured, struct err *err);

/* What a second of the configuration in `slots` weighs (see spec_slots): of two configurations the one with
 * the smaller product of weight and time is better. 1 where the objective is the time. ERR_USAGE where the
 * objective has no value above 0, or is not proportional to the time (minimized) or its inverse (maximized). Of an
 * objective that depends on the energy there is no weight before it is measured: this is that of 1 s and 1 J. */
int spec_weight(double *out, const struct spec *spec, const struct value *slots, struct err *err);

/* The weight that makes a product with the time the cost of what was measured, in an objective that depends on the
 * energy. ERR_USAGE where it has no value above 0. */
int spec_measured_weight(double *out, const struct spec *spec, size_t problem, const unsigned *choices,
                         struct spec_measured measured, struct err *err);

/* Takes the objective "time", "energy" or "energy-delay" in place of the spec's. ERR_USAGE: another name, or the spec
 * gives `energy` or `time` to something of its own. */
int spec_set_objective(struct spec *spec, const char *name, struct err *err);

/* The objective's value from a configuration's weight and time. */
double spec_objective(const struct spec *spec, double weight, double time_s);

#endif
