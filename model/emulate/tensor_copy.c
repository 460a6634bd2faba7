/* Tensor copies (UTMALDG, UTMASTG, UTMAREDG): a box of a tensor in global memory, which a tensor map among the
 * kernel's arguments describes, to or from shared memory. Done at once, like bulk copies. */
#include "model/emulate/access.h"
#include "model/emulate/cluster.h"
#include "model/emulate/mbarrier.h"
#include "model/emulate/operand.h"
#include "model/emulate/record.h"
#include "model/emulate/steady.h"
#include "model/emulate/tensor_box.h"
#include "model/sass/arch/geometry.h"

#include <string.h>

static int refuse(struct emulation *emulation, const struct sass *i, const char *what)
{
    return stop_at(emulation, i, EMULATE_INCOMPLETE, "%s of %s", what, sass_info((enum sass_op)i->op)->name);
}

/* The tensor map among the arguments at this address; null where it lies elsewhere. */
static const struct tensor_map *find_map(const struct emulation *emulation, uint64_t address)
{
    const struct launch *launch = emulation->launch;
    size_t k = 0;

    for (size_t a = 0; a < launch->argument_count; a++) {
        const struct argument *argument = &launch->arguments[a];

        if (!argument_ops(argument)->parameter_bytes(argument))
            continue;
        if (k < emulation->kernel->parameter_count && argument->tensor_map &&
            address == PARAMETER_WINDOW + emulation->kernel->parameters[k].offset)
            return argument->tensor_map;
        k++;
    }
    return NULL;
}

/* Which of the registers of the first operand is the first coordinate: before it stand the place in shared
 * memory and, of a load, the mbarrier. */
static unsigned coordinates_at(const struct sass *i)
{
    return i->op == SASS_UTMALDG ? 2 : 1;
}

static void read_box(struct tensor_copy *out, const uint32_t *coordinates)
{
    const struct tensor_map *map = out->map;

    out->element = tensor_element_bytes(map->type);
    out->base = out->emulation->memory.arguments[map->buffer] + map->offset;
    for (unsigned d = 0; d < TENSOR_RANK_MOST; d++) {
        const unsigned step = d && d < map->rank ? map->element_strides[d] : 1;

        out->first[d] = d < map->rank ? (int32_t)coordinates[d] : 0;
        out->extent[d] = d < map->rank ? (map->box[d] + step - 1) / step : 1;
    }
}

/* Apart, where it goes to in shared memory is not followed. */
static bool is_unknown(const struct emulation *emulation, const struct warp *warp, const struct sass *i,
                       unsigned lane)
{
    const bool apart = emulation->slice.apart;
    uint32_t unknown = 0;

    for (unsigned k = 0; k < (apart ? 2u : i->source_count); k++) {
        struct sass_operand operand = i->sources[k];

        if (apart && !k) {
            operand.index = (uint8_t)(operand.index + coordinates_at(i));
            operand.count = (uint8_t)(operand.count - coordinates_at(i));
        }
        unknown |= operand_unknown(emulation, warp, &operand);
    }
    return unknown >> lane & 1;
}

void note_receivers(struct emulation *emulation, const struct warp *warp, const struct sass *i, unsigned lane)
{
    const bool several = i->mod[SASS_MOD_VARIANT] & SASS_BULK_MULTICAST;
    const struct sass_operand *ranks = &i->sources[2];
    uint64_t receivers = 1;

    if (emulation->rehearsing || emulation->lowest ||
        (several && operand_unknown(emulation, warp, ranks) >> lane & 1))
        return;
    if (several)
        receivers = (uint64_t)__builtin_popcount(warp->regs->u[ranks->index][lane] >> 16);
    emulation->block->counts[i->pc / SASS_BYTES].receivers = receivers;
}

/* A row begins at a multiple of 16 bytes in the tensor, wherever it is cut off: else the instruction is illegal, as an NVIDIA H200
 * has it. Looked at for loads. */
