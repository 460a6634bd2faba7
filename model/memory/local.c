#include "model/memory/local.h"

#include "model/memory/kept.h"
#include "model/memory/reuse_regions.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum {
    STACK_POINTER = 1, /* the register that holds where the frame begins */
    WORD = 4           /* bytes; those of a warp's threads lie side by side and fill a line */
};

/* A thread's frame as its warps go over it, again and again, by the instructions that are executed most. */
struct frame {
    const struct traffic *traffic;
    const struct sass_code *code;
    double often; /* executed so often an instruction counts */
    size_t words; /* of the frame */
    size_t *seen; /* of each word, when it was last reached, from 1; 0: never */
    size_t now;
    double loads, stores; /* of a warp: lines of the frame, each time that one is reached */
    double brought,
        exchanged; /* by a warp's accesses to global memory: bytes that come to L1, and between L2 and DRAM */
    double in_l2,
        stored_in_l2; /* the shares of what is reached that L2 still holds when it is loaded, when it is stored again */
    const struct traffic_caches *caches;
    double resident_warps;
};

static bool accesses_local(const struct traffic *traffic, const struct sass_code *code, size_t i)
{
    return traffic_is_local(&code->instructions[i]) && traffic->counts[i].requests > 0;
}

/* The words that an instruction reaches: any where it computes the place. */
struct reach {
    size_t first, end;
    bool computed;
};

static struct reach reach_of(const struct frame *frame, const struct sass_access *access)
{
    const bool plain = access->index == STACK_POINTER && access->offset >= 0;
    const size_t first = plain ? (size_t)access->offset / WORD : 0;
    const size_t end = plain ? first + (access->bytes + WORD - 1u) / WORD : frame->words;

    return (struct reach){.first = first < frame->words ? first : frame->words,
                          .end = end < frame->words ? end : frame->words,
                          .computed = !plain};
}

static bool is_often(const struct frame *frame, size_t i)
{
    return accesses_local(frame->traffic, frame->code, i) &&
           frame->traffic->counts[i].requests >= frame->often;
}

static void note(struct frame *frame, const struct reach *reach)
{
    frame->now++;
    for (size_t w = reach->first; w < reach->end; w++)
        frame->seen[w] = frame->now;
}

/* Words that were reached since the word was, itself among them; all that ever were, of one that was not. */
static size_t words_since(const struct frame *frame, size_t word)
{
    size_t count = 0;

    for (size_t w = 0; w < frame->words; w++)
        count += frame->seen[w] && frame->seen[w] >= frame->seen[word];
    return count;
}

static size_t words_reached(const struct frame *frame)
{
    size_t count = 0;

    for (size_t w = 0; w < frame->words; w++)
        count += frame->seen[w] > 0;
    return count;
}

/* Bytes of so many words of every thread of an SM. */
static double bytes_of(const struct frame *frame, size_t words)
{
    return (double)words * WORD * LANES * frame->resident_warps;
}

/* What an SM's warps bring to L1, by the accesses beside those to so many words of the frame. */
static double bytes_beside(const struct frame *frame, size_t words)
{
    return frame->brought * frame->resident_warps * (double)words / (frame->loads + frame->stores);
}

static double kept_in_l1(const struct frame *frame, size_t words)
{
    return kept_at_random(bytes_of(frame, words) + bytes_beside(frame, words), frame->caches->l1_bytes);
}

/* The share of the frames that L2 still holds when they are reached again, of which each warp reaches so many lines in all: what
 * is exchanged with DRAM in between displaces them. */
static double kept_in_l2(const struct frame *frame, double lines)
{
    const size_t words = words_reached(frame);
    const double between = lines > 0 ? frame->exchanged * (double)words / lines : 0;

    return reuse_regions_kept((bytes_of(frame, words) + between * frame->resident_warps) * frame->caches->sms,
                              fmax(frame->caches->l2_holds, frame->caches->l2_holds_once));
}

/* The share of the words that the instruction reaches that L1 still holds; where it computes the place, of all that are reached. */
static double kept_of(const struct frame *frame, const struct reach *reach)
{
    double kept = 0;

    if (reach->computed || reach->first == reach->end)
        return kept_in_l1(frame, words_reached(frame));
    for (size_t w = reach->first; w < reach->end; w++)
        kept += kept_in_l1(frame, words_since(frame, w));
    return kept / (double)(reach->end - reach->first);
}

static void add_load(struct traffic *out, struct traffic_count *count, double kept, double in_l2)
{
    const double missed = count->sectors * (1 - kept);

    count->sectors_once = count->sectors;
    count->lines_once = count->lines;
    count->l1_hit = count->l1_ready = kept;
    count->l2_ready = in_l2;
    count->waits = 1 - kept;
    count->waits_dram = 1 - in_l2;
    count->dram_read = missed * (1 - in_l2) * SECTOR;
    out->loads.waiting += count->lines * (1 - kept);
    out->loads.waiting_dram += count->lines * (1 - kept) * (1 - in_l2);
    out->loads.l2_read += missed;
    out->loads.from_l1 += count->sectors - missed;
    out->loads.from_l2 += missed * in_l2;
    out->loads.from_dram += missed * (1 - in_l2);
    out->dram.read += count->dram_read;
}

static void add_store(struct traffic *out, const struct traffic_count *count, double in_l2)
{
    out->stores.sectors += count->sectors;
    out->stores.lines += count->lines;
    out->stores.filled += fmin(count->bytes / SECTOR, count->sectors);
    out->dram.written += count->sectors * (1 - in_l2) * SECTOR;
}

/* The instructions in the order of the code, a loop's second pass behind its first. */
static void add_all(struct traffic *out, struct frame *frame)
{
    for (size_t i = 0; i < frame->code->count; i++)
        if (is_often(frame, i)) {
            const struct reach reach = reach_of(frame, &frame->code->instructions[i].accesses[0]);

            note(frame, &reach);
        }
    frame->in_l2 = kept_in_l2(frame, frame->loads + frame->stores);
    frame->stored_in_l2 = kept_in_l2(frame, frame->stores);
    for (size_t i = 0; i < frame->code->count; i++) {
        const struct sass_access *access = &frame->code->instructions[i].accesses[0];
        struct reach reach;

        if (!accesses_local(out, frame->code, i))
            continue;
        reach = reach_of(frame, access);
        if (access->access & SASS_READS)
            add_load(out, &out->counts[i], kept_of(frame, &reach), frame->in_l2);
        else
            add_store(out, &out->counts[i], frame->stored_in_l2);
        if (is_often(frame, i))
            note(frame, &reach);
    }
}

int local_add(struct traffic *out, const struct sass_code *code, const struct traffic_caches *caches,
              double resident_warps, struct err *err)
{
    struct frame frame = {.traffic = out,
                          .code = code,
                          .words = (size_t)(caches->local_bytes / WORD),
                          .caches = caches,
                          .resident_warps = resident_warps,
                          .brought = out->loads.l2_read * SECTOR,
                          .exchanged = out->dram.read + out->dram.written};

    if (!frame.words)
        return 0;
    frame.seen = calloc(frame.words, sizeof *frame.seen);
    if (!frame.seen)
        return err_memory(err);
    for (size_t i = 0; i < code->count; i++)
        if (accesses_local(out, code, i)) {
            double *const reached =
                code->instructions[i].accesses[0].access & SASS_READS ? &frame.loads : &frame.stores;

            *reached += out->counts[i].lines;
            frame.often = fmax(frame.often, out->counts[i].requests / 2);
        }
    add_all(out, &frame);
    free(frame.seen);
    return 0;
}
