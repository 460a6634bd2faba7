#include "model/device/device_read.h"

#include "model/device/device_words.h"
#include "model/sass/arch/geometry.h"

static int read_carveouts(struct device_limits *out, const struct js_at *at, struct err *err)
{
    int rc = js_expect(at, JS_ARRAY, err);

    if (rc == 0 && js_count(at) > DEVICE_CARVEOUTS)
        return js_fail(at, err, "has more than %d entries", DEVICE_CARVEOUTS);
    for (size_t i = 0; rc == 0 && i < js_count(at); i++) {
        struct js_at element = js_element(at, i);

        rc = js_unsigned(&out->carveouts[i], &element, err);
        if (rc == 0 && i > 0 && out->carveouts[i] <= out->carveouts[i - 1])
            return js_fail(&element, err, "is not larger than the one before");
        out->carveout_count = i + 1;
    }
    return rc;
}

static int read_limit(uint64_t *out, const struct js_at *at, bool above_0, struct err *err)
{
    const int rc = js_unsigned(out, at, err);

    return rc || *out || !above_0 ? rc : js_fail(at, err, "is 0: leave out what is not known");
}

/* A power of two, as warps are dealt out to them. */
static int check_lanes(const struct device_limits *out, const struct js_at *at, struct err *err)
{
    const uint64_t parts = out->subpartitions;
    struct js_at part;

    if (out->warp_size != LANES && js_find(&part, at, "warp_size"))
        return js_fail(&part, err, "is %llu: a warp has 32 threads", (unsigned long long)out->warp_size);
    if ((parts > DEVICE_SUBPARTITIONS || (parts & (parts - 1))) && js_find(&part, at, "subpartitions"))
        return js_fail(&part, err, "is %llu: an SM has 1, 2, 4 or at most %d", (unsigned long long)parts,
                       DEVICE_SUBPARTITIONS);
    return 0;
}

int device_read_limits(struct device_limits *out, const struct js_at *at, struct err *err)
{
    static const struct {
        const char *name;
        size_t offset;
        bool above_0;
    } fields[] = {
#define DEVICE_LIMIT(field, range, description) {#field, offsetof(struct device_limits, field), range},
#include "model/device/device.def"
#undef DEVICE_LIMIT
    };
    enum { FIELDS = sizeof fields / sizeof *fields };
    const char *allowed[FIELDS + 2] = {"carveouts"};
    struct js_at part;
    int rc = js_expect(at, JS_OBJECT, err);

    for (size_t i = 0; i < FIELDS; i++)
        allowed[i + 1] = fields[i].name;
    if (rc == 0)
        rc = js_only(at, allowed, err);
    out->warp_size = LANES;
    for (size_t i = 0; rc == 0 && i < FIELDS; i++)
        if (js_find(&part, at, fields[i].name))
            rc = read_limit((uint64_t *)((char *)out + fields[i].offset), &part, fields[i].above_0, err);
    if (rc == 0 && js_find(&part, at, "carveouts"))
        rc = read_carveouts(out, &part, err);
    return rc ? rc : check_lanes(out, at, err);
}
