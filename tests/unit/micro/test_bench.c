#include "check.h"

#include "micro/bench.h"
#include "micro/micro.h"

static int asks_for_too_much(const struct micro *micro, struct err *err)
{
    (void)micro;
    return err_set(err, ERR_MEMORY, "in: the GPU has no memory left for 2147492096 bytes");
}

static int measures(const struct micro *micro, struct err *err)
{
    (void)err;
    micro->device->sm = 90;
    return 0;
}

/* The GPU's memory is not this program's: others use it, too, and not all GPUs have as much. */
static void what_does_not_fit_the_gpu_is_noted(void **state)
{
    static const struct part parts[] = {{"tensor_boost", asks_for_too_much, false},
                                        {"next", measures, false}};
    struct device device;
    const struct micro micro = {.device = &device};
    struct err err = {0};

    device_init(&device);
    check_ok(micro_parts(&micro, parts, 2, &err), &err);
    assert_int_equal(device.note_count, 1);
    assert_string_equal(device.notes[0], "tensor_boost: in: the GPU has no memory left for 2147492096 bytes");
    assert_int_equal(device.sm, 90);
    device_release(&device);
}

int main(void)
{
    return RUN_TESTS(what_does_not_fit_the_gpu_is_noted);
}
