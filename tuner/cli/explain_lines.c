/* Where a warp waits, by line of the source. */
#include "tuner/cli/explain.h"

#include <stdlib.h>
#include <string.h>

static int by_line(const void *a, const void *b)
{
    const struct explained_line *x = a, *y = b;
    const int files = strcmp(x->file, y->file);

    return files ? files : (x->line > y->line) - (x->line < y->line);
}

/* Most first; of equals the one that stands first. */
static int by_cycles(const void *a, const void *b)
{
    const struct explained_line *x = a, *y = b;

    if (x->waited_cycles != y->waited_cycles)
        return x->waited_cycles < y->waited_cycles ? 1 : -1;
    return by_line(a, b);
}

/* Instructions of one line become one. */
static size_t merge(struct explained_line *lines, size_t count)
{
    size_t i, to = 0;

    for (i = 0; i < count; i++)
        if (to && !by_line(&lines[to - 1], &lines[i]))
            lines[to - 1].waited_cycles += lines[i].waited_cycles;
        else
            lines[to++] = lines[i];
    return to;
}

int explained_find_lines(struct explained *out, struct err *err)
{
    const struct analysis *from = out->analysis;
    struct explained_line *lines, *line;
    size_t i, count = 0;

    out->line_count = 0;
    if (!from->lines.count)
        return 0;
    lines = malloc((from->account.count + 1) * sizeof *lines);
    if (!lines)
        return err_memory(err);
    for (i = 0; i < from->account.count; i++) {
        line = &lines[count];
        line->waited_cycles = from->account.blamed[i];
        count += line->waited_cycles > 0 &&
                 lines_find(&line->file, &line->line, &from->lines, from->code.instructions[i].pc);
    }
    qsort(lines, count, sizeof *lines, by_line);
    count = merge(lines, count);
    qsort(lines, count, sizeof *lines, by_cycles);
    out->line_count = count < EXPLAIN_LINES ? count : EXPLAIN_LINES;
    memcpy(out->lines, lines, out->line_count * sizeof *lines);
    free(lines);
    return 0;
}
