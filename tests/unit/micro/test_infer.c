#include "check.h"

#include "base/hash.h"
#include "micro/infer.h"
#include "lru.h"

enum { POINTS = 2000 };

struct curve {
    double bytes[POINTS], cycles[POINTS];
    struct infer_curve view;
};

/* Chases `first`, `first + step`, ... `last` bytes. */
static void simulate(struct curve *curve, const struct lru_level *levels, size_t count, double beyond,
                     size_t stride, size_t first, size_t last, size_t step)
{
    size_t n = 0, bytes;

    for (bytes = first; bytes <= last && n < POINTS; bytes += step, n++) {
        curve->bytes[n] = (double)bytes;
        curve->cycles[n] = lru_strided(levels, count, beyond, bytes, stride);
    }
    curve->view = (struct infer_curve){n, curve->bytes, curve->cycles, (double)stride};
}

static void add_noise(struct curve *curve, double share, uint64_t seed)
{
    for (size_t i = 0; i < curve->view.n; i++)
        curve->cycles[i] *= 1 + share * (2 * (double)(hash_random(seed, i) >> 11) * 0x1p-53 - 1);
}

/* Wong et al., Fig. 4: 384 bytes, 3 ways, 4 sets, 32-byte lines. */
static void miss_rate_of_figure_4(void **state)
{
    const struct lru_level cache = {384, 3, 32, 0};
    const double wanted[] = {0, 4.0 / 13, 8.0 / 14, 12.0 / 15, 1, 1};

    for (int lines = 12; lines <= 17; lines++)
        check_near(lru_strided(&cache, 1, 1, (size_t)lines * 32, 32), wanted[lines - 12], 1e-12);
}

/* GT200 (Wong et al., H, J, K) and the example of Fig. 4; the last column is where the last step ends. */
static const struct {
    size_t bytes, ways, line, stride, step;
    double way, sets, last;
} geometries[] = {
    {384, 3, 32, 8, 8, 128, 4, 512},
    {2048, 4, 64, 16, 16, 512, 8, 2560},
    {4096, 4, 256, 64, 64, 1024, 4, 5120},
    {5120, 20, 32, 8, 16, 256, 8, 5376},
    {8192, 4, 256, 64, 64, 2048, 8, 10240},
    {32768, 8, 256, 64, 128, 4096, 16, 36864},
    {262144, 8, 256, 128, 128, 32768, 128, 294912},
};
enum { GEOMETRIES = sizeof geometries / sizeof geometries[0] };

static void play_geometry(struct curve *curve, size_t k)
{
    const struct lru_level cache = {geometries[k].bytes, geometries[k].ways, geometries[k].line, 200};
    const size_t size = geometries[k].bytes, unit = geometries[k].line;

    simulate(curve, &cache, 1, 500, geometries[k].stride, size / 4 * 3 / unit * unit,
             size / 4 * 5 + size / ((size_t)geometries[k].ways), geometries[k].step);
}

static void published_geometries_from_clean_curves(void **state)
{
    static struct curve curve;
    struct infer_hierarchy h;

    for (size_t k = 0; k < GEOMETRIES; k++) {
        play_geometry(&curve, k);
        assert_int_equal(infer_levels(&h, &curve.view, NULL), 0);
        assert_int_equal(h.count, 1);
        assert_string_equal(h.level[0].why, "");
        check_near(h.level[0].bytes, (double)geometries[k].bytes, 0);
        check_near(h.level[0].ways, (double)geometries[k].ways, 0);
        check_near(h.level[0].line, (double)geometries[k].line, 0);
        check_near(h.level[0].sets, geometries[k].sets, 0);
        check_near(h.level[0].way_bytes, geometries[k].way, 0);
        check_near(h.level[0].bytes + h.level[0].way_bytes, geometries[k].last, 0);
        check_near(h.level[0].bytes_beyond, (double)(geometries[k].bytes + geometries[k].step), 0);
        check_near(h.level[0].latency, 200, 1e-9);
    }
}

static void capacities_from_noisy_curves(void **state)
{
    static struct curve curve;
    struct infer_hierarchy h;

    for (size_t k = 0; k < GEOMETRIES; k++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            play_geometry(&curve, k);
            add_noise(&curve, 0.02, seed);
            assert_int_equal(infer_levels(&h, &curve.view, NULL), 0);
            assert_int_equal(h.count, 1);
            check_near(h.level[0].bytes / (double)geometries[k].bytes, 1, 0.01);
            assert_non_null(strstr(h.level[0].why, "because noise of"));
        }
}

static const struct lru_level constants[] = {{2048, 4, 64, 8}, {8192, 4, 256, 81}, {32768, 8, 256, 220}};

/* Fig. 17: three levels of constant memory in one curve, stride 256. */
static void levels_in_one_curve(void **state)
{
    const double bytes[] = {2048, 8192, 32768}, ways[] = {4, 4, 8}, latency[] = {8, 81, 220};
    static struct curve curve;
    struct infer_hierarchy h;

    simulate(&curve, constants, 3, 476, 256, 256, 65536, 256);
    assert_int_equal(infer_levels(&h, &curve.view, NULL), 0);
    assert_int_equal(h.count, 3);
    for (size_t i = 0; i < 3; i++) {
        check_near(h.level[i].bytes, bytes[i], 0);
        check_near(h.level[i].ways, ways[i], 0);
        check_near(h.level[i].latency, latency[i], 1e-9);
        assert_non_null(strstr(h.level[i].why, "the line is at most 256 bytes"));
    }
    check_near(h.beyond, 476, 1e-9);
}

