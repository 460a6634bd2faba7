#include "tuner/journal/scan.h"

#include <string.h>

static void skip_space(struct scan *scan)
{
    while (scan->at < scan->length && scan->text[scan->at] && strchr(" \t\r\n", scan->text[scan->at]))
        scan->at++;
}

static bool here(const struct scan *scan, char wanted)
{
    return scan->at < scan->length && scan->text[scan->at] == wanted;
}

static bool skip_string(struct scan *scan)
{
    for (scan->at++; scan->at < scan->length; scan->at++) {
        if (scan->text[scan->at] == '\\')
            scan->at++;
        else if (scan->text[scan->at] == '"') {
            scan->at++;
            return true;
        }
    }
    return false;
}

static bool skip_nested(struct scan *scan)
{
    size_t depth = 0;

    while (scan->at < scan->length) {
        const char c = scan->text[scan->at];

        if (c == '"') {
            if (!skip_string(scan))
                return false;
            continue;
        }
        scan->at++;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (depth == 0)
            return true;
    }
    return false;
}

/* A number or a word is complete only when something follows it. */
static bool skip_word(struct scan *scan)
{
    const size_t start = scan->at;

    while (scan->at < scan->length && scan->text[scan->at] && !strchr(",}] \t\r\n", scan->text[scan->at]))
        scan->at++;
    return scan->at > start && scan->at < scan->length;
}

bool scan_open(struct scan *scan)
{
    skip_space(scan);
    if (!here(scan, '{'))
        return false;
    scan->at++;
    return true;
}

enum scan_found scan_member(struct scan *scan, struct span *key)
{
    const bool first = scan->at && scan->text[scan->at - 1] == '{';
    bool comma;
    size_t start;

    skip_space(scan);
    comma = here(scan, ',');
    if (comma) {
        scan->at++;
        skip_space(scan);
    }
    if (here(scan, '}')) {
        scan->at++;
        return SCAN_END;
    }
    start = scan->at + 1;
    if (!here(scan, '"') || !skip_string(scan))
        return SCAN_CUT;
    *key = (struct span){scan->text + start, scan->at - 1 - start};
    skip_space(scan);
    if (!here(scan, ':'))
        return SCAN_CUT;
    scan->at++;
    skip_space(scan);
    scan->loose |= !first && !comma;
    return SCAN_MEMBER;
}

bool scan_value(struct scan *scan, struct span *value)
{
    const size_t start = scan->at;
    bool whole;

    if (here(scan, '"'))
        whole = skip_string(scan);
    else if (here(scan, '{') || here(scan, '['))
        whole = skip_nested(scan);
    else
        whole = skip_word(scan);
    *value = (struct span){scan->text + start, whole ? scan->at - start : 0};
    return whole;
}
