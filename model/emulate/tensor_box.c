#include "model/emulate/tensor_box.h"

#include "model/emulate/access.h"
#include "model/emulate/cluster.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_MOST = 16, SWIZZLE_ROW_SHIFT = 7, SWIZZLE_CHUNK_SHIFT = 4, SWIZZLE_BYTES = 1024 };

bool tensor_row_inside(uint64_t *address, int64_t *skipped, int64_t *count, const struct tensor_copy *copy,
                       const unsigned at[TENSOR_RANK_MOST])
{
    const struct tensor_map *map = copy->map;
    const int64_t begin = copy->first[0] > 0 ? copy->first[0] : 0;
    const int64_t box_end = copy->first[0] + copy->extent[0], end = (int64_t)map->dimensions[0];

    *address = copy->base;
    for (unsigned d = 1; d < map->rank; d++) {
        const int64_t c = copy->first[d] + (int64_t)at[d] * map->element_strides[d];

        if (c < 0 || c >= (int64_t)map->dimensions[d])
            return false;
        *address += (uint64_t)c * map->strides[d];
    }
    *skipped = begin - copy->first[0];
    *count = (box_end < end ? box_end : end) - begin;
    *address += (uint64_t)begin * copy->element;
    return *count > 0;
}

bool tensor_next_row(unsigned at[TENSOR_RANK_MOST], const struct tensor_copy *copy)
{
    for (unsigned d = 1; d < TENSOR_RANK_MOST; d++) {
        if (++at[d] < copy->extent[d])
            return true;
        at[d] = 0;
    }
    return false;
}

/* Where byte `offset` of the packed box lies in shared memory. */
static uint32_t swizzled(const struct tensor_copy *copy, uint64_t offset)
{
    const unsigned bits = copy->map->swizzle; /* 0 to 3 */
    const uint32_t address = copy->shared + (uint32_t)offset;

    return address ^ (address >> SWIZZLE_ROW_SHIFT & ((1u << bits) - 1)) << SWIZZLE_CHUNK_SHIFT;
}

static struct request part_at(const struct tensor_copy *copy, enum sass_space space, uint64_t address,
                              unsigned width)
{
    return (struct request){.i = copy->i,
                            .index = copy->i->pc / SASS_BYTES,
                            .mask = 1,
                            .width = width,
                            .space = (uint8_t)space,
                            .address = {address}};
}

/* What a float outside reads as where that is no number: all ones do for every type. */
static void fill(unsigned char out[CHUNK_MOST], const struct tensor_map *map)
{
    memset(out, map->fill == TENSOR_FILL_NAN ? 0xff : 0, CHUNK_MOST);
}

/* The cells of a piece, of which the first is read where the copy loads. */
struct piece {
    struct cell global, shared;
};

static int find_piece(struct piece *out, const struct tensor_copy *copy, uint64_t address, uint64_t offset,
                      unsigned width)
{
    const struct request outer = part_at(copy, SASS_SPACE_GLOBAL, address, width),
                         inner = part_at(copy, SASS_SPACE_SHARED, swizzled(copy, offset), width);
    const int rc = address ? cell_find(&out->global, copy->emulation, copy->warp, &outer, 0) : 0;

    return rc ? rc : cell_find(&out->shared, copy->emulation, copy->warp, &inner, 0);
}

/* `width` bytes, an element or more; outside of the tensor where `address` is 0. Of several elements some may be unknown: they
 * are moved one by one. */
static int move_piece(const struct tensor_copy *copy, uint64_t address, uint64_t offset, unsigned width)
{
    const bool loads = copy->i->op == SASS_UTMALDG;
    unsigned char outside[CHUNK_MOST];
    struct piece piece;
    bool unknown;
    int rc = find_piece(&piece, copy, address, offset, width);

    if (rc)
        return rc;
    unknown = address && cell_unknown(loads ? &piece.global : &piece.shared, width);
    for (unsigned k = 0; unknown && width > copy->element && k < width && !rc; k += copy->element)
        rc = move_piece(copy, address + k, offset + k, (unsigned)copy->element);
    if (rc || (unknown && width > copy->element))
        return rc;
    fill(outside, copy->map);
    if (loads)
        cell_store(copy->emulation, &piece.shared, address ? piece.global.bytes : outside, width, unknown);
    else if (address)
        cell_store(copy->emulation, &piece.global, piece.shared.bytes, width,
                   copy->i->op == SASS_UTMAREDG || unknown);
    return 0;
}

/* Elements that are moved at once, of `left` in a row: those of 16 bytes, which swizzling leaves together, or one. */
static int64_t elements_at_once(const struct tensor_copy *copy, uint64_t address, uint64_t offset,
                                int64_t left)
{
    const int64_t chunk = CHUNK_MOST / (int64_t)copy->element;

    return (address | (copy->shared + offset)) % CHUNK_MOST == 0 && chunk <= left ? chunk : 1;
}

static int move_rows(const struct tensor_copy *copy)
{
    unsigned at[TENSOR_RANK_MOST] = {0};
    uint64_t offset = 0;
    int rc = 0;

    do {
        uint64_t address;
        int64_t skipped, count, step;
        const bool inside = tensor_row_inside(&address, &skipped, &count, copy, at);

        for (int64_t k = 0; k < copy->extent[0] && !rc; k += step, offset += (uint64_t)step * copy->element) {
            const bool there = inside && k >= skipped && k < skipped + count;
            const int64_t end = there ? skipped + count : inside && k < skipped ? skipped : copy->extent[0];
            const uint64_t from = there ? address + (uint64_t)(k - skipped) * copy->element : 0;

            step = elements_at_once(copy, from, offset, end - k);
            rc = move_piece(copy, from, offset, (unsigned)(step * (int64_t)copy->element));
        }
    } while (!rc && tensor_next_row(at, copy));
    return rc;
}

