/* DRAM in pieces that lie far apart.
 *
 * Isolates: 16-byte accesses to every element of 256 MB, some lanes side by side and the next ones elsewhere,
 * reading alone and writing alone.
 *
 * Unit: bytes per second of the whole GPU, against the bytes of a piece.
 *
 * Expected: some hundredths below the rate in order; single lines, 128 bytes, written a quarter slower than
 * two side by side. The rows of a tile, 32 floats each, are such lines.
 *
 * Profile: curves dram_read_pieces, dram_write_pieces. */
#include "micro/micro.h"

#include <stdio.h>

enum { THREADS = 512, UNROLL = 4, PASSES = 2, ELEMENT = 16 };
#define BYTES  (UINT64_C(256) << 20)
#define SAMPLE 1e-3
#define AROUND MICRO_LOOP " LOP3 IMAD SHF LEA PRMT R2UR STG EXIT UIMAD USHF ULOP3 ULEA S2UR"

static const unsigned lanes[] = {8, 16, 32, 128};
enum { POINTS = sizeof lanes / sizeof *lanes };

static int compile_pieces(struct micro_code *out, const struct micro *micro, bool writes, unsigned together,
                          struct err *err)
{
    char option[32];
    const struct micro_kernel kernel = {
        .file = "pieces.cu",
        .name = writes ? "pieces_write" : "pieces_read",
        .options = {option},
        .body = {.parts = writes ? "STG*4" : "LDG*4", .bookkeeping = AROUND, .bytes_max = BODY_CACHE},
    };

    snprintf(option, sizeof option, "-DLANES=%u", together);
    return micro_compile(out, micro, &kernel, err);
}

static int rate_of(double *rate, const struct micro *micro, bool writes, unsigned together, struct err *err)
{
    struct device_value value;
    struct micro_code code;
    struct trial trial;
    struct call call;
    int rc = compile_pieces(&code, micro, writes, together, err);

    if (rc)
        return rc;
    call_init(&call, (unsigned)(BYTES / ELEMENT / THREADS / UNROLL / PASSES), THREADS, 0);
    call_zeros(&call, "pieces", ROLE_OUT, BYTES / 4);
    if (!writes)
        call_sink(&call, "sink", micro);
    call_int(&call, PASSES);
    call_unsigned(&call, (unsigned)(BYTES / ELEMENT - 1));
    rc = call_time(&trial, micro, &code, &call, SAMPLE, err);
    for (size_t i = 0; rc == 0 && i < trial.sample_count; i++)
        trial.samples_s[i] = (double)BYTES / trial.samples_s[i];
    if (rc == 0)
        rc = reduce_runs(&value, trial.samples_s, trial.sample_count, true, "pieces", err);
    *rate = rc ? 0 : value.sustained;
    trial_release(&trial);
    micro_code_release(&code);
    return rc;
}

static int pieces(const struct micro *micro, struct err *err)
{
    static const enum device_curve_id curves[] = {DEVICE_CURVE_DRAM_READ_PIECES,
                                                  DEVICE_CURVE_DRAM_WRITE_PIECES};
    double x[POINTS], y[POINTS];
    int rc = 0;

    for (unsigned writes = 0; writes < 2 && rc == 0; writes++) {
        for (size_t i = 0; i < POINTS && rc == 0; i++) {
            x[i] = ELEMENT * lanes[i];
            rc = rate_of(&y[i], micro, writes, lanes[i], err);
        }
        if (rc == 0)
            rc = device_curve_set(&micro->device->curves[curves[writes]], x, y, POINTS, "pieces", err);
    }
    return rc;
}

int micro_pieces(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"dram_read_pieces", pieces, false}};

    return micro_parts(micro, parts, 1, err);
}
