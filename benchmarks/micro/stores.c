/* How long parts of a sector wait for one another.
 *
 * Isolates: one warp an SM that fills 16-byte pieces of lines by four stores of 4 bytes, with more and more
 * lines between one part and the next. While parts merge on their way, L2 takes whole sectors; else four
 * times as many in part.
 *
 * Unit: lines of 128 bytes, four a store.
 *
 * Expected: a step down, at some tens of lines. It is less than fourfold: one warp hands over merged sectors
 * more slowly than L2 takes them.
 *
 * Profile: store_merge_lines. */
#include "micro/micro.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum { LINES = 4, FARTHEST = 16, STORES = 4096, STEP = 1 << 17 };
#define MASK   ((1u << 24) - 1)
#define AROUND MICRO_LOOP " LOP3 IMAD LEA R2UR UIMAD"

/* Bytes per cycle and SM with `distance` stores from one part to the next. */
static int run_at(struct device_value *out, const struct micro *micro, unsigned distance, struct err *err)
{
    char option[32], parts[32];
    const struct micro_kernel kernel = {
        .file = "stores.cu",
        .name = "parted_write",
        .options = {option},
        .body = {.parts = parts, .bookkeeping = AROUND, .bytes_max = BODY_CACHE},
    };
    const unsigned passes = STORES / distance;
    struct micro_code code;
    struct call call;
    int rc;

    snprintf(option, sizeof option, "-DDISTANCE=%u", distance);
    snprintf(parts, sizeof parts, "- | STG*%u", 4 * distance);
    rc = micro_compile(&code, micro, &kernel, err);
    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES, 0);
    call_zeros(&call, "parted", ROLE_OUT, (MASK + 1 + 512 * FARTHEST) / 4);
    call_spans(&call, micro);
    call_int(&call, (int)passes);
    call_unsigned(&call, MASK);
    call_unsigned(&call, STEP);
    rc = micro_rate_shared(out, micro, &code, &call, 4.0 * passes * distance * 128, 1, "parted_write", err);
    micro_code_release(&code);
    return rc;
}

/* The largest distance at which the rate is nearer to that of the shortest than to that of the longest. */
static int merge_lines(const struct micro *micro, struct err *err)
{
    struct device_value *value = &micro->device->values[DEVICE_STORE_MERGE_LINES], merged, apart, middle;
    unsigned merges = 1, parts = FARTHEST;
    int rc = run_at(&merged, micro, merges, err);

    if (rc == 0)
        rc = run_at(&apart, micro, parts, err);
    if (rc == 0 && merged.sustained < 1.25 * apart.sustained)
        return err_set(err, ERR_FORMAT, "stores reach %.1f B/cycle in parts and %.1f apart: nothing merges",
                       merged.sustained, apart.sustained);
    while (rc == 0 && parts - merges > 1) {
        const unsigned distance = (merges + parts) / 2;

        rc = run_at(&middle, micro, distance, err);
        *(2 * middle.sustained > merged.sustained + apart.sustained ? &merges : &parts) = distance;
    }
    if (rc == 0)
        *value = (struct device_value){.known = true,
                                       .sustained = LINES * merges,
                                       .best = LINES * merges,
                                       .spread = LINES,
                                       .origin = "parted_write"};
    return rc;
}

int micro_stores(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"store_merge_lines", merge_lines, false}};

    return micro_parts(micro, parts, 1, err);
}
