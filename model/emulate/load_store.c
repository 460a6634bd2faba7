#include "model/emulate/load_store.h"

#include "model/emulate/cluster.h"
#include "model/emulate/operand.h"

#include <string.h>

/* Memory that lies together, all of it known, of which nothing needs to be asked lane by lane. */
struct window {
    uint64_t first; /* address */
    size_t size;
    unsigned char *bytes;
};

/* The bytes of a lane, whole words; null where the window does not hold them. */
static unsigned char *look(const struct window *window, const struct request *request, unsigned lane)
{
    const uint64_t at = request->address[lane] - window->first;

    return window->size >= request->width && at <= window->size - request->width &&
                   !(at & (request->width - 1))
               ? window->bytes + at
               : NULL;
}

/* Shared memory of the block, where nothing else can be meant and nothing of it is unknown or on its way. */
static struct window shared_window(const struct emulation *emulation, const struct request *request)
{
    const bool plain = request->space == SASS_SPACE_SHARED && !emulation->loads &&
                       !emulation->own.shared_tainted && cluster_running(emulation) == 1 &&
                       stays_in_block(request->i);

    return (struct window){.size = plain ? emulation->shared_bytes : 0, .bytes = emulation->own.shared};
}

/* Sliced: whether a store that was left out may have written what is loaded. */
static bool misses_stores(const struct emulation *emulation, uint64_t address, size_t bytes)
{
    const struct footprint *written = &emulation->block->written;

    return emulation->mode == EMULATE_SLICED && !emulation->slice.stores && written->count &&
           footprint_meets(written, address, bytes);
}

/* The part of a page that a lane's cell of global memory lies in. */
static struct window page_window(const struct emulation *emulation, const struct request *request,
                                 const struct cell *cell, unsigned lane)
{
    const size_t at = cell->offset % PART_BYTES;
    const uint64_t first = request->address[lane] - at,
                   left = cell->region->address + cell->region->bytes - first;
    const size_t size = left < PART_BYTES ? (size_t)left : PART_BYTES;
    const bool plain = !cell->page->tainted && !misses_stores(emulation, first, size);

    return (struct window){first, plain ? size : 0, cell->bytes - at};
}

/* Puts the bytes of a lane into words of registers. */
static void take(row *words, const struct request *request, unsigned lane, const unsigned char *bytes)
{
    const bool sign = request->i->accesses[0].sign;

    if (request->width == 1)
        words[0][lane] = sign ? (uint32_t)(int8_t)bytes[0] : bytes[0];
    else if (request->width == 2)
        words[0][lane] =
            sign ? (uint32_t)(int16_t)(bytes[0] | bytes[1] << 8) : (uint32_t)(bytes[0] | bytes[1] << 8);
    else
        for (unsigned w = 0; w < request->width / 4; w++)
            memcpy(&words[w][lane], bytes + 4 * w, 4);
}

static int load_lane(struct window *window, struct emulation *emulation, struct warp *warp,
                     const struct request *request, unsigned lane, row *words, uint32_t *unknown)
{
    struct cell cell;
    const int rc = cell_find(&cell, emulation, warp, request, lane);

    if (rc)
        return rc;
    if (cell.page && misses_stores(emulation, request->address[lane], 1)) {
        emulation->restart = true;
        return STEP_STOPPED;
    }
    take(words, request, lane, cell.bytes);
    if (cell_unknown(&cell, request->width))
        *unknown |= lane_bit(lane);
    if (cell.page)
        *window = page_window(emulation, request, &cell, lane);
    return STEP_NEXT;
}

void load_put(struct warp *warp, const struct sass *i, row *words, unsigned count, uint32_t mask,
              uint32_t unknown)
{
    for (unsigned k = 0; k < i->destination_count && count; k++) {
        const struct sass_operand *to = &i->destinations[k];
        const unsigned n = to->count < count ? to->count : count;

        if (to->kind != SASS_REGISTER && to->kind != SASS_UNIFORM_REGISTER)
            continue;
        operand_store(warp, to, words, n, mask, unknown);
        words += n;
        count -= n;
    }
}

/* Whether all lanes load from where this one does: what is local has each lane its own of. */
static bool loads_one(const struct request *request, unsigned lane)
{
    uint64_t other = 0;

    for (unsigned l = 0; l < LANES; l++)
        other |= (request->address[l] ^ request->address[lane]) & (0 - (uint64_t)(request->mask >> l & 1));
    return !other && (request->space == SASS_SPACE_GLOBAL || request->space == SASS_SPACE_SHARED);
}

/* Gives all lanes what this one loaded. */
static void spread_words(row *words, unsigned count, unsigned lane)
{
    for (unsigned w = 0; w < count; w++) {
        const uint32_t word = words[w][lane];

        for (unsigned l = 0; l < LANES; l++)
            words[w][l] = word;
    }
}

