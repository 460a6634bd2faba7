#include "tuner/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
