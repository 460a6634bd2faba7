#include "model/emulate/signing.h"

#include "base/hash.h"
#include "model/emulate/state.h"

#include <string.h>

void signing_begin(struct signing *signing)
{
    memset(signing->lanes, 0, sizeof signing->lanes);
    signing->now = signing->lanes;
    signing->like = 0;
}

void signing_forget(struct signing *signing)
{
    signing->probes = signing->kept_count = 0;
}

unsigned signing_warp(struct signing *signing, unsigned turn)
{
    const unsigned warp = signing->likens && signing->probes ? signing->order[turn] : turn;

    signing->now = &signing->lanes[warp];
    return warp;
}

static int way_of(uint64_t *out, const struct signing *signing, struct emulation *emulation, unsigned warp)
{
    const struct sequence *lanes = &signing->lanes[warp];
    const int rc = trace_finish(out, &emulation->own.warps[warp].trace, emulation->err);

    *out = hash_mix(*out + lanes->sum) + lanes->count;
    return rc;
}

int signing_ways(uint64_t out[SIGNING_WARPS], const struct signing *signing, struct emulation *emulation)
{
    int rc = 0;

    for (unsigned w = 0; w < emulation->warp_count && !rc; w++)
        rc = way_of(&out[w], signing, emulation, w);
    return rc;
}

int signing_probe(struct signing *signing, struct emulation *emulation, unsigned turn)
{
    uint64_t ways[SIGNING_WARPS];

    if (!signing->likens || !signing->probes || turn + 1 != signing->probes)
        return 0;
    for (unsigned k = 0; k < signing->probes; k++) {
        const int rc = way_of(&ways[k], signing, emulation, signing->order[k]);

        if (rc)
            return rc;
    }
    for (unsigned b = 0; b < signing->kept_count && !signing->like; b++) {
        bool same = true;

        for (unsigned k = 0; k < signing->probes; k++)
            same &= ways[k] == signing->kept[b][signing->order[k]];
        signing->like = same ? b + 1 : 0;
    }
    return signing->like > 0;
}

/* Whether a warp is the first or the last of those that went its way. */
static bool at_end(const uint64_t *ways, unsigned warps, unsigned w)
{
    bool first = true, last = true;

    for (unsigned k = 0; k < warps; k++) {
        first &= k >= w || ways[k] != ways[w];
        last &= k <= w || ways[k] != ways[w];
    }
    return first || last;
}

static void choose_probes(struct signing *signing, const uint64_t *ways, unsigned warps)
{
    unsigned count = 0;

    for (unsigned w = 0; w < warps; w++)
        if (at_end(ways, warps, w))
            signing->order[count++] = w;
    signing->probes = count;
    for (unsigned w = 0; w < warps; w++)
        if (!at_end(ways, warps, w))
            signing->order[count++] = w;
}

static bool is_probe(const struct signing *signing, unsigned w)
{
    bool is = false;

    for (unsigned k = 0; k < signing->probes; k++)
        is |= signing->order[k] == w;
    return is;
}

void signing_keep(unsigned *which, struct signing *signing, const uint64_t ways[SIGNING_WARPS],
                  unsigned warps)
{
    bool told = true;

    *which = 0;
    if (!signing->kept_count)
        choose_probes(signing, ways, warps);
    for (unsigned w = 0; w < warps; w++)
        told &= !at_end(ways, warps, w) || is_probe(signing, w);
    if (!told || signing->kept_count == SIGNING_KEPT)
        return;
    memcpy(signing->kept[signing->kept_count++], ways, warps * sizeof *ways);
    *which = signing->kept_count;
}
