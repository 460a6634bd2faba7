/* What a header is made of: the rows of all decisions, and what they have in common. Inside the
 * header's files only. */
#ifndef TUNER_DECISION_HEADER_TABLE_H
#define TUNER_DECISION_HEADER_TABLE_H

#include "tuner/decision/decision.h"

enum field_type { FIELD_INT, FIELD_LONG, FIELD_REAL, FIELD_BOOL, FIELD_STRING };

/* What is written, gathered. */
struct header_table {
    const struct decision *decisions;
    size_t decision_count;
    const struct decision_row **rows;
    size_t row_count;
    const struct decision *first; /* names of parameters and sizes */
    size_t *variants;             /* of each row: which distinct configuration */
    size_t *distinct;             /* of each distinct configuration: its first row */
    size_t distinct_count;
    size_t fallback;           /* row with the configuration best over all */
    enum field_type *types;    /* of the parameters */
    char lower[64], upper[64]; /* the kernel's name as an identifier */
    unsigned mark;             /* of that name: kernels with the same identifier have others */
};

/* Refuses decisions that do not belong together. Everything points into the decisions. */
int header_table_init(struct header_table *table, const struct decision *decisions, size_t count,
                      struct err *err);
void header_table_release(struct header_table *table);

#endif
