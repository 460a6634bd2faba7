#include "micro/body.h"

#include <stdlib.h>
#include <string.h>

/* The text of one part, walked element by element without being written out: a group "(A B)*n" or a single
 * name "A*n". */
struct walker {
    const char *group, *group_end; /* names of the group */
    const char *at;                /* the next name in it */
    const char *rest;              /* what follows the group */
    const char *end;               /* of the part */
    unsigned long left;            /* times the group is still to come, this one included */
};

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

static const char *name_end(const char *at, const char *end)
{
    while (at < end && *at != ' ' && *at != '*' && *at != ')')
        at++;
    return at;
}

/* Opens the next group; false at the end of the part. */
static bool next_group(struct walker *w)
{
    const char *at = skip_blanks(w->rest, w->end);
    char *after;

    if (at >= w->end)
        return false;
    if (*at == '(') {
        w->group = at + 1;
        w->group_end = memchr(at, ')', (size_t)(w->end - at));
        at = w->group_end ? w->group_end + 1 : w->end;
    } else {
        w->group = at;
        w->group_end = at = name_end(at, w->end);
    }
    w->left = 1;
    if (at < w->end && *at == '*') {
        w->left = strtoul(at + 1, &after, 10);
        at = after;
    }
    w->at = w->group;
    w->rest = at;
    return true;
}

/* The next name meant, `*length` long; null at the end of the part. */
static const char *next_name(struct walker *w, size_t *length)
{
    const char *name;

    for (;;) {
        name = w->at ? skip_blanks(w->at, w->group_end) : NULL;
        if (name && name < w->group_end)
            break;
        if (w->at && --w->left > 0)
            w->at = w->group;
        else if (!next_group(w))
            return NULL;
    }
    w->at = name_end(name, w->group_end);
    *length = (size_t)(w->at - name);
    return name;
}

/* Whether a listing line is of the operation `name`, or of one of its alternatives A/B. */
static bool is_named(const char *line, const char *name, size_t length)
{
    const char *end = name + length;

    while (name < end) {
        const char *stop = memchr(name, '/', (size_t)(end - name));
        const size_t n = (size_t)((stop ? stop : end) - name);

        if (!strncmp(line, name, n) && (line[n] == 0 || line[n] == ' ' || line[n] == '.' || line[n] == ';'))
            return true;
        name += n + 1;
    }
    return false;
}

/* The line without its guard. */
static const char *unguarded(const char *line)
{
    if (*line != '@')
        return line;
    while (*line && *line != ' ')
        line++;
    return skip_blanks(line, line + strlen(line));
}

static bool is_bookkeeping(const char *line, const char *names)
{
    while (names && *names) {
        const size_t length = strcspn(names, " ");

        if (is_named(line, names, length))
            return true;
        names += length;
        names += *names == ' ';
    }
    return false;
}

/* Whether it only moves its last source: ptxas writes moves as multiply-adds with zeros to spare a busy pipe. */
static bool is_move(const struct sass *instruction)
{
    if (instruction->op != SASS_IMAD && instruction->op != SASS_HFMA2 && instruction->op != SASS_HFMA2_MMA)
        return false;
    for (int s = 0; s < 2; s++)
        if (instruction->sources[s].kind != SASS_REGISTER || instruction->sources[s].index != SASS_RZ)
            return false;
    return true;
}

static bool overlaps(const struct sass_operand *a, const struct sass_operand *b)
{
    if (a->kind != b->kind || (a->kind == SASS_REGISTER && a->index == SASS_RZ) ||
        (a->kind == SASS_PREDICATE && a->index == SASS_PT))
        return false;
    return a->index < b->index + b->count && b->index < a->index + a->count;
}

static bool reads_result_of(const struct sass *now, const struct sass *before)
{
    for (int d = 0; d < before->destination_count; d++) {
        const struct sass_operand *result = &before->destinations[d];

        if (result->kind != SASS_REGISTER && result->kind != SASS_PREDICATE)
            continue;
        for (int s = 0; s < now->source_count; s++)
            if (overlaps(result, &now->sources[s]))
                return true;
        for (int a = 0; a < now->access_count; a++)
            if (result->kind == SASS_REGISTER && now->accesses[a].index >= result->index &&
                now->accesses[a].index < result->index + result->count)
                return true;
        if (result->kind == SASS_PREDICATE && now->guard == result->index && now->guard != SASS_PT)
            return true;
    }
    return false;
}

static bool is_clock_read(const struct sass *instruction)
{
    return (instruction->op == SASS_CS2R || instruction->op == SASS_CS2UR) &&
           instruction->sources[0].kind == SASS_SPECIAL && instruction->sources[0].value == SASS_SR_CLOCKLO;
}

/* Position of the n-th clock read; the number of instructions when there are fewer. */
static size_t clock_read(const struct sass_code *code, size_t n)
{
    size_t i, reads = 0;

    for (i = 0; i < code->count; i++)
        if (is_clock_read(&code->instructions[i]) && reads++ == n)
            break;
    return i;
}

