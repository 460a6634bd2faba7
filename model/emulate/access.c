#include "model/emulate/access.h"

#include "model/emulate/cluster.h"
#include "model/emulate/constants.h"
#include "model/emulate/follow.h"
#include "model/emulate/load_store.h"
#include "model/emulate/operand.h"
#include "model/emulate/slice.h"
#include "model/emulate/stas.h"
#include "model/emulate/steady.h"
#include "model/emulate/tensor_box.h"
#include "model/emulate/walk.h"

#include <stdio.h>
#include <string.h>

bool is_access(const struct sass *i)
{
    return i->access_count > 0;
}

const struct sass_operand *data_operand(const struct sass *i, unsigned k)
{
    for (unsigned s = 0; s < i->source_count; s++)
        if ((i->sources[s].kind == SASS_REGISTER || i->sources[s].kind == SASS_IMMEDIATE ||
             i->sources[s].kind == SASS_UNIFORM_REGISTER) &&
            k-- == 0)
            return &i->sources[s];
    return NULL;
}

static int bad_address(struct emulation *emulation, const struct request *request, unsigned lane,
                       const char *why)
{
    return stop_at(emulation, request->i, EMULATE_BAD_ADDRESS, "%s of %u bytes at %#llx by lane %u %s",
                   sass_info((enum sass_op)request->i->op)->name, request->width,
                   (unsigned long long)request->address[lane], lane, why);
}

/* Says beside which buffer, as most such accesses miss their own by a little. */
static int outside_buffers(struct emulation *emulation, const struct request *request, unsigned lane)
{
    const uint64_t address = request->address[lane];
    const struct region *near = memory_nearest(&emulation->memory, address);
    const bool before = near && address < near->address;
    char why[160] = "is outside every buffer";

    if (before)
        snprintf(why, sizeof why, "is outside every buffer, %llu bytes before %.60s",
                 (unsigned long long)(near->address - address), near->name);
    else if (near)
        snprintf(why, sizeof why, "is outside every buffer, at byte %llu of %.60s, which has %llu",
                 (unsigned long long)(address - near->address), near->name, (unsigned long long)near->bytes);
    return bad_address(emulation, request, lane, why);
}

static int outside_window(struct emulation *emulation, const struct request *request, unsigned lane,
                          bool shared)
{
    char why[100] = "is outside local memory";

    if (shared)
        snprintf(why, sizeof why, "is outside shared memory, which ends at %#zx: launch.shared is %u bytes",
                 emulation->shared_bytes, emulation->launch->shared_bytes);
    return bad_address(emulation, request, lane, why);
}

bool stays_in_block(const struct sass *i)
{
    return sass_info((enum sass_op)i->op)->class == SASS_CLASS_SHARED
               ? i->op != SASS_STAS
               : i->op == SASS_ATOMS || i->op == SASS_LDGSTS;
}

/* Shared memory of another block of the cluster: its rank stands above the 16 MB of the own window. */
static bool is_remote(const struct emulation *emulation, const struct sass *i, uint64_t address,
                      enum sass_space space)
{
    const uint32_t rank = (uint32_t)address >> 24;

    return space == SASS_SPACE_SHARED && rank < CLUSTER_BLOCKS && (rank || !stays_in_block(i)) &&
           rank != cluster_rank(emulation, emulation->own.position);
}

unsigned char *shared_base(bool **marks, struct emulation *emulation, const struct sass *i, uint32_t address)
{
    *marks = emulation->own.shared_unknown;
    return is_remote(emulation, i, address, SASS_SPACE_SHARED)
               ? cluster_shared(marks, emulation, address >> 24)
               : emulation->own.shared;
}

