#include "base/html.h"

void html_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
}

/* In JSON, < stands in strings alone, where its number means the same. */
void html_json(FILE *out, const char *json)
{
    for (; *json; json++)
        if (*json == '<')
            fputs("\\u003c", out);
        else
            fputc(*json, out);
}
