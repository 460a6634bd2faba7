#include "tuner/decision/header_name.h"

#include <stdbool.h>
#include <string.h>

/* Of C99 to C23, of C++98 to C++23, and what compilers define in lower case. */
static const char words[] =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto i386 if inline int linux long mutable namespace new noexcept "
    "not not_eq nullptr operator or or_eq private protected public register reinterpret_cast "
    "requires restrict return short signed sizeof static static_assert static_cast struct switch "
    "template this thread_local throw true try typedef typeid typename typeof typeof_unqual union "
    "unix unsigned using virtual void volatile wchar_t while xor xor_eq";

/* The header's own. */
static const char *const own[] = {
    [HEADER_MACRO] =
        ("LAUNCH_BLOCK_X LAUNCH_BLOCK_Y LAUNCH_BLOCK_Z LAUNCH_SHARED_DYNAMIC_BYTES OPTIONS CONFIGURATIONS "
         "CONFIGURATION_COUNT"),
    [HEADER_FIELD] = "device sm size time_ms variant block shared_dynamic_bytes options option_count",
    [HEADER_ARGUMENT] = "device sm problem_size"};

/* Whether the word that `at` begins with is `name` with `bars` '_' behind. */
static bool is_name(const char *at, const char *name, size_t bars)
{
    const size_t length = strlen(name);

    if (strncmp(at, name, length) || strspn(at + length, "_") != bars)
        return false;
    at += length + bars;
    return !*at || *at == ' ';
}

static bool is_in(const char *list, const char *name, size_t bars)
{
    bool found = false;

    for (; *list && !found; list += strcspn(list, " ")) {
        list += strspn(list, " ");
        found = is_name(list, name, bars);
    }
    return found;
}

static bool is_taken(const char *const *names, size_t count, size_t k, size_t bars, enum header_place place)
{
    if (is_in(own[place], names[k], bars))
        return true;
    if (place != HEADER_MACRO && (is_in(words, names[k], bars) || is_in(header_macros, names[k], bars)))
        return true;
    for (size_t other = 0; other < count; other++)
        if (other != k && is_name(names[other], names[k], bars))
            return true;
    return false;
}

void header_name_put(FILE *out, const char *const *names, size_t count, size_t k, enum header_place place)
{
    size_t bars = 0;

    while (is_taken(names, count, k, bars, place))
        bars++;
    fputs(names[k], out);
    while (bars--)
        fputc('_', out);
}