static int check_start(const struct tensor_copy *copy)
{
    enum { START = 16 };
    const int64_t first = copy->first[0];

    if (copy->i->op != SASS_UTMALDG || first * (int64_t)copy->element % START == 0)
        return STEP_NEXT;
    return stop_at(copy->emulation, copy->i, EMULATE_BAD_ADDRESS,
                   "%s from element %lld of dimension 0, of %zu bytes each: a multiple of %d bytes is meant",
                   sass_info(SASS_UTMALDG)->name, (long long)first, copy->element, START);
}

static int read_operands(struct tensor_copy *out, struct emulation *emulation, struct warp *warp,
                         const struct sass *i, unsigned lane)
{
    const struct sass_operand *place = &i->sources[0], *where = &i->sources[1];
    row *u = warp->regs->u;
    const bool loads = i->op == SASS_UTMALDG;
    uint32_t coordinates[TENSOR_RANK_MOST] = {0};

    *out = (struct tensor_copy){.emulation = emulation, .warp = warp, .i = i};
    if (is_unknown(emulation, warp, i, lane))
        return refuse(emulation, i, "an unknown operand");
    if (i->mod[SASS_MOD_VARIANT] & SASS_BULK_IM2COL)
        return refuse(emulation, i, "the im2col mode");
    if (place->index + place->count > SASS_URZ)
        return refuse(emulation, i, "registers that do not exist are operands");
    out->map_address = u[where->index][lane] | (uint64_t)u[where->index + 1][lane] << 32;
    out->map = find_map(emulation, out->map_address);
    if (!out->map)
        return refuse(emulation, i, "a tensor map that is no argument of the kernel is an operand");
    if (out->map->interleave != TENSOR_INTERLEAVE_NONE)
        return refuse(emulation, i, "an interleaved tensor is an operand");
    if (out->map->rank != i->mod[SASS_MOD_MATRICES])
        return refuse(emulation, i, "a tensor map of another rank is an operand");
    out->shared = u[place->index][lane];
    out->mbarrier = loads ? u[place->index + 1][lane] : 0;
    for (unsigned d = 0; d < out->map->rank; d++)
        coordinates[d] = u[place->index + coordinates_at(i) + d][lane];
    if (loads && i->mod[SASS_MOD_VARIANT] & SASS_BULK_MULTICAST)
        out->ranks = u[i->sources[2].index][lane] >> 16;
    if (loads)
        note_receivers(emulation, warp, i, lane);
    read_box(out, coordinates);
    return check_start(out);
}

static uint64_t blocks_of(uint64_t address, uint64_t bytes, unsigned size)
{
    return (address + bytes - 1) / size - address / size + 1;
}

/* The copy as a request of global memory, whose rows are marked by their addresses. */
static struct request request_of(const struct tensor_copy *copy)
{
    return (struct request){.i = copy->i,
                            .index = copy->i->pc / SASS_BYTES,
                            .space = SASS_SPACE_GLOBAL,
                            .access = copy->i->accesses[0].access};
}

/* What of the tensor is moved: requests of L2, which knows nothing of the box. `rows` rows of `bytes` bytes, `step` bytes
 * apart. `request` is the copy's, which is large. */
static int count_rows(struct emulate_count *count, const struct tensor_copy *copy,
                      const struct request *request, uint64_t address, uint64_t bytes, uint64_t step,
                      uint64_t rows)
{
    const uint64_t alike = step % LINE ? 1 : rows;

    for (uint64_t k = 0; count && k < rows; k += alike) {
        const uint64_t sectors = alike * blocks_of(address + k * step, bytes, SECTOR);
        const uint64_t lines = alike * blocks_of(address + k * step, bytes, LINE);

        count->bytes += alike * bytes;
        count->sectors += sectors;
        count->sectors_once += sectors;
        count->lines += lines;
        count->lines_once += lines;
    }
    return copy->emulation->rehearsing
               ? 0
               : request_mark(copy->emulation, request, address, bytes, (int64_t)step, rows);
}

