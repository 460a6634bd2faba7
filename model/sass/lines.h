/* Which line of the source an instruction comes from: the line table (DWARF 2 to 4, `.debug_line`) of code that was
 * compiled with -lineinfo. */
#ifndef MODEL_LINES_H
#define MODEL_LINES_H

#include "model/sass/cubin.h"

struct lines_row {
    uint32_t pc;    /* byte offset in the kernel's code, from which on ... */
    unsigned line;  /* ... it is this line; 0: of none */
    unsigned file;  /* index of `files` */
    unsigned order; /* in the table */
};

struct lines {
    struct lines_row *rows; /* ascending */
    size_t count;           /* 0: the code has no lines */
    const char **files;     /* as the compiler was told, without their folders */
    size_t file_count;
    char *text; /* that they point into */
};

/* Reads the lines of one kernel. No table, or one of another version, gives none. ERR_FORMAT where the table
 * contradicts itself; ERR_MEMORY. */
int lines_read(struct lines *out, const struct cubin *cubin, const struct cubin_kernel *kernel,
               struct err *err);
void lines_release(struct lines *lines);

/* The file and line of the instruction at `pc`; where it was inlined, of the function's own. False where there
 * is none. */
bool lines_find(const char **file, unsigned *line, const struct lines *lines, uint32_t pc);

#endif
