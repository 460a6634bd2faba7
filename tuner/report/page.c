#include "tuner/report/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char page_style[] =
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,sans-serif;color:#1c2024;background:#fff;max-width:1080px;margin:2em auto;"
    "padding:0 1em}"
    "h1{font-size:1.6em}h2{font-size:1.15em;margin-top:2em}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.2em .8em .2em 0;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left;white-space:normal}"
    ".scroll{overflow-x:auto}.scroll table{font-size:.87em}.scroll td:first-child{min-width:16em}"
    ".grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(480px,1fr));gap:1em}"
    "figure{margin:0;break-inside:avoid}svg{max-width:100%;height:auto;background:#fff}"
    "figcaption{color:#555;font-size:.9em}"
    "@media screen and (prefers-color-scheme:dark){body{color:#e4e6e8;background:#16181b}"
    "th,td{border-color:#3a3d41}figcaption{color:#aaa}}"
    "@media print{body{margin:0;max-width:none;font-size:11px}.grid{grid-template-columns:1fr 1fr}"
    ".scroll{overflow:visible}th,td{white-space:normal}.scroll td:first-child{min-width:14em}}";

static bool make_room(struct page *page, size_t more)
{
    const size_t wanted = page->used + more + 1;
    char *larger;

    if (page->failed || wanted <= page->capacity)
        return !page->failed;
    larger = realloc(page->text, 2 * wanted);
    page->failed = !larger;
    if (!larger)
        return false;
    page->text = larger;
    page->capacity = 2 * wanted;
    return true;
}

void page_add(struct page *page, const char *format, ...)
{
    va_list args, again;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length >= 0 && make_room(page, (size_t)length))
        page->used += (size_t)vsnprintf(page->text + page->used, (size_t)length + 1, format, again);
    va_end(again);
}

void page_escape(struct page *page, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            page_add(page, "&lt;");
            break;
        case '>':
            page_add(page, "&gt;");
            break;
        case '&':
            page_add(page, "&amp;");
            break;
        case '"':
            page_add(page, "&quot;");
            break;
        default:
            page_add(page, "%c", *text);
        }
}
