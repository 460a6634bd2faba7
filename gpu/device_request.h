/* Reading what a device worker is asked for. For device_serve.c. */
#ifndef GPU_DEVICE_REQUEST_H
#define GPU_DEVICE_REQUEST_H

#include "gpu/bench.h"
#include "gpu/message.h"

/* One request: the head's fields, and what they own. */
struct request {
    const struct message *message;
    struct code code;
    struct launch launch, reference_launch;
    struct bench_reference reference;
    struct protocol protocol;
    size_t payload_used;
};
void request_release(struct request *request);

/* Takes the next stretch of payload as code, with a zero behind it for PTX. */
int request_read_code(struct code *out, struct request *request, const struct js_at *object, struct err *err);
int request_read_launch(struct launch *out, const struct js_at *object, struct err *err);

/* What results are compared with, if there is anything. */
int request_read_reference(struct request *request, const struct js_at *root, struct err *err);

#endif