/* Instructions [first, last) of timed part `part`; false when there is no such part. */
static bool part_range(size_t *first, size_t *last, const struct sass_code *code, size_t part)
{
    *first = clock_read(code, part) + 1;
    *last = clock_read(code, part + 1);
    if (*last < code->count)
        return true;
    *first = 0;
    return part == 0 && clock_read(code, 0) == code->count;
}

static int check_part(const struct sass_code *code, size_t first, size_t last, struct walker *w,
                      const struct body *body, struct err *err)
{
    const struct sass *before = NULL;
    size_t length = 0, found = 0;
    const char *meant = next_name(w, &length);

    for (size_t i = first; i < last; i++) {
        const struct sass *now = &code->instructions[i];
        const char *line;
        char text[256];

        sass_text(text, sizeof text, now);
        line = unguarded(text);
        if (!meant || !is_named(line, meant, length)) {
            if (is_bookkeeping(line, body->bookkeeping) || (body->bookkeeping && is_move(now)))
                continue;
            return err_set(err, ERR_FORMAT, "instruction %zu (0x%04x) is \"%s\": %.*s was meant", i, now->pc,
                           text, meant ? (int)length : 7, meant ? meant : "nothing");
        }
        if (body->dependent && before && !reads_result_of(now, before))
            return err_set(err, ERR_FORMAT,
                           "instruction %zu (0x%04x), \"%s\", does not read the result before it", i, now->pc,
                           text);
        before = now;
        found++;
        meant = next_name(w, &length);
    }
    if (meant)
        return err_set(err, ERR_FORMAT, "the timed part ends after %zu instructions: %.*s was meant next",
                       found, (int)length, meant);
    return 0;
}

enum { LOOP_MAX = 8 }; /* instructions of two loops round a timed part */

/* How often the part's text means this line. */
static unsigned long times_meant(const char *line, const char *at, const char *end)
{
    struct walker w = {.rest = at, .end = end};
    unsigned long times = 0;
    size_t length;
    const char *name;

    while ((name = next_name(&w, &length)))
        times += is_named(line, name, length);
    return times;
}

/* Every instruction is meant as often as it is there. Quadratic, in a part of some hundred instructions. */
static int check_counts(const struct sass_code *code, size_t first, size_t last, const char *at,
                        const char *end, const struct body *body, struct err *err)
{
    struct walker w = {.rest = at, .end = end};
    size_t meant = 0, found = 0, either = 0, length;

    while (next_name(&w, &length))
        meant++;
    for (size_t i = first; i < last; i++) {
        const struct sass *now = &code->instructions[i];
        char text[256];

        sass_text(text, sizeof text, now);
        if (body->bookkeeping && is_move(now))
            continue;
        if (times_meant(unguarded(text), at, end)) {
            found++;
            either += is_bookkeeping(unguarded(text), body->bookkeeping);
        } else if (!is_bookkeeping(unguarded(text), body->bookkeeping))
            return err_set(err, ERR_FORMAT, "instruction %zu (0x%04x) is \"%s\": it was not meant", i,
                           now->pc, text);
    }
    /* A loop may compare and add as well as what it repeats does. */
    if (found < meant || found > meant + (either < LOOP_MAX ? either : LOOP_MAX))
        return err_set(err, ERR_FORMAT,
                       "the timed part has %zu of the instructions meant, there should be %zu", found, meant);
    return 0;
}

int body_check(const struct sass_code *code, const struct body *body, struct err *err)
{
    const char *at = body->parts;
    size_t bytes = 0;

    if (code->spill_loads || code->spill_stores)
        return err_set(err, ERR_FORMAT, "the kernel spills registers");
    for (size_t part = 0; *at; part++) {
        const size_t length = strcspn(at, "|");
        struct walker w = {.rest = at, .end = at + length};
        size_t first, last;
        int rc;

        if (memchr(at, '-', length) && strspn(at, " -") >= length) { /* "-": not looked at */
            at += length + (at[length] == '|');
            continue;
        }
        if (!part_range(&first, &last, code, part))
            return err_set(err, ERR_FORMAT, "the kernel has no timed part %zu", part);
        rc = body->any_order ? check_counts(code, first, last, at, at + length, body, err)
                             : check_part(code, first, last, &w, body, err);
        if (rc)
            return rc;
        bytes += (last - first) * SASS_BYTES;
        at += length + (at[length] == '|');
    }
    if (body->bytes_max && bytes > body->bytes_max)
        return err_set(err, ERR_FORMAT,
                       "the timed part has %zu bytes, an instruction cache of %zu is counted on", bytes,
                       body->bytes_max);
    return 0;
}

size_t body_count(bool *calls, const struct sass_code *code, size_t part)
{
    size_t first, last;

    *calls = false;
    if (!part_range(&first, &last, code, part))
        return 0;
    for (size_t i = first; i < last; i++)
        *calls |= code->instructions[i].op == SASS_CALL;
    return last - first;
}
