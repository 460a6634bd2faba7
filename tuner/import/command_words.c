#include "tuner/import/nvcc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* What a backslash takes with it; within double quotes only these. */
static bool is_escaped(char quote, char next)
{
    return next && quote != '\'' && (!quote || strchr("\"\\$`", next));
}

/* Copies the word at *text, without its quotes, and leaves *text behind it. False: a quote does not end. */
static bool take_word(char *out, const char **text)
{
    const char *c;
    char quote = '\0';

    for (c = *text; *c && (quote || !is_blank(*c)); c++) {
        if (*c == '\\' && is_escaped(quote, c[1]))
            *out++ = *++c;
        else if (quote ? *c == quote : *c == '\'' || *c == '"')
            quote = quote ? '\0' : *c;
        else
            *out++ = *c;
    }
    *out = '\0';
    *text = c;
    return !quote;
}

void command_words_free(char **words, size_t count)
{
    for (size_t i = 0; words && i < count; i++)
        free(words[i]);
    free(words);
}

int command_words(char ***out, size_t *count, const char *text, struct err *err)
{
    const size_t length = strlen(text);
    char **words = calloc(length / 2 + 2, sizeof *words); /* no more than every other character is a word */
    size_t n = 0;
    int rc = words ? 0 : err_memory(err);

    for (text += strspn(text, " \t\r\n"); !rc && *text; text += strspn(text, " \t\r\n")) {
        words[n] = malloc(strlen(text) + 1);
        if (!words[n])
            rc = err_memory(err);
        else if (!take_word(words[n++], &text))
            rc = err_set(err, ERR_USAGE, "the command: a quote does not end");
    }
    if (rc) {
        command_words_free(words, n);
        words = NULL;
        n = 0;
    }
    *out = words;
    *count = n;
    return rc;
}
