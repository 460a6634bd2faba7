/* Sets of sectors against a plain array of flags. */
#include "check.h"
#include "base/hash.h"
#include "model/emulate/footprint.h"

enum { SECTORS = 1 << 16 }; /* sixteen chunks */

static void marks_what_is_touched(void **state)
{
    static bool wanted[SECTORS];
    struct footprint footprint = {0};
    struct err err = {0};
    struct footprint_pairs pairs;
    uint64_t count = 0, wanted_pairs = 0, lone = 0;

    memset(wanted, 0, sizeof wanted);
    for (uint64_t k = 0; k < 300; k++) {
        const uint64_t address = hash_random(1, k) % (32 * SECTORS - 20000),
                       bytes = 1 + hash_random(2, k) % 9999;

        assert_int_equal(footprint_mark(&footprint, address, bytes, &err), 0);
        for (uint64_t s = address / 32; s <= (address + bytes - 1) / 32; s++)
            wanted[s] = true;
    }
    for (uint64_t s = 0; s < SECTORS; s++) {
        count += wanted[s];
        if (s % 2 && (wanted[s] || wanted[s - 1])) {
            wanted_pairs++;
            lone += !wanted[s ^ 2] && !wanted[(s - 1) ^ 2];
        }
        assert_int_equal(footprint_meets(&footprint, 32 * s + s % 32, 1), wanted[s]);
    }
    assert_int_equal(footprint.sectors, count);
    footprint_pairs_in(&pairs, &footprint, NULL, 0, 0, UINT64_MAX);
    assert_int_equal(pairs.sectors, count);
    assert_int_equal(pairs.pairs, wanted_pairs);
    assert_int_equal(pairs.lone, lone);
    footprint_release(&footprint);
}

/* Sectors by how many of four footprints have them, beside counts one by one. */
static void counts_who_has_a_sector(void **state)
{
    static unsigned char has[4][SECTORS];
    struct footprint prints[4] = {{0}};
    const struct footprint *list[4];
    struct footprint_met met, wanted = {0};
    uint64_t first = SECTORS, last = 0, least = SECTORS, most = 0;
    struct footprint_ends ends;
    struct err err = {0};

    memset(has, 0, sizeof has);
    for (unsigned p = 0; p < 4; p++) {
        list[p] = &prints[p];
        for (uint64_t k = 0; k < 5000; k++) {
            const uint64_t sector = SECTORS / 8 + hash_random(p, k) % (SECTORS / (1 + p));

            if (sector >= SECTORS)
                continue;
            has[p][sector] = 1;
            assert_int_equal(footprint_mark(&prints[p], 32 * sector, 1, &err), 0);
        }
    }
    for (uint64_t s = 0; s < SECTORS; s++) {
        const unsigned count = has[0][s] + has[1][s] + has[2][s] + has[3][s];

        wanted.any += count > 0;
        wanted.one += count == 1;
        wanted.two += count == 2;
        wanted.all += count == 4;
        first = count && first == SECTORS ? s : first;
        last = count ? s : last;
    }
    footprint_met_in(&met, list, 4, 0, UINT64_MAX);
    assert_int_equal(met.any, wanted.any);
    assert_int_equal(met.one, wanted.one);
    assert_int_equal(met.two, wanted.two);
    assert_int_equal(met.all, wanted.all);
    for (unsigned p = 0; p < 4; p++) {
        assert_true(footprint_ends_in(&ends, list[p], 0, UINT64_MAX));
        assert_true(has[p][ends.first] && has[p][ends.last]);
        least = ends.first < least ? ends.first : least;
        most = ends.last > most ? ends.last : most;
    }
    assert_int_equal(least, first);
    assert_int_equal(most, last);
    assert_false(footprint_ends_in(&ends, list[0], UINT64_C(1) << 40, 4096));
    footprint_met_in(&met, list, 1, 0, UINT64_MAX);
    assert_int_equal(met.all, prints[0].sectors);
    footprint_met_in(&met, list, 4, UINT64_C(1) << 40, 4096);
    assert_int_equal(met.any, 0);
    for (unsigned p = 0; p < 4; p++)
        footprint_release(&prints[p]);
}

static void finds_what_is_shared(void **state)
{
    struct footprint a = {0}, b = {0}, c = {0};
    struct err err = {0};

    assert_int_equal(footprint_shared_in(&a, &b, &b, 0, UINT64_MAX), 0);
    for (uint64_t k = 0; k < 5000; k++) { /* far apart: many chunks */
        footprint_mark(&a, k << 24, 1, &err);
        if (k % 2 == 0)
            footprint_mark(&b, k << 24, 32, &err);
        if (k % 3 == 0)
            footprint_mark(&c, (k << 24) + 16, 16, &err);
    }
    assert_int_equal(err.code, 0);
    assert_int_equal(a.sectors, 5000);
    assert_int_equal(footprint_shared_in(&a, &b, &b, 0, UINT64_MAX), 2500);
    assert_int_equal(footprint_shared_in(&b, &a, &a, 0, UINT64_MAX), 2500);
    assert_int_equal(footprint_shared_in(&a, &b, &c, 0, UINT64_MAX), 834);
    assert_int_equal(footprint_shared_in(&a, &a, &a, UINT64_C(10) << 24, UINT64_C(5) << 24), 5);
    footprint_release(&a);
    footprint_release(&b);
    footprint_release(&c);
}

