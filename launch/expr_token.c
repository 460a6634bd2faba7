#include "launch/expr_token.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int fail(struct lexer *lexer, const char *message)
{
    return err_set(lexer->err, ERR_USAGE, "column %zu: %s", lexer->token.start + 1, message);
}

static int read_number(struct lexer *lexer)
{
    const char *start = lexer->text + lexer->token.start;
    const bool hexadecimal = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
    size_t length = strspn(start, "0123456789");
    char *end;

    errno = 0;
    lexer->token.kind = TOKEN_NUMBER;
    if (hexadecimal && !isxdigit((unsigned char)start[2]))
        return fail(lexer, "expected hexadecimal digits behind \"0x\"");
    if (hexadecimal || (start[length] != '.' && start[length] != 'e' && start[length] != 'E')) {
        lexer->token.value.kind = VALUE_INTEGER;
        lexer->token.value.integer = strtoll(start, &end, hexadecimal ? 16 : 10);
    } else {
        lexer->token.value.kind = VALUE_REAL;
        lexer->token.value.real = strtod(start, &end);
    }
    lexer->token.length = (size_t)(end - start);
    if (errno == ERANGE && !(lexer->token.value.kind == VALUE_REAL && fabs(lexer->token.value.real) < 1))
        return fail(lexer, "the number is too large");
    return 0;
}

static int read_string(struct lexer *lexer)
{
    const char *start = lexer->text + lexer->token.start;
    const char *end = strchr(start + 1, start[0]);

    if (!end)
        return fail(lexer, "the quoted text does not end");
    lexer->token.kind = TOKEN_STRING;
    lexer->token.length = (size_t)(end - start) + 1;
    lexer->literals[end - lexer->text] = '\0';
    lexer->token.value.kind = VALUE_STRING;
    lexer->token.value.string = lexer->literals + lexer->token.start + 1;
    return 0;
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static int read_sign(struct lexer *lexer)
{
    static const char *const signs[] = {"**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+", "-", "*",
                                        "/",  "%",  "<",  ">",  "(",  ")",  "[",  "]",  ",", "&", "|"};
    const char *start = lexer->text + lexer->token.start;

    if (!strncmp(start, "&&", 2))
        return fail(lexer, "unexpected \"&&\"; write \"and\"");
    if (!strncmp(start, "||", 2))
        return fail(lexer, "unexpected \"||\"; write \"or\"");

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strncmp(start, signs[i], strlen(signs[i]))) {
            lexer->token.kind = TOKEN_SIGN;
            lexer->token.length = strlen(signs[i]);
            return 0;
        }
    switch (*start) {
    case '!':
        return fail(lexer, "unexpected \"!\"; write \"not\"");
    case '=':
        return fail(lexer, "unexpected \"=\"; write \"==\" to compare");
    case '^':
        return fail(lexer, "unexpected \"^\"; write \"**\" for a power");
    default:
        return fail(lexer, "unexpected character");
    }
}

int lexer_next(struct lexer *lexer)
{
    const char *text = lexer->text;
    size_t at = lexer->token.start + lexer->token.length;

    while (isspace((unsigned char)text[at]))
        at++;
    lexer->token.start = at;
    lexer->token.length = 0;
    lexer->token.kind = TOKEN_END;
    if (!text[at])
        return 0;
    if (isdigit((unsigned char)text[at]) || (text[at] == '.' && isdigit((unsigned char)text[at + 1])))
        return read_number(lexer);
    if (text[at] == '"' || text[at] == '\'')
        return read_string(lexer);
    if (!name_char(text[at]))
        return read_sign(lexer);
    lexer->token.kind = TOKEN_NAME;
    while (name_char(text[at + lexer->token.length]))
        lexer->token.length++;
    return 0;
}
