/* What shows that a record is whole: a checksum of its key and content, in whatever layout a tool has written
 * them anew. */
#ifndef TUNER_JOURNAL_RECORD_CHECK_H
#define TUNER_JOURNAL_RECORD_CHECK_H

#include "base/err.h"
#include "tuner/journal/seal.h"

#include <stdbool.h>

/* Writes the member "checksum" behind the others of the body of a record. */
void record_seal(struct seal *body, const char *key);

/* ERR_FORMAT where the checksum does not fit, or where the record holds another (its closing brace is gone).
 * A record without one, as other tools and older versions write them, passes: `*sealed` says whether there is
 * one. */
int record_check(bool *sealed, const struct js_at *record, struct err *err);

#endif
