#include "model/predict/block_order.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_POINTS = 6 };
static const double agreeing = 0.95, differing = 0.5; /* shares of pairs */
static const double level = 1e-3;                     /* relative difference up to which two last as long */

static int by_coordinate(const void *a, const void *b)
{
    const struct block_point *x = a, *y = b;

    return (x->coordinate > y->coordinate) - (x->coordinate < y->coordinate);
}

/* The blocks by their coordinate on an axis, those of one coordinate as their mean. */
static size_t gather(struct block_point *points, unsigned axis, const unsigned (*positions)[3],
                     const double *cycles, size_t count)
{
    size_t gathered = 0;

    for (size_t b = 0; b < count; b++)
        points[b] = (struct block_point){positions[b][axis], cycles[b]};
    qsort(points, count, sizeof *points, by_coordinate);
    for (size_t first = 0, end; first < count; first = end) {
        double sum = 0;

        for (end = first; end < count && !by_coordinate(&points[first], &points[end]); end++)
            sum += points[end].cycles;
        points[gathered++] = (struct block_point){points[first].coordinate, sum / (double)(end - first)};
    }
    return gathered;
}

/* The share of the pairs at different coordinates that agree on the direction, of those that differ; 0 where few do. */
static double agreement(unsigned axis, const unsigned (*positions)[3], const double *cycles, size_t count)
{
    double up = 0, down = 0, pairs = 0;

    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) {
            if (positions[a][axis] >= positions[b][axis])
                continue;
            pairs++;
            up += cycles[b] > cycles[a] * (1 + level);
            down += cycles[a] > cycles[b] * (1 + level);
        }
    return up + down > differing * pairs ? fmax(up, down) / (up + down) : 0;
}

int block_order_of(struct block_order *out, const unsigned grid[3], const unsigned (*positions)[3],
                   const double *cycles, size_t count, struct err *err)
{
    double most = agreeing;

    *out = (struct block_order){.grid = {grid[0], grid[1], grid[2]}};
    out->points = calloc(count + 1, sizeof *out->points);
    if (!out->points)
        return err_memory(err);
    for (unsigned axis = 0; axis < 3; axis++) {
        const double share = agreement(axis, positions, cycles, count);

        if (share < most || gather(out->points, axis, positions, cycles, count) < LEAST_POINTS)
            continue;
        most = nextafter(share, 2);
        out->axis = axis;
        out->count = 1;
    }
    if (out->count)
        out->count = gather(out->points, out->axis, positions, cycles, count);
    return 0;
}

void block_order_release(struct block_order *order)
{
    free(order->points);
}

double block_order_cycles(const struct block_order *order, size_t block)
{
    const unsigned *grid = order->grid;
    const size_t along[3] = {block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]};
    const double at = (double)along[order->axis];
    const struct block_point *points = order->points;
    size_t k = 0;

    while (k < order->count && points[k].coordinate < at)
        k++;
    if (k == 0)
        return points[0].cycles;
    if (k == order->count)
        return points[k - 1].cycles;
    return points[k - 1].cycles + (points[k].cycles - points[k - 1].cycles) *
                                      (at - points[k - 1].coordinate) /
                                      (points[k].coordinate - points[k - 1].coordinate);
}
