/* The words of an expression, for expr_parse.c. */
#ifndef LAUNCH_EXPR_TOKEN_H
#define LAUNCH_EXPR_TOKEN_H

#include "base/err.h"
#include "launch/expr.h"

enum token_kind { TOKEN_END, TOKEN_NUMBER, TOKEN_STRING, TOKEN_NAME, TOKEN_SIGN };

struct token {
    enum token_kind kind;
    size_t start, length; /* in the text */
    struct value value;   /* numbers, and strings, which end inside `literals` */
};

struct lexer {
    const char *text;
    char *literals; /* a copy of the text; a string literal in it gets its closing quote replaced by zero */
    struct token token; /* the one to be taken next; empty at first */
    struct err *err;
};

/* Moves on to the next token. */
int lexer_next(struct lexer *lexer);

#endif
