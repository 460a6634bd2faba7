#include "gpu/unread.h"

#include <ctype.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word at `text` or behind it; its length is 0 where there is none. */
static const char *next_word(size_t *length, const char *text)
{
    const char *end;

    while (*text && !is_letter(*text))
        text++;
    for (end = text; is_letter(*end);)
        end++;
    *length = (size_t)(end - text);
    return text;
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
static bool is_theirs(const struct unread_name *name)
{
    static const char *const words[] = {"NDEBUG", "NULL", "true", "false", "nullptr"};

    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (name->length == strlen(words[k]) && !memcmp(name->text, words[k], name->length))
            return true;
    return *name->text == '_' || !strncmp(name->text, "CUDA", 4) || !strncmp(name->text, "NV", 2);
}

/* The name in "-DNAME=value"; else one of length 0. */
static struct unread_name name_in(const char *option)
{
    struct unread_name name = {.text = option + 2};

    if (strncmp(option, "-D", 2))
        return (struct unread_name){.length = 0};
    while (is_letter(name.text[name.length]))
        name.length++;
    return name.length && name.text[name.length] == '=' ? name : (struct unread_name){.length = 0};
}

/* The tuned options that are looked at are the first ones; fewer than there are only in a space of more than
 * UNREAD_MOST parameters. */
static size_t first_tuned(const struct compile_request *request)
{
    return request->option_count - request->tuned_count;
}

static size_t tuned_count(const struct compile_request *request)
{
    return request->tuned_count < UNREAD_MOST ? request->tuned_count : UNREAD_MOST;
}

/* Notes a word, where it is the name of another option than `own` (none: the number of options). */
static void note_word(struct unread *unread, const char *word, size_t length, size_t own)
{
    const size_t first = first_tuned(unread->request), count = tuned_count(unread->request);

    for (size_t k = 0; k < count; k++)
        if (unread->names[k].length == length && first + k != own &&
            !memcmp(unread->names[k].text, word, length))
            unread->macros &= ~(UINT64_C(1) << k);
}

static void note_names(struct unread *unread, const char *text, size_t own)
{
    size_t length;

    for (text = next_word(&length, text); length; text = next_word(&length, text + length))
        note_word(unread, text, length, own);
}

/* Whether tuned option k is "-DNAME=" and digits, as most are: it holds no other words than "DNAME" and "NAME". */
static bool is_plain(const struct unread *unread, size_t k)
{
    const struct unread_name *name = &unread->names[k];
    const char *value;

    if (!name->length)
        return false;
    value = name->text + name->length + 1;
    return *value && !value[strspn(value, "0123456789")];
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

void unread_begin_names(struct unread *out, const struct compile_request *request)
{
    *out = (struct unread){.request = request};
    for (size_t k = 0; k < tuned_count(request); k++) {
        out->names[k] = name_in(request->options[first_tuned(request) + k]);
        if (out->names[k].length)
            out->macros |= UINT64_C(1) << k;
    }
}

void unread_begin(struct unread *out, const struct compile_request *request)
{
    unread_begin_names(out, request);
    for (size_t k = 0; k < tuned_count(request); k++) {
        const struct unread_name *name = &out->names[k];

        if (name->length && (!is_number(name->text + name->length + 1) || is_theirs(name)))
            out->macros &= ~(UINT64_C(1) << k);
    }
    note_names(out, request->name, request->option_count);
    for (size_t i = 0; i < request->option_count; i++) {
        const char *option = request->options[i];
        const size_t tuned = i - first_tuned(request);

        if (i >= first_tuned(request) && tuned < tuned_count(request) && is_plain(out, tuned)) {
            note_word(out, option + 1, out->names[tuned].length + 1, i);
            note_word(out, option + 2, out->names[tuned].length, i);
            continue;
        }
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

    return k >= first && k - first < UNREAD_MOST && unread->macros >> (k - first) & 1;
}
