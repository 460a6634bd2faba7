#include "micro/infer.h"

#include "base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Plateaus, steps and ramps are told apart with these; shares of a latency unless said otherwise. */
static const double WINDOW = 1.12; /* a plateau is flat over at least this factor in size */
static const double FLAT = 0.02;   /* and by this much, plus four times the noise */
static const double CLEAN = 0.002; /* noise below which single steps are looked for */
static const double BIG =
    0.6; /* of the largest step: an overflowing set adds ways + 1 misses, a line only 1 */
static const double EQUAL = 0.1; /* by which steps and their distances may differ */

struct plateau {
    size_t first, last; /* indices */
    double cycles;
};

static int check(const struct infer_curve *curve, struct err *err)
{
    if (curve->n < 8 || !(curve->stride > 0))
        return err_set(err, ERR_USAGE, "%zu points at stride %g: eight or more are needed", curve->n,
                       curve->stride);
    for (size_t i = 0; i < curve->n; i++)
        if (!(curve->bytes[i] > (i ? curve->bytes[i - 1] : 0) && curve->cycles[i] > 0 &&
              isfinite(curve->cycles[i])))
            return err_set(err, ERR_USAGE,
                           "point %zu (%g bytes, %g cycles): sizes must ascend, latencies be positive", i,
                           curve->bytes[i], curve->cycles[i]);
    return 0;
}

/* Typical relative difference of neighbours where everything hits: within the first quarter. */
static double noise_of(const struct infer_curve *curve)
{
    enum { MOST = 32 };
    double differences[MOST];
    const size_t n = curve->n / 4 < MOST ? curve->n / 4 : MOST;

    for (size_t i = 0; i < n; i++)
        differences[i] = fabs(curve->cycles[i + 1] - curve->cycles[i]) / curve->cycles[i];
    return stats_median(differences, n);
}

/* The curve to look for plateaus in. With strides below a line, latency falls a little until the last line is
 * fully used; of a clean curve the lower envelope from the right is free of that. */
static double *smoothed(const struct infer_curve *curve, double noise)
{
    double *out = calloc(curve->n, sizeof *out);

    for (size_t i = curve->n; out && i-- > 0;)
        out[i] = noise < CLEAN && i + 1 < curve->n ? fmin(curve->cycles[i], out[i + 1]) : curve->cycles[i];
    return out;
}

/* Last index of the window that starts at `first`: three points and a factor WINDOW; `first` near the end. */
static size_t window_end(const struct infer_curve *curve, size_t first)
{
    size_t last = first + 2;

    if (last >= curve->n)
        return first;
    while (last + 1 < curve->n && curve->bytes[last] < WINDOW * curve->bytes[first])
        last++;
    return last;
}

static bool is_flat(const double *cycles, size_t first, size_t last, double tolerance)
{
    double low = cycles[first], high = cycles[first];

    for (size_t i = first; i <= last; i++) {
        low = fmin(low, cycles[i]);
        high = fmax(high, cycles[i]);
    }
    return high - low <= tolerance * low;
}

/* Flat windows that follow each other without a break are one plateau, and so are neighbours of one height. */
static size_t find_plateaus(struct plateau *out, const struct infer_curve *curve, const double *cycles,
                            double tolerance)
{
    size_t count = 0, i, last;
    bool broken = true;

    for (i = 0; (last = window_end(curve, i)) > i; i++) {
        struct plateau next = {i, last, 0};

        if (!is_flat(cycles, i, last, tolerance)) {
            broken = true;
            continue;
        }
        next.cycles = stats_median(cycles + i, last - i + 1);
        if (count && (!broken || next.cycles - out[count - 1].cycles <= tolerance * out[count - 1].cycles))
            out[count - 1].last = last;
        else if (count <= INFER_LEVELS)
            out[count++] = next;
        broken = false;
    }
    for (i = 0; i < count; i++)
        out[i].cycles = stats_median(cycles + out[i].first, out[i].last - out[i].first + 1);
    return count;
}

/* A transition from hits to misses: `sets` sets of a way together, overflowing one after the other. */
struct ramp {
    double bytes, way, sets; /* an endless way is eq. 6 of Lemeire et al., misses 1 - bytes / size */
};

/* Share of accesses that miss: each set that overflows turns all its lines into misses,
 * (S - C)(C + W) / (W S) with S - C counted in whole sets. */