#define KB 1024.0
#define MB (1024.0 * KB)
static const struct lru_level tlbs[] = {{8 << 20, 16, 512 << 10, 440}, {32 << 20, 8, 4096, 487}};

/* Fig. 13, stride 512 KB. */
static void tlb_levels_in_one_curve(void **state)
{
    static struct curve curve;
    struct infer_hierarchy h;

    simulate(&curve, tlbs, 2, 698, 512 << 10, 512 << 10, 64 << 20, 512 << 10);
    assert_int_equal(infer_levels(&h, &curve.view, NULL), 0);
    assert_int_equal(h.count, 2);
    check_near(h.level[0].bytes / MB, 8, 0.6); /* the jump lies between 8 and 8.5 MB */
    check_near(h.level[0].bytes_beyond / MB, 8.5, 0);
    check_near(h.level[1].bytes / MB, 32, 0);
    check_near(h.level[1].way_bytes / MB, 4, 0);
    check_near(h.level[1].ways, 8, 0);
    check_near(h.level[0].latency, 440, 1e-9);
    check_near(h.level[1].latency, 487, 1e-9);
    check_near(h.beyond, 698, 1e-9);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        simulate(&curve, tlbs, 2, 698, 512 << 10, 512 << 10, 64 << 20, 512 << 10);
        add_noise(&curve, 0.02, seed);
        assert_int_equal(infer_levels(&h, &curve.view, NULL), 0);
        assert_int_equal(h.count, 2);
        check_near(h.level[0].bytes / MB, 8.25, 0.5);
        check_near(h.level[1].bytes / MB, 32, 1);
    }
}

static void fully_associative_caches_show_their_line(void **state)
{
    const struct lru_level cache = {1024, 16, 64, 30};
    static struct curve curve;
    struct infer_hierarchy h;

    simulate(&curve, &cache, 1, 300, 8, 512, 1536, 8);
    assert_int_equal(infer_levels(&h, &curve.view, NULL), 0);
    assert_int_equal(h.count, 1);
    check_near(h.level[0].bytes, 1024, 0);
    check_near(h.level[0].sets, 1, 0);
    check_near(h.level[0].ways, 16, 0);
    check_near(h.level[0].line, 64, 0);
}

/* Random replacement: Lemeire's eq. 6. Capacity comes out, geometry does not, and the reason is given. */
static void what_is_not_lru_is_said_not_to_be(void **state)
{
    static struct curve curve;
    struct infer_hierarchy h;

    for (size_t i = 0; i < 400; i++) {
        curve.bytes[i] = 1024.0 * (double)(i + 1);
        curve.cycles[i] = curve.bytes[i] > 32 * KB ? 300 - 270 * 32 * KB / curve.bytes[i] : 30;
    }
    curve.view = (struct infer_curve){400, curve.bytes, curve.cycles, 128};
    assert_int_equal(infer_levels(&h, &curve.view, NULL), 0);
    assert_int_equal(h.count, 1);
    check_near(h.level[0].bytes / (32 * KB), 1, 0.02);
    check_near(h.level[0].ways, 0, 0);
    assert_non_null(strstr(h.level[0].why, "a replacement that is not LRU"));
}

/* Sizes a fifth apart, as a survey of all levels takes them: capacity between two sizes, nothing made up. */
static void a_coarse_survey_does_not_invent_ways(void **state)
{
    static struct curve curve;
    struct infer_hierarchy h;

    for (size_t i = 0; i < 40; i++) {
        curve.bytes[i] = 64 * floor(16 * pow(1.2, (double)i));
        curve.cycles[i] =
            lru_strided(&(struct lru_level){32768, 8, 64, 30}, 1, 200, (size_t)curve.bytes[i], 64);
    }
    curve.view = (struct infer_curve){40, curve.bytes, curve.cycles, 64};
    assert_int_equal(infer_levels(&h, &curve.view, NULL), 0);
    assert_int_equal(h.count, 1);
    check_near(h.level[0].line, 0, 0);
    assert_true(h.level[0].why[0]);
    assert_true(h.level[0].bytes > 32768 / 1.2 && h.level[0].bytes_beyond < 32768 * 1.21);
}

static void a_flat_curve_has_no_levels(void **state)
{
    static struct curve curve;
    struct infer_hierarchy h;
    struct err err = {0};

    for (size_t i = 0; i < 20; i++) {
        curve.bytes[i] = 128.0 * (double)(i + 1);
        curve.cycles[i] = 38;
    }
    curve.view = (struct infer_curve){20, curve.bytes, curve.cycles, 4};
    assert_int_equal(infer_levels(&h, &curve.view, NULL), 0);
    assert_int_equal(h.count, 0);
    check_near(h.beyond, 38, 0);
    curve.cycles[7] = NAN;
    assert_int_equal(infer_levels(&h, &curve.view, &err), ERR_USAGE);
    assert_string_equal(err.text,
                        "point 7 (1024 bytes, nan cycles): sizes must ascend, latencies be positive");
    curve.view.n = 5;
    assert_int_equal(infer_levels(&h, &curve.view, NULL), ERR_USAGE);
}

int main(void)
{
    return RUN_TESTS(miss_rate_of_figure_4, published_geometries_from_clean_curves,
                     capacities_from_noisy_curves, levels_in_one_curve, tlb_levels_in_one_curve,
                     fully_associative_caches_show_their_line, what_is_not_lru_is_said_not_to_be,
                     a_coarse_survey_does_not_invent_ways, a_flat_curve_has_no_levels);
}
