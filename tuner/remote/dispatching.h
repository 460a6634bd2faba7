/* Parts of requests. For the files that make them. */
#ifndef TUNER_REMOTE_DISPATCHING_H
#define TUNER_REMOTE_DISPATCHING_H

#include "tuner/remote/dispatch.h"

/* Sends bytes that go to every host: they are packed once for all of them. */
int dispatch_give_packed(struct host *host, struct dispatch_files *files, struct key key, const void *bytes,
                         size_t size, struct err *err);

/* The member "inputs", an object that is closed when all are added: each file is sent and named once. */
void dispatch_begin_inputs(struct js_line *line, struct dispatch_files *files);
int dispatch_add_input(struct js_line *line, struct host *host, struct dispatch_files *files,
                       const char *path, struct err *err);
int dispatch_add_inputs(struct js_line *line, struct host *host, struct dispatch_files *files,
                        const struct launch *launch, struct err *err); /* those of its fills */

/* The member "launch". */
int dispatch_write_launch(struct js_line *line, struct host *host, struct dispatch_files *files,
                          const struct launch *launch, struct err *err);

#endif
