/* Where atomics of all blocks meet. */
#include "check.h"
#include "model/emulate/contention.h"

/* A request whose lane l goes to first + l * step. */
static void note_as(struct contention *contention, size_t block, uint64_t first, unsigned step, bool floats)
{
    uint64_t address[32];
    struct err err = {0};

    for (unsigned l = 0; l < 32; l++)
        address[l] = first + l * step;
    assert_int_equal(contention_note(contention, block, address, UINT32_MAX, floats, &err), 0);
}

static void note(struct contention *contention, size_t block, uint64_t first, unsigned step)
{
    note_as(contention, block, first, step, false);
}

static void finds_where_all_meet(void **state)
{
    struct contention contention = {0};

    check_near(contention_busiest(&contention).passes, 0, 0);
    for (size_t block = 1; block <= 3; block++)
        note(&contention, block, 0x10000, 0);
    check_near(contention_busiest(&contention).passes, 1, 0); /* one word: a pass a lane */
    contention_release(&contention);
    for (size_t block = 1; block <= 3; block++)
        note(&contention, block, 0x10000, 4);
    check_near(contention_busiest(&contention).passes, 4.0 / 32, 0); /* a line: a pass a sector */
    contention_release(&contention);
    for (size_t block = 1; block <= 3; block++)
        note(&contention, block, 0x10000, 1024);
    check_near(contention_busiest(&contention).passes, 1.0 / 32, 0); /* 32 places */
    contention_release(&contention);
}

/* Lanes that have the same word, wherever that is: other passes than one a sector. */
static void counts_repeats(void **state)
{
    struct contention contention = {0};

    check_near(contention_repeats(&contention), 0, 0);
    note(&contention, 1, 0x10000, 4);
    note(&contention, 1, 0x20000, 32);
    check_near(contention_repeats(&contention), 0, 0);
    note(&contention, 1, 0x30000, 0);
    check_near(contention_repeats(&contention), 31.0 / 96, 1e-12);
    contention_release(&contention);
}

/* What is only one block's, or only some blocks', is one of many such places in a large grid. */
static void leaves_out_what_is_not_shared(void **state)
{
    struct contention contention = {0};

    note(&contention, 1, 0x10000, 0);
    check_near(contention_busiest(&contention).passes, 0, 0);
    note(&contention, 2, 0x20000, 0);
    note(&contention, 3, 0x10000, 0);
    check_near(contention_busiest(&contention).passes, 0, 0);
    for (size_t block = 4; block <= 5; block++)
        note(&contention, block, 0x30000, 0);
    check_near(contention_busiest(&contention).passes, 0, 0);
    contention_release(&contention);
}

/* Where each block adds to what chance says, not all of them come to the place that most come to. */
static void finds_where_most_meet(void **state)
{
    struct contention contention = {0};

    for (size_t block = 1; block <= 16; block++) {
        note(&contention, block, 0x100000 + 0x10000 * block, 1024);
        if (block % 2)
            note(&contention, block, 0x10000, 0);
    }
    check_near(contention_busiest(&contention).passes, 8.0 * 32 / (24 * 32), 1e-12);
    for (size_t block = 17; block <= 40; block++)
        note(&contention, block, 0x100000 + 0x10000 * block, 1024);
    check_near(contention_busiest(&contention).passes, 0, 0); /* a fifth: no sign of what the others do */
    contention_release(&contention);
}

/* Lines that one slice serves: what adds floats comes behind the like of its sector by chance. What lies in the next 256 bytes
 * waits for none of that, what lies in those behind them does. */
