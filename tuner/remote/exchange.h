/* What both ends of a connection write and read: results, content keys, options. */
#ifndef TUNER_REMOTE_EXCHANGE_H
#define TUNER_REMOTE_EXCHANGE_H

#include "base/err.h"
#include "base/json_line.h"
#include "base/key.h"
#include "gpu/compile.h"
#include "tuner/predict/predictor.h"

#include <stdbool.h>
#include <stddef.h>

/* Changes with every change of what is said; workers of another number are dropped. */
enum { REMOTE_PROTOCOL = 9 };

/* A worker that says nothing for so long has gone; it says that it is alive every second. */
enum { REMOTE_SILENCE_S = 10 };

/* Code that claims to be larger, once it is unpacked, is garbage. */
enum { REMOTE_CODE_MOST = 1 << 30 };

/* Contents are sent and kept under their key_bytes(). */
int content_set(struct json *object, const char *name, struct key key);
void content_write(struct js_line *line, const char *name, struct key key);
int content_get(struct key *out, const struct js_at *object, const char *name, struct err *err);

/* The directory of an option that adds one to those searched for headers (-I and its other spellings, joined);
 * null for others. */
const char *option_include(const char *option);

/* Whether an option names no file: it may be used on any machine. */
bool option_is_plain(const char *option);

/* Code that is no longer than this travels in the stream of messages, whose window then holds the code before it, so that
 * it takes little. Longer code is packed by itself, where it was made, and unpacked where it is used. */
enum { REMOTE_STREAM_CODE = 1 << 15 };

/* The result of a compile without its code or log, which are the payload; `bytes` are taken over. */
int compiled_set(struct json *object, const struct compile_result *compiled);
int compiled_get(struct compile_result *out, const struct js_at *object, void *bytes, size_t count,
                 struct err *err);

/* Exact, reals included. */
struct json *prediction_to_json(const struct variant_prediction *prediction);
int prediction_from_json(struct variant_prediction *out, const struct js_at *at, struct err *err);

#endif