/* Whether all of the box is in the tensor, and where it begins. */
static bool is_inside(uint64_t *address, const struct tensor_copy *copy)
{
    const struct tensor_map *map = copy->map;
    uint64_t at = copy->base;

    for (unsigned d = 0; d < map->rank; d++) {
        const int64_t reach = (int64_t)(copy->extent[d] - 1) * (d ? map->element_strides[d] : 1);

        if (copy->first[d] < 0 || copy->first[d] + reach >= (int64_t)map->dimensions[d])
            return false;
        at += (uint64_t)copy->first[d] * (d ? map->strides[d] : copy->element);
    }
    *address = at;
    return true;
}

/* Whether all rows of the box lie in a buffer: those between the first and the last do where these do. */
static bool is_in_buffer(const struct tensor_copy *copy)
{
    const struct tensor_map *map = copy->map;
    struct region *region;
    uint64_t first, last;

    if (!is_inside(&first, copy))
        return false;
    last = first + (uint64_t)copy->extent[0] * copy->element - 1;
    for (unsigned d = 1; d < map->rank; d++)
        last += (uint64_t)(copy->extent[d] - 1) * map->element_strides[d] * map->strides[d];
    region = memory_region(&copy->emulation->memory, first, 1);
    return region && region == memory_region(&copy->emulation->memory, last, 1);
}

/* Where the copy is counted; null where nothing is. */
static struct emulate_count *count_of(const struct tensor_copy *copy)
{
    const struct emulation *emulation = copy->emulation;

    return emulation->rehearsing || emulation->lowest ? NULL
                                                      : &emulation->block->counts[copy->i->pc / SASS_BYTES];
}

static int count_copy(const struct tensor_copy *copy)
{
    struct emulation *emulation = copy->emulation;
    const struct tensor_map *map = copy->map;
    const uint64_t box = tensor_box_bytes(map);
    const bool whole = is_in_buffer(copy);
    const uint64_t rows = whole ? copy->extent[1] : 1;
    const uint64_t step = rows > 1 ? map->element_strides[1] * map->strides[1] : 0;
    struct emulate_count *count = count_of(copy);
    const struct request request = request_of(copy);
    unsigned at[TENSOR_RANK_MOST] = {0};
    int rc = 0;

    if (emulation->rehearsing && whole) /* nothing is counted */
        return 0;
    if (count) {
        count->requests++;
        count->lanes++;
        count->wavefronts += (box + LINE - 1) / LINE;
        count->filled += copy->i->op == SASS_UTMALDG ? (box + SECTOR - 1) / SECTOR : 0;
    }
    do {
        uint64_t address, bytes;
        int64_t skipped, elements;

        if (tensor_row_inside(&address, &skipped, &elements, copy, at)) {
            bytes = (uint64_t)elements * copy->element;
            if (!whole && !memory_region(&emulation->memory, address, (unsigned)bytes))
                return refuse(emulation, copy->i, "a tensor outside its buffer is an operand");
            rc = count_rows(count, copy, &request, address, bytes, step, rows);
        }
        at[1] += (unsigned)rows - 1;
    } while (!rc && tensor_next_row(at, copy));
    return rc;
}

/* A load comes to one block of the cluster, or to several, at the same place of each. */
static int arrive(struct tensor_copy *copy, uint32_t rank)
{
    const uint64_t bytes = tensor_box_bytes(copy->map);
    int rc = 0;

    copy->shared = cluster_offset(copy->shared) | rank << 24;
    copy->mbarrier = cluster_offset(copy->mbarrier) | rank << 24;
    if (copy->emulation->slice.wanted[copy->i->pc / SASS_BYTES])
        rc = tensor_load(copy);
    return rc ? rc : mbarrier_complete(copy->emulation, copy->warp, copy->i, copy->mbarrier, bytes);
}

/* What was counted since `before`, `times` more times. */
static void repeat_counts(struct emulate_count *counts, const struct emulate_count *before, uint64_t times)
{
    counts->requests += times * (counts->requests - before->requests);
    counts->lanes += times * (counts->lanes - before->lanes);
    counts->wavefronts += times * (counts->wavefronts - before->wavefronts);
    counts->filled += times * (counts->filled - before->filled);
    counts->bytes += times * (counts->bytes - before->bytes);
    counts->sectors += times * (counts->sectors - before->sectors);
    counts->sectors_once += times * (counts->sectors_once - before->sectors_once);
    counts->lines += times * (counts->lines - before->lines);
    counts->lines_once += times * (counts->lines_once - before->lines_once);
}