static void sums_of_floats_wait_for_those_of_their_sector(void **state)
{
    struct contention contention = {0};

    check_near(contention_busiest(&contention).behind, 0, 0);
    for (size_t block = 1; block <= 3; block++) {
        note_as(&contention, block, 0x10000, 0, true); /* one word: 32 passes of a sector */
        note_as(&contention, block, 0x10080, 4, true); /* a line: one of each of its four */
        note_as(&contention, block, 0x10200, 0, false);
        note_as(&contention, block, 0x10100, 4, true);
        note_as(&contention, block, 0x10300, 0, true);
    }
    check_near(contention_busiest(&contention).passes, 68.0 / 160, 1e-12);
    check_near(contention_busiest(&contention).behind, (32.0 * 32 + 4) / 68 / 160, 1e-12);
    contention_release(&contention);
    for (size_t block = 1; block <= 3; block++)
        note_as(&contention, block, 0x10000, 0, false);
    check_near(contention_busiest(&contention).passes, 1, 0);
    check_near(contention_busiest(&contention).behind, 0, 0);
    contention_release(&contention);
}

/* 64 places to which all blocks add as often, and one to which they add seven times as often. */
static void says_how_unevenly_places_are_used(void **state)
{
    struct contention contention = {0};

    check_near(contention_unevenness(&contention), 0, 0);
    for (size_t block = 1; block <= 100; block++)
        for (unsigned half = 0; half < 2; half++)
            note(&contention, block, 0x10000 + half * 32 * 1024, 1024);
    check_near(contention_unevenness(&contention), 0, 1e-12);
    for (size_t block = 1; block <= 100; block++)
        for (unsigned k = 0; k < 6; k++)
            note(&contention, block, 0x10000, 0);
    /* shares of 193 / 256 and 1 / 256 */
    check_near(contention_unevenness(&contention), (193. * 193 + 63) / 65536 - 1. / 64, 1e-4);
    contention_release(&contention);
    for (size_t block = 1; block <= 100; block++)
        note(&contention, block, 0x10000 + block * 65536, 0); /* a place of each block's own */
    check_near(contention_unevenness(&contention), 0, 0);
    contention_release(&contention);
}

/* Blocks 1 and 2 add to a row of 64 lines, block 3 to others, and block 4 to eight of the first; block 5 to lines between
 * these, in the same places. */
static void finds_where_two_blocks_meet(void **state)
{
    struct contention contention = {0};
    struct contention_common common = contention_common(&contention, 1, 2);

    check_near(common.lines, 0, 0);
    check_near(common.share, 0, 0);
    for (size_t block = 1; block <= 3; block++)
        for (unsigned line = 0; line < 64; line++)
            note(&contention, block, (block == 3 ? 0x80000 : 0x10000) + 128 * line, 4);
    check_near(contention_passes(&contention), 4. / 32, 1e-12);
    common = contention_common(&contention, 1, 2);
    check_near(common.lines, 64, 1e-9);
    check_near(common.share, 1, 1e-12);
    check_near(contention_common(&contention, 1, 3).share, 0, 0);
    for (unsigned k = 0; k < 8; k++)
        note(&contention, 4, 0x10000 + 128 * k, 4);
    check_near(contention_common(&contention, 1, 4).lines, 8, 1e-9);
    check_near(contention_common(&contention, 1, 4).share, 8 * 12. / (8 * 12 + 56 * 8), 1e-12);
    for (unsigned k = 0; k < 8; k++) {
        note(&contention, 4, 0x90000 + 256 * k, 4);
        note(&contention, 5, 0x90080 + 256 * k, 4);
    }
    check_near(contention_common(&contention, 4, 5).lines, 0, 0);
    contention_release(&contention);
}

/* More places than the table has. */
static void keeps_to_its_table(void **state)
{
    struct contention contention = {0};

    for (size_t block = 1; block <= 2; block++)
        for (unsigned k = 0; k < 1000; k++)
            note(&contention, block, 0x10000 + k * UINT64_C(32768), 1024);
    assert_int_equal(contention.count, 2048);
    check_near(contention_busiest(&contention).passes, 2.0 / 64000, 0);
    contention_release(&contention);
}

int main(void)
{
    return RUN_TESTS(finds_where_all_meet, finds_where_most_meet, counts_repeats,
                     leaves_out_what_is_not_shared, sums_of_floats_wait_for_those_of_their_sector,
                     says_how_unevenly_places_are_used, finds_where_two_blocks_meet, keeps_to_its_table);
}
