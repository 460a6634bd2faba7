/* What a run keeps of compiled code: one word that tells codes apart, what the code takes of the machine, and the sizes
 * of its parameters. Read once, where the code was compiled. */
#ifndef TUNER_PREDICT_CODE_FACTS_H
#define TUNER_PREDICT_CODE_FACTS_H

#include "base/err.h"
#include "base/json.h"
#include "gpu/compile.h"
#include "launch/launch.h"
#include "model/sass/cubin.h"
#include "space/variant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_facts {
    bool known;
    uint64_t hash; /* of code, resources and constants; never 0 */
    struct cubin_resources resources;
    struct cubin_parameter *parameters; /* owned; their bytes alone count */
    size_t parameter_count;
};
void code_facts_release(struct code_facts *facts);

/* Reads them from compiled code, which is not packed; `name` stands before messages. */
int code_facts_read(struct code_facts *out, const struct compile_result *compiled, const char *name,
                    struct err *err);

/* Whether the kernel takes the arguments of the launch; as parameters_fit() says it. */
bool code_facts_fit(char *reason, size_t size, const struct code_facts *facts, const char *entry,
                    const struct launch *launch);

/* ERR_USAGE unless a variant, whose code is not packed, takes the arguments of its launch; `whose` is "the reference's ",
 * or empty. */
int code_facts_check(const struct compile_result *compiled, const struct variant *variant, const char *whose,
                     struct err *err);

/* As one line of numbers. */
int code_facts_set(struct json *object, const char *key, const struct code_facts *facts);
int code_facts_get(struct code_facts *out, const struct js_at *object, const char *key, struct err *err);

#endif
