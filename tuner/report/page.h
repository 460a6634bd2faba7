/* Text that grows, for writing HTML. */
#ifndef TUNER_REPORT_PAGE_H
#define TUNER_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

struct page {
    char *text; /* malloc'ed; null while empty */
    size_t used, capacity;
    bool failed; /* memory ended: the text is not complete */
};

void page_add(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text that is no markup: <, >, & and quotes are escaped. */
void page_escape(struct page *page, const char *text);

/* Style sheet: for light and dark screens and for paper, tables of class=scroll, pictures of class=grid. */
extern const char page_style[];

#endif
