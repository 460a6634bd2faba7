/* The rows of ARGUMENT_KINDS, and what several share. Inside launch/ only. */
#ifndef LAUNCH_ARGUMENT_KIND_H
#define LAUNCH_ARGUMENT_KIND_H

#include "launch/argument.h"

#define ROW(name, suffix) extern const struct argument_ops argument_##suffix;
ARGUMENT_KINDS(ROW)
#undef ROW

/* The kind whose text it is; ARGUMENT_KIND_COUNT when unknown. */
enum argument_kind argument_kind_parse(const char *text);

/* Of kinds that have memory: element type, count, role, fill. */
uint64_t memory_hash(uint64_t hash, const struct argument *argument);
void memory_write(struct js_line *line, const struct argument *argument);
int memory_read(struct argument *argument, const struct js_at *at, struct err *err);

/* Whether argument `index` of the launch is a buffer: else ERR_USAGE. */
int check_buffer(const struct launch *launch, size_t index, struct err *err);

#endif