static double miss_share(double size, const struct ramp *ramp)
{
    double over;

    if (size <= ramp->bytes)
        return 0;
    if (isinf(ramp->way))
        return 1 - ramp->bytes / size;
    over = ceil((size - ramp->bytes) / ramp->way * ramp->sets) * ramp->way / ramp->sets;
    return fmin(1, over * (ramp->bytes + ramp->way) / (ramp->way * size));
}

/* Squares left when `cycles` = low + step x miss share, the best low and step taken; every `skip`-th point. */
static double misfit(const struct infer_curve *curve, size_t first, size_t last, size_t skip,
                     const struct ramp *ramp)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, spread;

    for (size_t i = first; i <= last; i += skip) {
        const double share = miss_share(curve->bytes[i], ramp), cycles = curve->cycles[i];

        n++;
        x += share;
        y += cycles;
        xx += share * share;
        xy += share * cycles;
        yy += cycles * cycles;
    }
    spread = n * xx - x * x;
    return spread > 1e-9 ? yy - y * y / n - (n * xy - x * y) * (n * xy - x * y) / (n * spread) : INFINITY;
}

/* The best of all ways and numbers of sets for a capacity. */
static double least_misfit(const struct infer_curve *curve, size_t first, size_t last, double bytes)
{
    static const double WAYS[] = {0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 64};
    const size_t skip = 1 + (last - first) / 300;
    double best = INFINITY;

    for (size_t w = 0; w < sizeof WAYS / sizeof WAYS[0]; w++)
        for (size_t sets = 1; sets <= 128; sets *= 2) {
            const struct ramp ramp = {bytes, bytes / WAYS[w], (double)sets};

            best = fmin(best, misfit(curve, first, last, skip, &ramp));
        }
    return best;
}

/* The capacity whose ramp, hard or soft, comes nearest to the points from one plateau to the next. */
static double fit_capacity(const struct infer_curve *curve, const struct plateau *from,
                           const struct plateau *to)
{
    enum { SIZES = 40, ZOOMS = 4 };
    const size_t first = from->first + (from->last - from->first) / 2;
    const size_t last = to->first + (to->last - to->first) / 2;
    double low = curve->bytes[first], high = curve->bytes[to->first], best = INFINITY, found = low;

    for (int zoom = 0; zoom < ZOOMS; zoom++) {
        const double step = (high - low) / SIZES;

        for (int k = 0; k <= SIZES; k++) {
            const double left = least_misfit(curve, first, last, low + k * step);

            if (left < best) {
                best = left;
                found = low + k * step;
            }
        }
        low = fmax(low, found - 2 * step);
        high = found + 2 * step;
    }
    return found;
}

/* Steps of the misses per lap, (latency - hit) x elements, where a lap's misses only change with a new line. */
struct steps {
    size_t count;       /* big ones: a set overflows */
    double first, last; /* sizes after which the first and last of them come */
    double distance;    /* mean, of neighbours */
    double gap;         /* between measured sizes there */
    bool equal;         /* in height and distance */
    double line;        /* distance of the small steps after them, 0 if none were seen */
};

static double misses_per_lap(const struct infer_curve *curve, size_t i, double hit)
{
    return (curve->cycles[i] - hit) * curve->bytes[i] / curve->stride;
}

static double rise(const struct infer_curve *curve, size_t i, double hit)
{
    return misses_per_lap(curve, i + 1, hit) - misses_per_lap(curve, i, hit);
}

static double largest_rise(const struct infer_curve *curve, size_t first, size_t last, double hit)
{
    double most = 0;

    for (size_t i = first; i < last; i++)
        most = fmax(most, rise(curve, i, hit));
    return most;
}

/* Distance of equal steps of at least half the largest from `first` on; 0 unless two or more. */
static double distance_of_steps(const struct infer_curve *curve, size_t first, size_t last, double hit)
{
    const double big = 0.5 * largest_rise(curve, first, last, hit);
    double begin = 0, end = 0;
    size_t i, count = 0;

    for (i = first; i < last; i++)
        if (rise(curve, i, hit) > big) {
            if (!count++)
                begin = curve->bytes[i];
            end = curve->bytes[i];
        }
    return count > 1 && big > 0 ? (end - begin) / (double)(count - 1) : 0;
}