static int shared_cell(struct cell *out, struct emulation *emulation, const struct request *request,
                       unsigned lane)
{
    const uint32_t address = (uint32_t)request->address[lane];
    const size_t offset = cluster_offset(address);
    bool *marks;
    unsigned char *bytes = shared_base(&marks, emulation, request->i, address);

    if (!bytes) {
        *out = (struct cell){.bytes = emulation->remote, .remote = true};
        return STEP_NEXT;
    }
    if (address >> 24 >= CLUSTER_BLOCKS || emulation->shared_bytes < request->width ||
        offset > emulation->shared_bytes - request->width)
        return outside_window(emulation, request, lane, true);
    *out = (struct cell){.bytes = bytes + offset, .marks = marks + offset};
    return emulation->loads ? tensor_settle(emulation, out->bytes, request->width) : STEP_NEXT;
}

static int local_cell(struct cell *out, struct emulation *emulation, struct warp *warp,
                      const struct request *request, unsigned lane)
{
    const uint64_t offset = request->address[lane] & 0xffffffff;
    const size_t first = lane * emulation->local_bytes;

    if (emulation->local_bytes < request->width || offset > emulation->local_bytes - request->width)
        return outside_window(emulation, request, lane, false);
    warp->local_used = true;
    *out =
        (struct cell){.bytes = warp->local + first + offset, .marks = warp->local_unknown + first + offset};
    return STEP_NEXT;
}

/* Whether it changes global memory. */
static bool changes_global(const struct sass *i)
{
    bool changes = false;

    for (unsigned k = 0; k < i->access_count; k++)
        changes |= i->accesses[k].access & (SASS_WRITES | SASS_ATOMICALLY) &&
                   (i->accesses[k].space == SASS_SPACE_GLOBAL || i->accesses[k].space == SASS_SPACE_GENERIC);
    return changes;
}

int cell_find(struct cell *out, struct emulation *emulation, struct warp *warp, const struct request *request,
              unsigned lane)
{
    const uint64_t address = request->address[lane];
    const enum sass_space space =
        request->space == SASS_SPACE_GENERIC ? space_of(address) : (enum sass_space)request->space;
    struct region *region;
    int rc;

    if (address & (request->width - 1))
        return bad_address(emulation, request, lane, "is not aligned");
    if (space == SASS_SPACE_SHARED)
        return shared_cell(out, emulation, request, lane);
    if (space != SASS_SPACE_GLOBAL)
        return local_cell(out, emulation, warp, request, lane);
    region = memory_region(&emulation->memory, address, request->width);
    if (!region)
        return outside_buffers(emulation, request, lane);
    if (emulation->loads && changes_global(request->i) && (rc = tensor_settle_from(emulation, region)))
        return rc;
    out->region = region;
    out->remote = false;
    rc = region_page(&out->page, region, address - region->address, emulation->err);
    if (rc)
        return rc;
    out->offset = (size_t)((address - region->address) % PAGE_BYTES);
    out->bytes = out->page->bytes + out->offset;
    out->marks = NULL;
    return STEP_NEXT;
}

bool cell_unknown(const struct cell *cell, unsigned width)
{
    if (cell->remote)
        return true;
    if (cell->page)
        return page_unknown(cell->page, cell->offset, width);
    for (unsigned k = 0; k < width; k++)
        if (cell->marks[k])
            return true;
    return false;
}

bool cell_store(struct emulation *emulation, const struct cell *cell, const void *bytes, unsigned width,
                bool unknown)
{
    const bool changed = memcmp(cell->bytes, bytes, width) != 0;

    if (cell->remote)
        return false;
    memcpy(cell->bytes, bytes, width);
    if (cell->page) {
        page_taint(cell->page, cell->offset, width, unknown);
        cell->page->written = emulation->memory.written = true;
    } else if (unknown || emulation->own.shared_tainted) {
        memset(cell->marks, unknown, width);
        emulation->own.shared_tainted = true;
    }
    return changed;
}

