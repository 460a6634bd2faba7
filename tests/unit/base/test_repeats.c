/* base/repeats: messages come back, small where they are like those before; what is no message is refused. */
#include "check.h"

#include "base/repeats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct repeats sent, heard;

static int release(void **state)
{
    repeats_release(&sent);
    repeats_release(&heard);
    return 0;
}

/* Packs a message, unpacks it, compares. The bytes that it took. */
static size_t pass(const void *message, size_t size)
{
    unsigned char *packed = malloc(repeats_bound(size)), *to = repeats_next(&sent, size, NULL);
    const unsigned char *got;
    size_t taken;

    assert_non_null(to);
    if (size)
        memcpy(to, message, size);
    taken = repeats_pack(packed, &sent, size);
    assert_in_range(taken, 1, repeats_bound(size));
    assert_int_equal(repeats_unpack(&got, size, &heard, packed, taken, NULL), 0);
    if (size)
        assert_memory_equal(got, message, size);
    free(packed);
    return taken;
}

static uint32_t draw(uint32_t *state)
{
    return (*state = *state * 1664525 + 1013904223) >> 8;
}

/* Through many beginnings anew. */
static void like_messages_are_small(void **state)
{
    char message[400];
    size_t taken = 0;

    for (int k = 0; k < 1000; k++) {
        const int size =
            snprintf(message, sizeof message,
                     "{\"ask\": \"trial\", \"id\": %d, \"search\": 0, \"gpu\": 0, \"code\": \"%032x\", "
                     "\"entry\": \"matmul\", \"launch\": {\"grid\": [%d, 128, 1], \"block\": [256, 1, 1], "
                     "\"arguments\": \"0123456789abcdef0123456789abcdef\"}, \"rival_s\": 0.0}",
                     k, (unsigned)k * 2654435761u, 32 << k % 3);

        taken += pass(message, (size_t)size);
    }
    assert_in_range(taken, 1000, 1000 * 60);
}

/* Of any length, with repetition within them, across them, and none. */
static void any_message_returns(void **state)
{
    unsigned char *message = malloc(REPEATS_MOST);
    uint32_t seed = 1;

    for (int k = 0; k < 400; k++) {
        const size_t size = k % 40 ? draw(&seed) % 3000 : REPEATS_MOST;
        const uint32_t letters = 1u << k % 9;

        for (size_t i = 0; i < size; i++)
            message[i] = (unsigned char)(draw(&seed) % letters);
        pass(message, size);
    }
    pass("", 0);
    free(message);
}

static void expect_refused(const char *packed, size_t packed_size, size_t size)
{
    struct repeats repeats = {0};
    const unsigned char *got;

    assert_int_equal(repeats_unpack(&got, size, &repeats, (const unsigned char *)packed, packed_size, NULL),
                     ERR_FORMAT);
    repeats_release(&repeats);
}

static void what_is_no_message_is_refused(void **state)
{
    expect_refused("", 0, 0); /* nothing at all */
    expect_refused("\x30"
                   "ab",
                   3, 3); /* shorter than it says */
    expect_refused("\x30"
                   "abc",
                   4, 2); /* longer than it may be */
    expect_refused("\x30"
                   "abc",
                   4, 4);          /* shorter than it must be */
    expect_refused("\xf0", 1, 20); /* a count that does not end */
    expect_refused("\x10"
                   "a\x01",
                   3, 5); /* half a distance */
    expect_refused("\x10"
                   "a\x00\x00\x00",
                   5, 5); /* no distance */
    expect_refused("\x10"
                   "a\x02\x00\x00",
                   5, 5); /* from before the first message */
    expect_refused("\x1f"
                   "a\x01\x00\xff\x00\x00",
                   7, 5); /* a match beyond the end */
    expect_refused("\x10"
                   "a\x01\x00",
                   4, 5);                        /* ends with a match */
    expect_refused("\x00", 1, REPEATS_MOST + 1); /* too long */
    expect_refused("\x30"
                   "abc, and more than any message of this size is packed into",
                   59, 3);
}

/* A message cut short, or with a byte changed, is refused or another; nothing worse happens. */
static void damage_does_no_harm(void **state)
{
    static const char message[] = "abcabcabcabc, abcabc and abc; abcabcabcabc";
    unsigned char packed[128];
    const unsigned char *got;
    size_t taken;

    memcpy(repeats_next(&sent, sizeof message, NULL), message, sizeof message);
    taken = repeats_pack(packed, &sent, sizeof message);
    for (size_t cut = 0; cut < taken; cut++)
        expect_refused((const char *)packed, cut, sizeof message);
    for (size_t k = 0; k < 256 * taken; k++) {
        struct repeats repeats = {0};

        packed[k / 256] ^= (unsigned char)k;
        repeats_unpack(&got, sizeof message, &repeats, packed, taken, NULL);
        packed[k / 256] ^= (unsigned char)k;
        repeats_release(&repeats);
    }
}

/* A block by hand: eight bytes, a match as far back as there can be, twelve bytes. Its size. */
static size_t reach_back(unsigned char *packed, size_t size)
{
    unsigned char *to = packed;
    size_t more = size - 8 - 12 - 4 - 15;

    *to++ = 0x8f;
    memset(to, 'a', 8);
    to += 8;
    *to++ = 0xff;
    *to++ = 0xff;
    for (; more >= 255; more -= 255)
        *to++ = 255;
    *to++ = (unsigned char)more;
    *to++ = 0xc0;
    memset(to, 'z', 12);
    return (size_t)(to + 12 - packed);
}

/* Nor does a match that no sender makes: what it repeats never lies where it goes (asan sees copies that overlap). */
static void what_is_far_lies_elsewhere(void **state)
{
    unsigned char packed[REPEATS_MOST];
    const unsigned char *got;
    uint32_t seed = 1;

    for (size_t seen = 0; seen < 1 << 16; seen += REPEATS_MOST) {
        unsigned char message[REPEATS_MOST];

        memset(message, (int)(seen / REPEATS_MOST), sizeof message);
        pass(message, sizeof message);
    }
    for (int k = 0; k < 10000; k++) {
        const size_t size = 1000 + draw(&seed) % (REPEATS_MOST - 999);

        assert_int_equal(repeats_unpack(&got, size, &heard, packed, reach_back(packed, size), NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(like_messages_are_small, release),
        cmocka_unit_test_teardown(any_message_returns, release),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test_teardown(damage_does_no_harm, release),
        cmocka_unit_test_teardown(what_is_far_lies_elsewhere, release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
