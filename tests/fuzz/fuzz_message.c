/* Sends any bytes to a controller as a worker's message, and reads what comes out of it as a trial. */
#include "fuzz.h"

#include "gpu/message.h"
#include "gpu/trial.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct message message;
    struct trial trial;
    struct js_at root;
    int ends[2];

    if (size > 32768 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) /* what a socket takes at once */
        return 0;
    if (write(ends[0], bytes, size) != (ssize_t)size)
        abort();
    close(ends[0]);
    while (!message_receive(&message, ends[1], (struct patience){.timeout_s = 1}, NULL)) {
        root = js_root(message.head, "fuzz");
        if (!trial_from_json(&trial, &root, NULL))
            trial_release(&trial);
        message_release(&message);
    }
    close(ends[1]);
    return 0;
}