/* Whether one lane's address is good. */
static int check_lane(struct emulation *emulation, const struct request *request, unsigned lane)
{
    const uint64_t address = request->address[lane];
    const enum sass_space space =
        request->space == SASS_SPACE_GENERIC ? space_of(address) : (enum sass_space)request->space;
    const size_t size = space == SASS_SPACE_SHARED ? emulation->shared_bytes : emulation->local_bytes;
    const uint32_t offset =
        space == SASS_SPACE_SHARED ? cluster_offset((uint32_t)address) : (uint32_t)address;

    if (address & (request->width - 1))
        return bad_address(emulation, request, lane, "is not aligned");
    if (is_remote(emulation, request->i, address, space))
        return STEP_NEXT;
    if (space == SASS_SPACE_GLOBAL)
        return memory_region(&emulation->memory, address, request->width)
                   ? STEP_NEXT
                   : outside_buffers(emulation, request, lane);
    if (size < request->width || offset > size - request->width)
        return outside_window(emulation, request, lane, space == SASS_SPACE_SHARED);
    return STEP_NEXT;
}

/* Whether every lane's address is good: at once where the lowest and the highest lie in one place. */
static int check_request(struct emulation *emulation, const struct request *request,
                         const struct pattern *pattern)
{
    const uint64_t width = request->width, moved = request->address[0] - pattern->address[0];
    const uint64_t least = pattern->least + moved, most = pattern->most + moved;

    if (!((pattern->bits | moved) & (width - 1))) {
        if (request->space == SASS_SPACE_SHARED && most + width <= emulation->shared_bytes)
            return STEP_NEXT;
        if (request->space == SASS_SPACE_LOCAL && most + width <= emulation->local_bytes)
            return STEP_NEXT;
        if (request->space == SASS_SPACE_GLOBAL && most - least < UINT32_MAX &&
            memory_region(&emulation->memory, least, (unsigned)(most - least + width)))
            return STEP_NEXT;
    }
    for (uint32_t left = request->mask; left; left &= left - 1) {
        const int rc = check_lane(emulation, request, (unsigned)__builtin_ctz(left));

        if (rc)
            return rc;
    }
    return STEP_NEXT;
}

/* LDGSTS: global to shared memory, past the registers. */
static int copy(struct emulation *emulation, struct warp *warp, const struct request *from,
                const struct request *to)
{
    for (uint32_t left = from->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        struct cell source, target;
        int rc = cell_find(&source, emulation, warp, from, lane);

        if (!rc)
            rc = cell_find(&target, emulation, warp, to, lane);
        if (rc)
            return rc;
        cell_store(emulation, &target, source.bytes, to->width, cell_unknown(&source, from->width));
    }
    note_change(emulation);
    return STEP_NEXT;
}

int request_pass(struct emulation *emulation, const struct request *request, bool wanted)
{
    const struct pattern *pattern = request_pattern(emulation, request);
    const int rc = check_request(emulation, request, pattern);

    if (rc)
        return rc;
    if (steady_listens(emulation->steady))
        steady_access(emulation->steady, request, wanted,
                      emulation->slice.plain_stack && request->space == SASS_SPACE_LOCAL);
    follow_request(emulation, request);
    return request_count(emulation, request, pattern);
}

/* Counted as one request: sectors of what it reads, wavefronts of what it writes. */
static int execute_copy(struct emulation *emulation, struct warp *warp, const struct request *from)
{
    struct request to;
    int rc = request_init(&to, emulation, warp, from->i, 1, from->mask);

    to.second = 1;
    if (!rc)
        rc = request_pass(emulation, from, false);
    if (!rc)
        rc = request_pass(emulation, &to, false);
    return rc || !emulation->slice.wanted[from->index] ? rc : copy(emulation, warp, from, &to);
}

static int execute_data(struct emulation *emulation, struct warp *warp, const struct request *request)
{
    if (request->i->op == SASS_LDSM || request->i->op == SASS_STSM)
        return matrix_execute(emulation, warp, request);
    if (request->access & SASS_ATOMICALLY)
        return atomic_execute(emulation, warp, request);
    return request->access & SASS_READS ? load_execute(emulation, warp, request)
                                        : store_execute(emulation, warp, request);
}

