#include "model/traffic_cache.h"

#include <math.h>

enum { SECTOR = FOOTPRINT_SECTOR, LINE = 128 };

static double clamp(double value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

double cache_l1_reuse(const struct traffic_machine *machine, double footprint_sectors, double lines,
                      double turns)
{
    const double all = footprint_sectors * SECTOR, turn = lines * LINE / fmax(turns, 1);
    const double needed = machine->blocks_per_sm * fmin(all, turn);

    return needed > 0 ? clamp(machine->l1_bytes / needed) : 0;
}

/* How the middle block's sectors are shared, in sectors. */
struct sharing {
    double all;            /* that it touches */
    double row, column;    /* with the whole row, the whole column of blocks */
    double both;           /* of them, with both */
    double next_x, next_y; /* with the next block only */
};

typedef const struct footprint *footprint_of(const struct emulate_block *block);

static const struct footprint *read_of(const struct emulate_block *block)
{
    return &block->read;
}

static const struct footprint *written_of(const struct emulate_block *block)
{
    return &block->written;
}

static double shared_with(const struct emulate_result *result, footprint_of *of, enum emulate_slot slot)
{
    const int middle = emulate_sample_slot(result, EMULATE_MIDDLE), other = emulate_sample_slot(result, slot);

    if (middle < 0 || other < 0)
        return 0;
    return (double)footprint_shared(of(&result->blocks[middle]), of(&result->blocks[other]));
}

static void find_sharing(struct sharing *out, const struct emulate_result *result, footprint_of *of)
{
    const int x = emulate_sample_slot(result, EMULATE_X2), y = emulate_sample_slot(result, EMULATE_Y2);

    out->all = (double)footprint_sectors(of(&result->blocks[0]));
    out->row = shared_with(result, of, EMULATE_X2);
    out->column = shared_with(result, of, EMULATE_Y2);
    out->next_x = fmax(0, shared_with(result, of, EMULATE_X1) - out->row);
    out->next_y = fmax(0, shared_with(result, of, EMULATE_Y1) - out->column);
    out->both = x < 0 || y < 0 ? 0
                               : (double)footprint_shared3(of(&result->blocks[0]), of(&result->blocks[x]),
                                                           of(&result->blocks[y]));
}

/* Different sectors that a rectangle of blocks touches. */
static double rectangle(const struct sharing *s, double width, double height)
{
    const double own = fmax(0, s->all - s->row - s->column + s->both);
    const double halo = s->next_x * (width - 1) * height + s->next_y * (height - 1) * width;

    return s->both + (s->row - s->both) * height + (s->column - s->both) * width +
           fmax(own * width * height - halo, 0);
}

/* The buffers' own sizes bound what can be touched. */
static double sectors_of_buffers(const struct launch *launch)
{
    double sectors = 0;

    for (size_t i = 0; i < launch->argument_count; i++)
        if (launch->arguments[i].kind != ARGUMENT_SCALAR)
            sectors += ceil((double)launch->arguments[i].count *
                            (double)element_size(launch->arguments[i].type) / SECTOR);
    return sectors;
}

struct grid_use {
    double wave;  /* sectors that the resident blocks touch */
    double all;   /* that the grid touches, expected */
    double again; /* that waves touch though an earlier one has */
    double least; /* that the grid touches at least */
};

static void find_use(struct grid_use *out, const struct emulate_result *result, footprint_of *of,
                     const struct launch *launch, const struct traffic_machine *machine)
{
    const double width = launch->grid[0], height = launch->grid[1] * (double)launch->grid[2];
    const double resident = fmin(machine->sms * machine->blocks_per_sm, width * height);
    const double limit = sectors_of_buffers(launch), waves = width * height / resident;
    struct sharing sharing;

    find_sharing(&sharing, result, of);
    out->wave = fmin(rectangle(&sharing, fmin(width, resident), fmax(1, resident / width)), limit);
    out->all = fmin(rectangle(&sharing, width, height), limit);
    out->again = fmax(0, waves * out->wave - out->all);
    out->least = fmin(fmax(sharing.all, (sharing.all - sharing.row - sharing.column + sharing.both -
                                         2 * sharing.next_x - 2 * sharing.next_y) *
                                            width * height),
                      limit);
}

void cache_fill(struct traffic *traffic, const struct emulate_result *result, const struct launch *launch,
                const struct traffic_machine *machine)
{
    struct grid_use read, written;
    double fits, total;

    find_use(&read, result, read_of, launch, machine);
    find_use(&written, result, written_of, launch, machine);
    traffic->block_bytes = SECTOR * (double)(footprint_sectors(&result->blocks[0].read) +
                                             footprint_sectors(&result->blocks[0].written));
    traffic->wave_bytes = SECTOR * (read.wave + written.wave);
    fits = traffic->wave_bytes > 0 ? clamp(machine->l2_bytes / traffic->wave_bytes) : 1;
    traffic->dram_read_bytes = SECTOR * (read.all + read.again * (1 - fits));
    traffic->dram_write_bytes = SECTOR * (written.all + written.again * (1 - fits));
    traffic->unique_read_bytes = SECTOR * read.least;
    traffic->unique_written_bytes = SECTOR * written.least;
    if (machine->warm) { /* what the launch before left, reads and writes sharing the place */
        const double left = fmin(machine->l2_bytes / fmax(SECTOR * (read.all + written.all), 1), 1);

        traffic->dram_read_bytes -= left >= 1 ? SECTOR * read.all : 0;
        traffic->unique_read_bytes = fmax(0, traffic->unique_read_bytes - machine->l2_bytes);
        traffic->dram_write_bytes *= left >= 1 ? 0 : 1;
        traffic->unique_written_bytes = fmax(0, traffic->unique_written_bytes - machine->l2_bytes);
    }
    total = traffic->l2_read_sectors * traffic->warps;
    traffic->l2_hit_share = total > 0 ? clamp(1 - traffic->dram_read_bytes / SECTOR / total) : 0;
}
