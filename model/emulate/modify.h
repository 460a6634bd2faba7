/* How minus, absolute value and parts of a source are read. */
#ifndef MODEL_EMULATE_MODIFY_H
#define MODEL_EMULATE_MODIFY_H

#include "model/emulate/state.h"

enum modifiers {
    MODIFIERS_NONE,   /* the function looks at them itself */
    MODIFIERS_INT,    /* two's complement */
    MODIFIERS_LOGIC,  /* bitwise not */
    MODIFIERS_FLOAT,  /* sign bit of 32 */
    MODIFIERS_HALVES, /* sign bits of both halves, which may be swapped */
    MODIFIERS_DOUBLE  /* sign bit of 64 */
};

bool is_modified(const struct sass_operand *operand, enum modifiers modifiers);
/* Both words of a MODIFIERS_DOUBLE and of a wide MODIFIERS_INT or MODIFIERS_LOGIC, else the first; `out` may be `from`. */
void modify(row *out, row *from, const struct sass_operand *operand, enum modifiers modifiers);

#endif