/* QSPC: whether a generic address lies in global, local, own or, .D, the cluster's shared memory. */
static int query_space(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask)
{
    static const enum sass_space asked[] = {SASS_SPACE_GLOBAL, SASS_SPACE_LOCAL, SASS_SPACE_SHARED,
                                            SASS_SPACE_SHARED};
    const unsigned variant = i->mod[SASS_MOD_VARIANT] & 3;
    struct request request;
    uint32_t is = 0;
    row words = {0};
    const int rc = request_init(&request, emulation, warp, i, 0, mask);

    if (rc)
        return rc;
    for (uint32_t left = mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const enum sass_space space = space_of(request.address[lane]);

        words[lane] = space == asked[variant] &&
                      (variant == 3 || !is_remote(emulation, i, request.address[lane], space));
        is |= words[lane] << lane;
    }
    predicate_store(warp, &i->destinations[0], is, mask, 0);
    operand_store(warp, &i->destinations[1], &words, 1, mask, 0);
    return STEP_NEXT;
}

/* Where in a table it reads decides nothing by itself: a place that cannot be known is no reason to stop, but what is read
 * there cannot be known either. */
static int execute_constant(struct emulation *emulation, struct warp *warp, const struct sass *i,
                            uint32_t mask, bool wanted)
{
    struct request request;
    int rc;

    if (mask & request_unknown(warp, &i->accesses[0])) {
        emulation->result->placeless |= request_counts_constants(emulation, i);
        if (wanted)
            make_unknown(warp, i, mask);
        return STEP_NEXT;
    }
    rc = request_init(&request, emulation, warp, i, 0, mask);
    if (rc || request.access & SASS_PREFETCHES)
        return rc;
    if (steady_listens(emulation->steady))
        steady_access(emulation->steady, &request, wanted, false);
    walk_note(emulation, &request, 0, 1);
    if (request_counts_constants(emulation, i) && !emulation->rehearsing)
        constants_mark(emulation, &request);
    if (request_counts_constants(emulation, i))
        rc = request_count(emulation, &request, request_pattern(emulation, &request));
    return rc || !wanted ? rc : constant_execute(emulation, warp, &request);
}

static int execute_request(struct emulation *emulation, struct warp *warp, const struct sass *i,
                           uint32_t mask, bool wanted)
{
    struct request request;
    int rc = request_init(&request, emulation, warp, i, 0, mask);

    if (rc || request.access & SASS_PREFETCHES)
        return rc;
    if (i->op == SASS_LDSM || i->op == SASS_STSM)
        matrix_lanes(&request);
    if (i->access_count > 1)
        return execute_copy(emulation, warp, &request);
    rc = request_pass(emulation, &request, wanted);
    if (!rc && wanted)
        rc = execute_data(emulation, warp, &request);
    return rc || !i->accesses[0].completes ? rc : stas_complete(emulation, warp, &request);
}

int access_execute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask)
{
    const bool wanted = emulation->slice.wanted[i->pc / SASS_BYTES];
    const bool doubts = slice_doubts(&emulation->slice, i), passed = emulation->signing && !wanted;
    int rc = STEP_NEXT;

    if (!mask || (passed && !doubts))
        return STEP_NEXT;
    if (i->op == SASS_QSPC)
        return query_space(emulation, warp, i, mask);
    if (sass_is_bulk(i))
        return bulk_execute(emulation, warp, i, mask);
    if (sass_is_tensor_copy(i))
        return tensor_copy_execute(emulation, warp, i, mask);
    if (!i->accesses[0].bytes || i->accesses[0].space == SASS_SPACE_TEXTURE ||
        i->accesses[0].space == SASS_SPACE_TENSOR) { /* what it moves stands in a descriptor */
        make_unknown(warp, i, mask);
        return STEP_NEXT;
    }
    if (i->accesses[0].space == SASS_SPACE_CONSTANT)
        return execute_constant(emulation, warp, i, mask, wanted);
    if (!passed)
        rc = execute_request(emulation, warp, i, mask, wanted);
    return rc || !doubts ? rc : store_unknown(emulation, warp, i, mask);
}
