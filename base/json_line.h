/* How js_text() writes JS_LINE. Part of base/json, which is how others see it. */
#ifndef BASE_JSON_LINE_H
#define BASE_JSON_LINE_H

#include "base/json.h"

/* malloc'ed; null when memory ends. */
char *json_line(const struct json *json);

#endif