/* `count` boxes inside of the tensor, each `step` bytes, whole lines, behind the one before. */
static int count_inside(const struct tensor_copy *copy, int64_t step, uint64_t count)
{
    struct emulate_count *counts = count_of(copy);
    const struct emulate_count before = counts ? *counts : (struct emulate_count){0};
    const struct request request = request_of(copy);
    unsigned at[TENSOR_RANK_MOST] = {0};
    int rc = count_copy(copy);

    if (counts)
        repeat_counts(counts, &before, count - 1);
    do {
        uint64_t address;
        int64_t skipped, elements;

        if (!rc && tensor_row_inside(&address, &skipped, &elements, copy, at))
            rc = record_mark_stretch(copy->emulation, &request, address + (uint64_t)step,
                                     (uint64_t)elements * copy->element, step, count - 1);
    } while (!rc && tensor_next_row(at, copy));
    return rc;
}

int tensor_copy_count(struct emulation *emulation, const struct sass *i, const uint64_t value[LANES],
                      const uint64_t delta[LANES], uint64_t first, uint64_t count)
{
    struct tensor_copy copy = {.emulation = emulation, .i = i}, last;
    uint64_t begin = 0, end = 0, next = 0;
    uint32_t coordinates[3][TENSOR_RANK_MOST];
    int rc = 0;

    copy.map = find_map(emulation, value[TENSOR_RANK_MOST] | value[TENSOR_RANK_MOST + 1] << 32);
    for (unsigned d = 0; d < TENSOR_RANK_MOST; d++) {
        coordinates[0][d] = (uint32_t)(value[d] + first * delta[d]);
        coordinates[1][d] = (uint32_t)(value[d] + (first + 1) * delta[d]);
        coordinates[2][d] = (uint32_t)(value[d] + (first + count - 1) * delta[d]);
    }
    last = copy;
    read_box(&last, coordinates[2]);
    read_box(&copy, coordinates[1]);
    if (count > 2 && is_inside(&end, &last) && is_inside(&next, &copy)) {
        read_box(&copy, coordinates[0]);
        if (is_inside(&begin, &copy) && (next - begin) % LINE == 0)
            return count_inside(&copy, (int64_t)(next - begin), count);
    }
    for (uint64_t t = first; t < first + count && !rc; t++) {
        for (unsigned d = 0; d < TENSOR_RANK_MOST; d++)
            coordinates[0][d] = (uint32_t)(value[d] + t * delta[d]);
        read_box(&copy, coordinates[0]);
        rc = count_copy(&copy);
    }
    return rc;
}

/* For loops in steady state: coordinates, then the address of the map. */
static void note_copy(const struct tensor_copy *copy)
{
    uint64_t values[LANES] = {0};

    for (unsigned d = 0; d < TENSOR_RANK_MOST; d++)
        values[d] = (uint32_t)copy->first[d];
    values[TENSOR_RANK_MOST] = (uint32_t)copy->map_address;
    values[TENSOR_RANK_MOST + 1] = copy->map_address >> 32;
    steady_copy(copy->emulation->steady, copy->i, values);
}

int tensor_copy_execute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask)
{
    struct tensor_copy copy;
    int rc = read_operands(&copy, emulation, warp, i, (unsigned)__builtin_ctz(mask));

    if (!rc && steady_listens(emulation->steady))
        note_copy(&copy);
    if (!rc)
        rc = count_copy(&copy);
    if (rc || emulation->slice.apart)
        return rc;
    if (i->op != SASS_UTMALDG)
        return emulation->slice.wanted[i->pc / SASS_BYTES] ? tensor_move(&copy) : STEP_NEXT;
    if (!copy.ranks)
        return arrive(&copy, copy.shared >> 24);
    for (uint32_t left = copy.ranks; left && !rc; left &= left - 1)
        rc = arrive(&copy, (uint32_t)__builtin_ctz(left));
    return rc;
}
