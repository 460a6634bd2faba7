/* Reads any bytes as what a compile process answers: a message, and in it the result of a compile. */
#include "fuzz.h"

#include "gpu/compile_reply.h"
#include "gpu/message.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void take(struct message *message)
{
    const struct compile_request request = {.source_path = "fuzz.cu", .name = "fuzz<T>", .arch = "sm_90"};
    struct compile_result result = {0};
    struct err err = {0};

    if (compile_take_reply(&result, message, &request, &err)) {
        if (!err.code)
            abort();
    } else if ((result.outcome == OUTCOME_OK) != (result.cubin != NULL)) {
        abort();
    }
    compile_result_release(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct message message;
    int ends[2];

    if (size > 32768 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) /* what a socket takes at once */
        return 0;
    if (write(ends[0], bytes, size) != (ssize_t)size)
        abort();
    close(ends[0]);
    while (!message_receive(&message, ends[1], (struct patience){.timeout_s = 1}, NULL)) {
        take(&message);
        message_release(&message);
    }
    close(ends[1]);
    return 0;
}
