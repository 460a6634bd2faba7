/* The lines of `occutune ask`: docs/cli.md describes them. */
#ifndef TUNER_CLI_ASK_LINES_H
#define TUNER_CLI_ASK_LINES_H

#include "base/err.h"
#include "base/json.h"
#include "space/variant.h"
#include "tuner/strategy/search.h"

/* What to time: owned by the caller; null when memory ends. */
struct json *ask_question(uint64_t number, const struct spec *spec, const unsigned *choices,
                          const struct variant *variant, const struct search_prediction *told);

/* What came of question `number`: {"number": 3, "time_s": 0.001}, or {"number": 3, "failed": "why"}. ERR_USAGE. */
int ask_answer(struct search_facts *out, const char *line, uint64_t number, struct err *err);

#endif
