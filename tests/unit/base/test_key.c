/* 128-bit keys: of contents, whatever pieces they come in. */
#include "check.h"

#include "base/key.h"

static struct key key_of(const char *first, const char *second)
{
    struct keying *keying = keying_new();
    struct key key;

    keying_text(keying, first);
    keying_text(keying, second);
    key = keying_key(keying);
    keying_free(keying);
    return key;
}

static void tells_contents_apart(void **state)
{
    struct key empty = {0, 0};

    assert_true(key_equal(key_of("ab", "c"), key_of("ab", "c")));
    assert_false(key_equal(key_of("ab", "c"), key_of("a", "bc")));
    assert_false(key_equal(key_of("ab", "c"), key_text(key_of("ab", "c"), "")));
    assert_false(key_equal(key_text(empty, "a"), key_text(empty, "b")));
    assert_false(key_equal(key_text((struct key){1, 2}, "a"), key_text((struct key){1, 3}, "a")));
    assert_true(key_equal(key_bytes("ab", 2), key_bytes("abc", 2)));
    assert_false(key_equal(key_bytes("ab", 2), key_bytes("ab", 3)));
}

/* Entries outlive the program: the digits are the same tomorrow. */
static void digits_stay(void **state)
{
    char hex[33];

    key_hex(hex, (struct key){UINT64_C(0x123), UINT64_C(0xfedcba9876543210)});
    assert_string_equal(hex, "fedcba98765432100000000000000123");
    key_hex(hex, key_of("extern", "C"));
    assert_string_equal(hex, "a0c8e20e210be31ddf590f7c5458092c");
}

int main(void)
{
    return RUN_TESTS(tells_contents_apart, digits_stay);
}