int tensor_move(const struct tensor_copy *copy)
{
    const int rc = move_rows(copy);

    note_change(copy->emulation);
    return rc;
}

/* Loads that were put off -------------------------------------------------- */

enum { PUT_OFF = 512 /* at a time */ };

struct span {
    const unsigned char *first;
    size_t bytes;
};

/* The loads, and the bytes of shared memory among which those of each are: no two have any in common. Words that warps
 * wait at lie beside them: a look at what all loads to one block of the cluster lie in tells. */
struct tensor_loads {
    struct tensor_copy copies[PUT_OFF];
    struct span spans[PUT_OFF], all[CLUSTER_BLOCKS];
    size_t count;
};

void tensor_forget(struct emulation *emulation)
{
    if (emulation->loads)
        emulation->loads->count = 0;
}

static bool overlaps(const struct span *span, const unsigned char *bytes, size_t count)
{
    return bytes < span->first + span->bytes && span->first < bytes + count;
}

static void take_out(struct tensor_loads *loads, size_t k)
{
    loads->count--;
    loads->copies[k] = loads->copies[loads->count];
    loads->spans[k] = loads->spans[loads->count];
}

/* Moves one of them now. */
static int settle(struct tensor_loads *loads, size_t k)
{
    const struct tensor_copy copy = loads->copies[k];

    take_out(loads, k);
    return move_rows(&copy);
}

static bool may_overlap(const struct tensor_loads *loads, const unsigned char *bytes, size_t count)
{
    for (unsigned r = 0; r < CLUSTER_BLOCKS && loads->count; r++)
        if (loads->all[r].bytes && overlaps(&loads->all[r], bytes, count))
            return true;
    return false;
}

int tensor_settle(struct emulation *emulation, const unsigned char *bytes, size_t count)
{
    struct tensor_loads *loads = emulation->loads;
    int rc = 0;

    if (!may_overlap(loads, bytes, count))
        return 0;
    for (size_t k = 0; k < loads->count && !rc;)
        if (overlaps(&loads->spans[k], bytes, count))
            rc = settle(loads, k);
        else
            k++;
    return rc;
}

int tensor_settle_from(struct emulation *emulation, const struct region *region)
{
    struct tensor_loads *loads = emulation->loads;
    int rc = 0;

    for (size_t k = 0; k < loads->count && !rc;)
        if (loads->copies[k].base - region->address < region->bytes)
            rc = settle(loads, k);
        else
            k++;
    return rc;
}

/* Whether nothing can be wrong with its bytes when they are moved later: all of them are aligned, and in
 * shared memory, from *first on. Swizzling leaves them within 1024 bytes. */
static bool can_wait(uint32_t *first, uint32_t *bytes, const struct tensor_copy *copy)
{
    const struct tensor_map *map = copy->map;
    const uint32_t unit = map->swizzle ? SWIZZLE_BYTES : 1, offset = cluster_offset(copy->shared);
    const uint64_t end = (offset + tensor_box_bytes(map) + unit - 1) / unit * unit;
    uint64_t places = copy->shared | copy->base;

    for (unsigned d = 1; d < map->rank; d++)
        places |= map->strides[d];
    *first = offset / unit * unit;
    *bytes = (uint32_t)(end - *first);
    return places % copy->element == 0 && end <= copy->emulation->shared_bytes;
}

/* Loads that it fills the bytes of are nothing any more; others that it fills some of come before it. */
static int make_way(struct emulation *emulation, const struct tensor_copy *copy, struct span span)
{
    struct tensor_loads *loads = emulation->loads;
    const bool full = tensor_box_bytes(copy->map) == span.bytes;
    int rc = 0;

    for (size_t k = 0; k < loads->count;) {
        const struct span *other = &loads->spans[k];

        if (full && other->first >= span.first && other->first + other->bytes <= span.first + span.bytes)
            take_out(loads, k);
        else
            k++;
    }
    if (loads->count == PUT_OFF)
        rc = settle(loads, 0);
    return rc ? rc : tensor_settle(emulation, span.first, span.bytes);
}

/* Of a load to the block of rank `rank`. */
static void add_span(struct tensor_loads *loads, unsigned rank, struct span span)
{
    struct span *all = &loads->all[rank];
    const unsigned char *end = span.first + span.bytes;

    if (!loads->count)
        memset(loads->all, 0, sizeof loads->all);
    if (all->bytes && all->first + all->bytes > end)
        end = all->first + all->bytes;
    if (!all->bytes || all->first > span.first)
        all->first = span.first;
    all->bytes = (size_t)(end - all->first);
    loads->spans[loads->count++] = span;
}

static int put_off(const struct tensor_copy *copy, struct span span)
{
    struct emulation *emulation = copy->emulation;
    struct tensor_loads *loads;
    int rc;

    if (!emulation->loads && !(emulation->loads = calloc(1, sizeof *emulation->loads)))
        return err_memory(emulation->err);
    loads = emulation->loads;
    rc = make_way(emulation, copy, span);
    if (rc)
        return rc;
    loads->copies[loads->count] = *copy;
    add_span(loads, copy->shared >> 24 & (CLUSTER_BLOCKS - 1), span);
    return 0;
}

int tensor_load(const struct tensor_copy *copy)
{
    struct emulation *emulation = copy->emulation;
    const unsigned char *shared;
    uint32_t first, bytes;
    bool *marks;
    int rc = 0;

    if (!can_wait(&first, &bytes, copy))
        return tensor_move(copy);
    shared = shared_base(&marks, emulation, copy->i, copy->shared);
    if (shared) /* else it is lost */
        rc = put_off(copy, (struct span){shared + first, bytes});
    note_change(emulation);
    return rc;
}
