/* Text inside HTML and SVG. */
#ifndef BASE_HTML_H
#define BASE_HTML_H

#include <stdio.h>

/* Writes text that is no markup: <, >, & and quotes are escaped. */
void html_text(FILE *out, const char *text);

/* Writes JSON for a <script> element, which no text of it may end. */
void html_json(FILE *out, const char *json);

#endif
