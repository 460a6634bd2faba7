/* The model's part of a record as JSON: the same members in a journal's records and in its list of what was
 * pruned. */
#ifndef TUNER_JOURNAL_RECORD_PREDICTION_H
#define TUNER_JOURNAL_RECORD_PREDICTION_H

#include "tuner/journal/journal.h"

struct seal;

/* As a member of what is being written (seal.h); alone, null when memory ends. */
void record_prediction_write(struct seal *body, const char *key, const struct record_prediction *prediction);
struct json *record_prediction_json(const struct record_prediction *prediction);

/* ERR_USAGE for a member of a wrong type; resources that this version does not know are left out. */
int record_prediction_read(struct record_prediction *out, const struct js_at *at, struct err *err);

#endif
