/* Members of the JSON that controller and worker exchange. Reals travel as hexadecimal text ("0x1.8p+1"), so
 * that both sides have the same bits; 64-bit words as signed integers. Readers return
 * ERR_USAGE with the place, or ERR_MEMORY. Inside launch/ only. */
#ifndef LAUNCH_JSON_MEMBER_H
#define LAUNCH_JSON_MEMBER_H

#include "base/err.h"
#include "base/json_line.h"
#include "launch/fill.h"

#include <stddef.h>
#include <stdint.h>

void bytes_write(struct js_line *line, const char *key, const unsigned char *bytes, size_t size);

int member_string(const char **out, const struct js_at *object, const char *key, struct err *err);
int member_copy(char **out, const struct js_at *object, const char *key, struct err *err); /* owned */
int member_integer(int64_t *out, const struct js_at *object, const char *key, int64_t low, int64_t high,
                   struct err *err);
/* Which of `words` it is. */
int member_word(int *out, const struct js_at *object, const char *key, const char *const *words, size_t count,
                struct err *err);
int member_exact(double *out, const struct js_at *object, const char *key, struct err *err);
int member_bytes(unsigned char **out, size_t *size, const struct js_at *object, const char *key,
                 struct err *err); /* owned, also after an error */

/* The member "fill" of an argument (fill_json.c). */
void fill_write(struct js_line *line, const struct fill *fill);
int fill_from_member(struct fill *fill, const struct js_at *argument, struct err *err);

#endif
