#include "model/sass/arch/arch.h"

#include "model/sass/arch/rows.h"

static const struct arch *const rows[] = {
#define ARCH(name) &arch_##name,
#include "model/sass/arch/archs.def"
#undef ARCH
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
