#include "model/sm/crowd_state.h"

#include "model/sm/crowd_choice.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void give_list(const struct crowd_sim *sim, struct crowd_warp *warp, unsigned w)
{
    const struct emulate_block *block = sim->in->blocks[warp->place->block];

    warp->list = &sim->lists[block->paths[w % sim->per_block]];
    warp->safe = sim->shared_only ? warp->list->shared : warp->list->count - 1;
}

void crowd_begin_block(struct crowd_sim *sim, struct crowd_place *place, double time)
{
    const unsigned own = (unsigned)(place - sim->places), first = own * sim->per_block;
    unsigned w, age = 0;

    while (sim->by_age[age] != own)
        age++;
    memmove(&sim->by_age[age], &sim->by_age[age + 1], (sim->place_count - 1 - age) * sizeof *sim->by_age);
    sim->by_age[sim->place_count - 1] = own;
    *place = (struct crowd_place){.block = sim->begun++ % sim->in->block_count, .left = sim->per_block};
    for (w = first; w < first + sim->per_block; w++) {
        struct crowd_warp *warp = crowd_warp_at(sim, w);

        *warp = (struct crowd_warp){.place = place,
                                    .past = &sim->pasts[warp - sim->warps],
                                    .earliest = time,
                                    .number = (double)(sim->begun - 1) * sim->per_block + (w - first)};
        give_list(sim, warp, w);
        crowd_go(sim, w);
    }
}

int crowd_allocate(struct crowd_sim *sim, unsigned blocks, struct err *err)
{
    const unsigned partitions = sim->in->partitions;
    size_t slots, s;

    sim->place_count = blocks;
    sim->per_block = sim->in->blocks[0]->warps;
    sim->warp_count = blocks * sim->per_block;
    sim->per_partition = ((sim->warp_count + partitions - 1) / partitions + 1) / 2 * 2;
    if (sim->per_partition > CROWD_WARPS)
        return err_set(err, ERR_USAGE, "crowd: %u warps on a sub-partition; at most %d are played",
                       sim->per_partition, CROWD_WARPS);
    slots = (size_t)sim->per_partition * partitions;
    sim->warps = calloc(slots, sizeof *sim->warps);
    sim->pasts = calloc(slots, sizeof *sim->pasts);
    sim->ready = calloc(slots, sizeof *sim->ready);
    sim->next_ops = calloc(slots, sizeof *sim->next_ops);
    sim->places = calloc(blocks, sizeof *sim->places);
    sim->by_age = calloc(blocks, sizeof *sim->by_age);
    sim->of_places = calloc((size_t)blocks * partitions, sizeof *sim->of_places);
    if (!sim->warps || !sim->pasts || !sim->ready || !sim->next_ops || !sim->places || !sim->by_age ||
        !sim->of_places)
        return err_memory(err);
    for (s = 0; s < slots; s++) {
        sim->ready[s] = INFINITY;
        sim->next_ops[s] = sim->code->ops;
    }
    return 0;
}

void crowd_release(struct crowd_sim *sim)
{
    free(sim->warps);
    free(sim->pasts);
    free(sim->ready);
    free(sim->next_ops);
    free(sim->places);
    free(sim->by_age);
    free(sim->of_places);
}

void crowd_give_lists(struct crowd_sim *sim, const struct crowd_list *lists)
{
    unsigned w;

    sim->lists = lists;
    for (w = 0; w < sim->warp_count; w++)
        give_list(sim, crowd_warp_at(sim, w), w);
}

static double foresight(const struct crowd_sim *sim)
{
    const bool meets = sim->in->code->barrier_cycles > 0;
    const double barrier = meets ? sim->in->code->barrier_alone - sim->arrival_cycles : INFINITY;

    return later(sim->replaces ? earlier(barrier, sim->in->replace_cycles) : barrier, 0);
}

static void start_partition(struct crowd_sim *sim, unsigned p)
{
    const size_t first = (size_t)p * sim->per_partition;

    sim->partitions[p] = (struct crowd_partition){.warps = &sim->warps[first],
                                                  .ready = &sim->ready[first],
                                                  .ops = &sim->next_ops[first],
                                                  .of_place = &sim->of_places[(size_t)p * sim->place_count],
                                                  .yields = true}; /* the youngest goes first */
}

struct crowd_sim crowd_sim_of(const struct crowd_input *in, const struct crowd_code *code)
{
    const double others = fmax(in->blocks[0]->warps - 1., 1);

    return (struct crowd_sim){.in = in,
                              .code = code,
                              .enough = UINT_MAX,
                              .read_window = in->machine->read_window,
                              .arrival_cycles =
                                  (in->code->barrier_cycles - in->code->barrier_alone) / others};
}

int crowd_start(struct crowd_sim *sim, const struct crowd_list *lists, unsigned blocks, double stagger,
                struct err *err)
{
    const unsigned partitions = sim->in->partitions;
    const int rc = crowd_allocate(sim, blocks, err);
    unsigned w, b, p;

    if (rc)
        return rc;
    for (p = 0; p < DEVICE_SUBPARTITIONS; p++)
        sim->next[p] = INFINITY;
    for (p = 0; p < partitions; p++)
        start_partition(sim, p);
    for (w = 0; w < sim->warp_count; w++)
        sim->partitions[w % partitions].of_place[w / sim->per_block] |= UINT64_C(1) << w / partitions;
    for (b = 0; b < blocks; b++)
        sim->by_age[b] = b;
    sim->lists = lists;
    for (b = 0; b < blocks; b++)
        crowd_begin_block(sim, &sim->places[b], stagger * b);
    sim->foresight = foresight(sim);
    sim->takes_turns = stagger > 0;
    crowd_choose_all(sim);
    return 0;
}

void crowd_copy(struct crowd_sim *out, const struct crowd_sim *from)
{
    const struct crowd_sim arrays = *out;
    const size_t slots = (size_t)from->per_partition * from->in->partitions;

    *out = *from;
    out->warps = memcpy(arrays.warps, from->warps, slots * sizeof *from->warps);
    out->pasts = memcpy(arrays.pasts, from->pasts, slots * sizeof *from->pasts);
    out->ready = memcpy(arrays.ready, from->ready, slots * sizeof *from->ready);
    out->next_ops = memcpy(arrays.next_ops, from->next_ops, slots * sizeof *from->next_ops);
    out->places = memcpy(arrays.places, from->places, from->place_count * sizeof *from->places);
    out->by_age = memcpy(arrays.by_age, from->by_age, from->place_count * sizeof *from->by_age);
    out->of_places = arrays.of_places;
}