static struct steps find_steps(const struct infer_curve *curve, const struct plateau *from,
                               const struct plateau *to)
{
    const double hit = from->cycles, most = largest_rise(curve, from->last, to->last, hit);
    struct steps s = {.equal = true};
    double shortest = INFINITY, longest = 0, lowest = most;
    size_t i, last = from->last;

    for (i = from->first; i < to->last; i++) {
        const double height = rise(curve, i, hit);

        if (height <= BIG * most)
            continue;
        if (s.count++) {
            shortest = fmin(shortest, curve->bytes[i] - s.last);
            longest = fmax(longest, curve->bytes[i] - s.last);
        } else {
            s.first = curve->bytes[i];
        }
        s.last = curve->bytes[i];
        s.gap = fmax(s.gap, curve->bytes[i + 1] - curve->bytes[i]);
        lowest = fmin(lowest, height);
        last = i;
    }
    s.distance = s.count > 1 ? (s.last - s.first) / (double)(s.count - 1) : 0;
    s.equal = lowest >= (1 - EQUAL) * most && (s.count < 2 || longest - shortest <= EQUAL * s.distance);
    s.line = distance_of_steps(curve, last + 1, to->last, hit);
    return s;
}

/* Ways, sets and line from the steps, or the reason why not. */
static void read_steps(struct infer_level *level, const struct infer_curve *curve, const struct plateau *from,
                       const struct plateau *to)
{
    const struct steps s = find_steps(curve, from, to);
    const bool alone = s.count == 1 && s.line >= 2 * s.gap; /* one set holds everything: fully associative */
    const double way = alone ? s.line : s.distance * (double)s.count;

    if (s.count == 1 && !alone)
        snprintf(level->why, sizeof level->why,
                 "ways, sets and line not inferable, because all sets overflow between two measured sizes %g "
                 "bytes apart",
                 s.gap);
    else if (!s.equal || s.last + 2 * s.distance > curve->bytes[to->last])
        snprintf(level->why, sizeof level->why,
                 "ways, sets and line not inferable, because misses do not grow in equal steps to a plateau: "
                 "hashed "
                 "sets, or a replacement that is not LRU");
    else if (!(way > 0) || fabs(s.first / way - round(s.first / way)) > EQUAL || s.first < 0.9 * way)
        snprintf(level->why, sizeof level->why,
                 "ways, sets and line not inferable, because %g bytes are not whole ways of %g bytes",
                 s.first, way);
    else {
        level->bytes = s.first;
        level->way_bytes = way;
        level->ways = round(s.first / way);
        if (alone || s.distance >= 2 * s.gap) {
            level->line = alone ? s.line : s.distance;
            level->sets = round(way / level->line);
        } else
            snprintf(level->why, sizeof level->why,
                     "line and sets not inferable, because the steps are no further apart than the sizes "
                     "measured: the "
                     "line is at most %g bytes",
                     s.distance);
    }
}

static void infer_level(struct infer_level *level, const struct infer_curve *curve,
                        const struct plateau *from, const struct plateau *to, double noise)
{
    size_t i = from->first;

    *level = (struct infer_level){.latency = from->cycles, .bytes = fit_capacity(curve, from, to)};
    if (noise < CLEAN)
        read_steps(level, curve, from, to);
    else
        snprintf(level->why, sizeof level->why,
                 "ways, sets and line not inferable, because noise of %.1f %% hides the single steps",
                 100 * noise);
    while (i + 1 < curve->n && curve->bytes[i] <= level->bytes)
        i++;
    level->bytes_beyond = curve->bytes[i];
}

int infer_levels(struct infer_hierarchy *out, const struct infer_curve *curve, struct err *err)
{
    struct plateau plateaus[INFER_LEVELS + 1];
    double *cycles;
    size_t count;

    *out = (struct infer_hierarchy){0};
    if (check(curve, err))
        return ERR_USAGE;
    out->noise = noise_of(curve);
    cycles = smoothed(curve, out->noise);
    if (!cycles)
        return err_memory(err);
    count = find_plateaus(plateaus, curve, cycles, FLAT + 4 * out->noise);
    free(cycles);
    for (size_t i = 0; i + 1 < count; i++)
        infer_level(&out->level[i], curve, &plateaus[i], &plateaus[i + 1], out->noise);
    out->count = count ? count - 1 : 0;
    out->beyond = count ? plateaus[count - 1].cycles : 0;
    return 0;
}