/* Sectors 0 and 3 of a line, a sector alone in the next, and what others bring to both. */
static void pairs_come_alone_or_with_others(void **state)
{
    struct footprint own = {0}, other = {0};
    const struct footprint *const others[] = {NULL, &other};
    struct footprint_pairs pairs;
    struct err err = {0};

    footprint_mark(&own, 0, 1, &err);
    footprint_mark(&own, 96, 1, &err);
    footprint_mark(&own, 128, 1, &err);
    assert_int_equal(err.code, 0);
    footprint_pairs_in(&pairs, &own, others, 2, 0, UINT64_MAX);
    assert_int_equal(pairs.pairs, 3);
    assert_int_equal(pairs.sectors, 3);
    assert_int_equal(pairs.lone, 1);
    footprint_mark(&other, 160, 64, &err); /* the other half of its pair, and the line's other pair */
    footprint_pairs_in(&pairs, &own, others, 2, 0, UINT64_MAX);
    assert_int_equal(pairs.pairs, 3);
    assert_int_equal(pairs.sectors, 4);
    assert_int_equal(pairs.lone, 0);
    footprint_release(&own);
    footprint_release(&other);
}

/* A line and the next one but one, each alone in its 256 bytes until another has a sector there; the line
 * after that is no neighbour of theirs. */
static void lines_are_alone_or_beside_others(void **state)
{
    struct footprint own = {0}, other = {0};
    const struct footprint *const others[] = {NULL, &other};
    struct footprint_lines lines;
    struct err err = {0};

    footprint_mark(&own, 1024, 128, &err);
    footprint_mark(&own, 1280, 1, &err);
    footprint_mark(&other, 1536, 256, &err);
    assert_int_equal(err.code, 0);
    footprint_lines_in(&lines, &own, others, 2, 0, UINT64_MAX);
    assert_int_equal(lines.lines, 2);
    assert_int_equal(lines.lone, 2);
    footprint_mark(&other, 1280 + 224, 32, &err);
    footprint_lines_in(&lines, &own, others, 2, 0, UINT64_MAX);
    assert_int_equal(lines.lone, 1);
    footprint_mark(&own, 1152, 1, &err);
    footprint_lines_in(&lines, &own, others, 2, 0, UINT64_MAX);
    assert_int_equal(lines.lines, 3);
    assert_int_equal(lines.lone, 0);
    footprint_lines_in(&lines, &own, others, 2, UINT64_C(1) << 24, 4096);
    assert_int_equal(lines.lines, 0);
    footprint_release(&own);
    footprint_release(&other);
}

static void moves_what_is_in_a_range(void **state)
{
    struct footprint a = {0}, moved = {0}, wanted = {0};
    struct err err = {0};
    uint64_t first;

    footprint_mark(&a, 0x1000, 32, &err); /* below the range */
    footprint_mark(&a, 0x20000, 64 * 70, &err);
    footprint_mark(&a, 0x123400, 32, &err);
    footprint_mark(&a, 0x200000, 32, &err); /* above it */
    assert_int_equal(footprint_move(&moved, &a, 0x20000, 0x200000, 0x3fe0, &err), 0);
    footprint_mark(&wanted, 0x23fe0, 64 * 70, &err);
    footprint_mark(&wanted, 0x1273e0, 32, &err);
    assert_true(footprint_equal(&moved, &wanted));
    assert_false(footprint_equal(&moved, &a));
    assert_true(footprint_first(&first, &a, 0x20000, 0x200000));
    assert_int_equal(first, 0x20000);
    assert_true(footprint_first(&first, &a, 0x20020, 0x200000));
    assert_int_equal(first, 0x20020);
    assert_true(footprint_first(&first, &a, 0x30000, 0x200000));
    assert_int_equal(first, 0x123400);
    assert_false(footprint_first(&first, &a, 0x124000, 0x200000));
    footprint_release(&moved);
    assert_int_equal(footprint_move(&moved, &wanted, 0, UINT64_MAX, -0x3fe0, &err), 0);
    assert_true(footprint_first(&first, &moved, 0, UINT64_MAX));
    assert_int_equal(first, 0x20000);
    footprint_release(&a);
    footprint_release(&moved);
    footprint_release(&wanted);
}

/* Runs at random, many of them twice and some within others, and columns that differ by their sectors alone, against each stretch on its own. */
static void runs_are_added_whole(void **state)
{
    static const int64_t steps[] = {32, 256, -4096, 48, 131072};
    struct footprint runs = {0}, single = {0};
    struct err err = {0};

    for (uint64_t k = 0; k < 2000; k++) {
        const uint64_t kind = hash_random(1, k) % 300, count = kind % 2 ? 1 + hash_random(2, kind) % 40 : 16;
        const uint64_t address = (1 << 24) + hash_random(3, kind) % 4096,
                       bytes = 4 << hash_random(4, kind) % 6;
        const int64_t step = steps[hash_random(5, kind) % 5];

        assert_int_equal(footprint_mark_moving(&runs, address, bytes, step, count, &err), 0);
        for (uint64_t n = 0; n < count; n++)
            footprint_mark(&single, address + n * (uint64_t)step, bytes, &err);
        assert_int_equal(runs.sectors, single.sectors);
    }
    assert_int_equal(err.code, 0);
    assert_true(footprint_equal(&runs, &single));
    footprint_release(&runs);
    footprint_release(&single);
}

int main(void)
{
    return RUN_TESTS(marks_what_is_touched, counts_who_has_a_sector, finds_what_is_shared,
                     pairs_come_alone_or_with_others, lines_are_alone_or_beside_others,
                     moves_what_is_in_a_range, runs_are_added_whole);
}
