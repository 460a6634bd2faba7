/* Reads any bytes as a device profile; what is taken becomes a machine, and is written and read again alike. */
#include "fuzz.h"

#include "model/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_round_trip(const struct device *device)
{
    struct json *document = device_to_json(device);
    struct device again;
    struct js_at root;
    uint64_t before, after;
    struct err err = {0};

    if (!document)
        abort();
    root = js_root(document, "again");
    if (device_from_json(&again, &root, &err) || device_hash(&before, device, &err) ||
        device_hash(&after, &again, &err) || before != after)
        abort();
    device_release(&again);
    js_free(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const int file = memfd_create("profile", 0);
    struct machine machine;
    struct device device;
    struct err err = {0};
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    if (device_read(&device, path, &err)) {
        if (!err.code)
            abort();
    } else {
        check_round_trip(&device);
        if (!machine_init(&machine, &device, NULL))
            machine_release(&machine);
        device_release(&device);
    }
    close(file);
    return 0;
}
