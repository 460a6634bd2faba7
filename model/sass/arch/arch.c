#include "model/sass/arch/arch.h"

#include "model/sass/arch/rows.h"

static const struct arch *const rows[] = {
    &arch_sm_75, &arch_sm_80, &arch_sm_86, &arch_sm_89, &arch_sm_90, &arch_sm_100, &arch_sm_103, &arch_sm_120,
};
enum { ROWS = sizeof rows / sizeof *rows };

const struct arch *arch_row(size_t index)
{
    return index < ROWS ? rows[index] : NULL;
}

const struct arch *arch_of(unsigned sm)
{
    for (size_t i = 0; i < ROWS; i++)
        if (sm >= rows[i]->first && sm <= rows[i]->last)
            return rows[i];
    return NULL;
}
