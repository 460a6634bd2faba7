/* Records as JSON: the body of one entry of a Kernel Tuner cache. */
#ifndef TUNER_JOURNAL_RECORD_H
#define TUNER_JOURNAL_RECORD_H

#include "base/json_line.h"
#include "tuner/journal/journal.h"

/* Reads ours and other tools' (time as a number of milliseconds or the name of an error, `times`,
 * `__error__`). The key is the cursor's. */
int record_from_json(struct record *out, const struct js_at *at, struct err *err);

/* As a member: the body under the record's key, with the members of the object `parameters` first and a checksum last. */
void record_write(struct js_line *line, const struct record *record, const struct json *parameters);

#endif
