#include "gpu/unread.h"

#include <ctype.h>
#include <string.h>

enum { TUNED_MOST = 64, NAME_BYTES = 128 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

static bool is_letter(char c)
{
    return c && strchr(letters, c);
}

/* How often a word stands in a text. */
static size_t count_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    const char *at = text;
    size_t count = 0;

    for (; (at = strstr(at, word)); at += length)
        count += (at == text || !is_letter(at[-1])) && !is_letter(at[length]);
    return count;
}

/* One word that begins with a digit, or a sign or point before it: where it stands in the place of a name
 * that the compiler's headers declare, it is as wrong as any other number. */
static bool is_number(const char *value)
{
    value += strspn(value, "+-.");
    if (!isdigit((unsigned char)*value))
        return false;
    while (is_letter(*value) || (*value && strchr("+-.", *value)))
        value++;
    return !*value;
}

/* Whether the compiler's own headers may ask for what a macro of this name says. */
static bool is_theirs(const char *name)
{
    return *name == '_' || !strncmp(name, "CUDA", 4) || !strncmp(name, "NV", 2) || !strcmp(name, "NDEBUG") ||
           !strcmp(name, "NULL") || !strcmp(name, "true") || !strcmp(name, "false") ||
           !strcmp(name, "nullptr");
}

/* Reads "-DNAME=value", with a name that is the user's own and a number for value. */
static bool read_macro(char name[NAME_BYTES], const char *option)
{
    const size_t length = strncmp(option, "-D", 2) ? 0 : strspn(option + 2, letters);

    if (!length || length >= NAME_BYTES || option[2 + length] != '=')
        return false;
    memcpy(name, option + 2, length);
    name[length] = '\0';
    return is_number(option + 3 + length) && !is_theirs(name);
}

/* The tuned options that are looked at are the first ones; fewer than there are only in a space of more than
 * 64 parameters. */
static size_t first_tuned(const struct compile_request *request)
{
    return request->option_count - request->tuned_count;
}

static size_t tuned_count(const struct compile_request *request)
{
    return request->tuned_count < TUNED_MOST ? request->tuned_count : TUNED_MOST;
}

/* Notes the names in a text, but that of option `own` (none: the number of options). */
static void note_names(struct unread *unread, const char *text, size_t own)
{
    const struct compile_request *request = unread->request;
    char name[NAME_BYTES];

    for (size_t k = 0, i = first_tuned(request); k < tuned_count(request); k++, i++)
        if (i != own && unread_has(unread, i) && read_macro(name, request->options[i]) &&
            count_word(text, name))
            unread->macros &= ~(UINT64_C(1) << k);
}

/* A line that ends with \ and goes on in the next without a space: it may break a word, and a ##. */
static bool breaks_words(const char *text)
{
    const char *at = text, *end;

    for (; (at = strchr(at, '\\')); at++) {
        end = at + 1 + strspn(at + 1, " \t\r");
        if (*end == '\n' && at > text && !isspace((unsigned char)at[-1]) && end[1] &&
            !isspace((unsigned char)end[1]))
            return true;
    }
    return false;
}

/* Pasting, with its digraph and trigraph, and the trigraph of a line's \. */
static bool makes_names(const char *text)
{
    return strstr(text, "##") || strstr(text, "%:") || strstr(text, "\?\?=") || strstr(text, "\?\?/") ||
           breaks_words(text);
}

void unread_begin(struct unread *out, const struct compile_request *request)
{
    char name[NAME_BYTES];
    size_t k, i;

    *out = (struct unread){.request = request};
    for (k = 0; k < tuned_count(request); k++)
        if (read_macro(name, request->options[first_tuned(request) + k]))
            out->macros |= UINT64_C(1) << k;
    note_names(out, request->name, request->option_count);
    for (i = 0; i < request->option_count; i++) {
        const char *option = request->options[i];

        note_names(out, option, i);
        if (!strncmp(option, "-D", 2) || !strncmp(option, "-U", 2)) /* and the name begins */
            note_names(out, option + 2, i);
        if (makes_names(option))
            unread_give_up(out);
    }
}

void unread_text(struct unread *unread, const char *text, size_t followed)
{
    if (!unread->macros)
        return;
    if (makes_names(text) || count_word(text, "include") > followed || count_word(text, "import"))
        unread_give_up(unread);
    note_names(unread, text, unread->request->option_count);
}

void unread_give_up(struct unread *unread)
{
    unread->macros = 0;
}

bool unread_has(const struct unread *unread, size_t k)
{
    const size_t first = first_tuned(unread->request);

    return k >= first && k - first < TUNED_MOST && unread->macros >> (k - first) & 1;
}