int load_execute(struct emulation *emulation, struct warp *warp, const struct request *request)
{
    const unsigned count = (request->width + 3) / 4;
    const uint32_t first = request->mask & (0 - request->mask);
    const bool one = loads_one(request, (unsigned)__builtin_ctz(request->mask));
    struct window window = shared_window(emulation, request);
    row words[8];
    uint32_t unknown = 0;

    for (uint32_t left = one ? first : request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const unsigned char *bytes = look(&window, request, lane);
        int rc;

        if (bytes)
            take(words, request, lane, bytes);
        else if ((rc = load_lane(&window, emulation, warp, request, lane, words, &unknown)))
            return rc;
    }
    if (unknown && slice_trusts(&emulation->slice, request->i)) {
        emulation->mistrust = request->index;
        emulation->restart = true;
        return STEP_STOPPED;
    }
    if (one)
        spread_words(words, count, (unsigned)__builtin_ctz(request->mask));
    load_put(warp, request->i, words, count, request->mask, one && unknown ? request->mask : unknown);
    return STEP_NEXT;
}

/* The words that lanes store, from one or two operands. */
static uint32_t store_data(const struct emulation *emulation, const struct warp *warp, const struct sass *i,
                           unsigned count, row *words)
{
    uint32_t unknown = 0;

    for (unsigned k = 0, w = 0; w < count; k++) {
        const struct sass_operand *from = data_operand(i, k);

        if (!from)
            break;
        unknown |= operand_unknown(emulation, warp, from);
        for (unsigned n = 0; n < (from->count ? from->count : 1) && w < count; n++, w++) {
            row scratch;

            memcpy(words[w], operand_row(emulation, warp, from, n, scratch), sizeof(row));
        }
    }
    return unknown;
}

static int store_lane(bool *changed, struct emulation *emulation, struct warp *warp,
                      const struct request *request, unsigned lane, row *words, bool unknown)
{
    uint32_t value[8];
    struct cell cell;
    const int rc = cell_find(&cell, emulation, warp, request, lane);

    if (rc)
        return rc;
    for (unsigned w = 0; w < (request->width + 3) / 4; w++)
        value[w] = words[w][lane];
    *changed |= cell_store(emulation, &cell, value, request->width, unknown);
    return STEP_NEXT;
}

int store_execute(struct emulation *emulation, struct warp *warp, const struct request *request)
{
    const unsigned count = (request->width + 3) / 4;
    row words[8] = {{0}};
    const uint32_t unknown = store_data(emulation, warp, request->i, count, words);
    const struct window window = unknown & request->mask || request->width < 4
                                     ? (struct window){0}
                                     : shared_window(emulation, request);
    bool changed = false;

    for (uint32_t left = request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        unsigned char *bytes = look(&window, request, lane);
        int rc;

        for (unsigned w = 0; w < count && bytes; w++) {
            changed |= memcmp(bytes + 4 * w, &words[w][lane], 4) != 0;
            memcpy(bytes + 4 * w, &words[w][lane], 4);
        }
        if (!bytes && (rc = store_lane(&changed, emulation, warp, request, lane, words, unknown >> lane & 1)))
            return rc;
    }
    if (changed)
        note_change(emulation);
    return STEP_NEXT;
}

int store_unknown(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask)
{
    struct request request;
    int rc = request_init(&request, emulation, warp, i, i->access_count - 1, mask);

    if (i->op == SASS_STSM)
        matrix_lanes(&request);
    for (uint32_t left = mask; left && !rc; left &= left - 1) {
        struct cell cell;

        rc = cell_find(&cell, emulation, warp, &request, (unsigned)__builtin_ctz(left));
        if (!rc && !cell.remote)
            memset(cell.marks, true, request.width);
    }
    emulation->own.shared_tainted = true;
    return rc;
}

/* One lane's word of a constant bank, or the part of it that is loaded; false when it cannot be known. */
static bool constant_part(uint32_t *out, const struct emulation *emulation, const struct request *request,
                          uint64_t at)
{
    const struct sass_access *access = &request->i->accesses[0];
    const bool known = constant_word(&emulation->memory, access->bank, at & ~UINT64_C(3), out);

    if (request->width < 4) {
        *out = *out >> 8 * (at & 3) & (request->width == 1 ? 0xff : 0xffff);
        if (access->sign)
            *out = request->width == 1 ? (uint32_t)(int8_t)*out : (uint32_t)(int16_t)*out;
    }
    return known;
}

/* LDC, ULDC: a constant bank, indexed by a register, most often the same word for all lanes. */
int constant_execute(struct emulation *emulation, struct warp *warp, const struct request *request)
{
    const unsigned words = (request->width + 3) / 4;
    uint32_t unknown = 0;
    row out[4];

    for (unsigned w = 0; w < words; w++) {
        uint64_t last = ~request->address[__builtin_ctz(request->mask)];
        uint32_t value = 0;
        bool known = true;

        for (uint32_t left = request->mask; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);

            if (request->address[lane] != last)
                known = constant_part(&value, emulation, request, request->address[lane] + 4 * w);
            last = request->address[lane];
            unknown |= known ? 0 : lane_bit(lane);
            out[w][lane] = value;
        }
    }
    load_put(warp, request->i, out, words, request->mask, unknown);
    return STEP_NEXT;
}
