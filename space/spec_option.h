/* Options of the compiler, as a spec names them. */
#ifndef SPACE_SPEC_OPTION_H
#define SPACE_SPEC_OPTION_H

#include "base/err.h"
#include "base/json.h"

/* ERR_USAGE, with its place, for one with which the compiler writes or reads files of its own accord: a spec
 * from somebody else could name any, and predicting it would be enough. Likewise one that holds a control
 * character. */
int spec_option_check(const struct js_at *at, const char *option, struct err *err);

#endif
