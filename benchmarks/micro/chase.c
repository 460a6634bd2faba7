#include "micro/chase.h"

#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 64, THREADS = 256 };

static int compile_chase(struct micro_code *out, const struct micro *micro, const char *load, struct err *err)
{
    char option[64];
    const struct micro_kernel kernel = {
        .file = "chase.cu",
        .name = "chase",
        .options = {option},
        .body = {.parts = "LDG*64", .dependent = true, .bytes_max = BODY_CACHE},
    };

    snprintf(option, sizeof option, "-DLOAD=\"%s\"", load);
    return micro_compile(out, micro, &kernel, err);
}

uint64_t chase_flush_bytes(const struct micro *micro)
{
    return 3 * micro->device->limits.l2_bytes;
}

int chase_run(double *runs, unsigned *sms, const struct micro *micro, const struct chase *c, struct err *err)
{
    void *out[2] = {NULL, NULL};
    char path[1024] = "";
    struct micro_code code;
    struct call call;
    int rc = micro_cycle(path, micro, c->count, c->blocks, !c->strided, err);

    if (rc == 0)
        rc = compile_chase(&code, micro, c->load, err);
    if (rc)
        return rc;
    call_init(&call, c->blocks, THREADS, c->shared);
    if (c->carveout)
        call.launch.carveout = c->carveout;
    call_file(&call, "order", ELEMENT_UINT32, c->count + c->blocks, path);
    call_zeros(&call, c->array ? "large" : "array", ROLE_OUT,
               ((c->array ? c->array : CHASE_ARRAY) + chase_flush_bytes(micro)) / 4);
    call_zeros(&call, "control", ROLE_INOUT, 4);
    call_samples(&call, micro);
    call_out(&call, "sms", ELEMENT_UINT32, micro->sms);
    call_unsigned(&call, c->count);
    call_long(&call, c->spacing);
    call_unsigned(&call, c->warm);
    call_long(&call, c->flush);
    rc = call_run_two(out, micro, &code, &call, "samples", "sms", err);
    unlink(path);
    if (rc == 0)
        reduce_samples(runs, out[0], c->blocks, STEPS);
    for (unsigned b = 0; rc == 0 && sms && b < c->blocks; b++)
        sms[b] = ((unsigned *)out[1])[b];
    free(out[0]);
    free(out[1]);
    micro_code_release(&code);
    return rc;
}
