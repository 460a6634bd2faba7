/* A configuration is one choice per parameter: `unsigned choices[spec->parameter_count]`, where parameter p
 * has the value spec->parameters[p].values[choices[p]]. Here it is turned into text and JSON, and back. */
#ifndef SPACE_CONFIGURATION_H
#define SPACE_CONFIGURATION_H

#include "base/err.h"
#include "base/json.h"
#include "space/spec.h"

#include <stdbool.h>

/* The value of parameter p. */
const struct value *configuration_value(const struct spec *spec, const unsigned *choices, size_t p);

/* Kernel Tuner's record key, "16,True,0.5": malloc'ed; null when memory ends. */
char *configuration_key(const struct spec *spec, const unsigned *choices);

/* "TILE_M=64 FAST_MATH=True" for people: malloc'ed; null when memory ends. */
char *configuration_text(const struct spec *spec, const unsigned *choices);

/* {"TILE_M": 64, ...} in the order of the spec, owned by the caller; null when memory ends. */
struct json *configuration_json(const struct spec *spec, const unsigned *choices);

/* Reads the parameters' members of an object such as a journal record; others are ignored. A parameter that
 * is missing, or a value that is not listed, is an error (ERR_USAGE). */
int configuration_read(unsigned *choices, const struct spec *spec, const struct js_at *object,
                       struct err *err);

/* Reads "TILE_M=64,FAST_MATH=true" (`--config`; also FAST_MATH=1); what is not named keeps the default's
 * value. */
int configuration_parse(unsigned *choices, const struct spec *spec, const char *text, struct err *err);

/* Back from configuration_key(): false where the key is none of this spec's configurations. */
bool configuration_of_key(unsigned *choices, const struct spec *spec, const char *key);

/* Whether a configuration satisfies the constraints for a problem. ERR_USAGE names the first that it does
 * not: `violates constraints[1], "WM <= 2 * WN"`, with the sizes where the spec has several problems, and why
 * where it has no value. */
int configuration_check(const struct spec *spec, size_t problem, const unsigned *choices, struct err *err);

/* A value as JSON, owned by the caller (null when memory ends), and back; strings stay borrowed from the
 * document. */
struct json *value_to_json(const struct value *value);
int value_from_json(struct value *out, const struct js_at *at, struct err *err);

/* A value that is text becomes code of one line, and does not go on in the next. ERR_USAGE. */
int value_check_line(const struct value *value, const struct js_at *at, struct err *err);

#endif
