/* What expr_arithmetic.c and expr_parse.c share: the parser, and one function per level of Python's
 * precedence. Each returns 0, or a negative code with the message in `err`; *out is the node that it made. */
#ifndef LAUNCH_EXPR_PARSER_H
#define LAUNCH_EXPR_PARSER_H

#include "launch/expr.h"
#include "launch/expr_node.h"
#include "launch/expr_token.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parser {
    struct expr *expr;
    const char *const *names;
    size_t name_count;
    struct lexer lexer;
    unsigned depth; /* of open parentheses, prefix operators and exponents */
    struct err *err;
};

struct spelling {
    const char *text;
    enum op op;
    unsigned arguments; /* functions: 1, 2, or 0 for two or more */
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef int parse_level(uint32_t *out, struct parser *p);

int parser_fail(struct parser *p, size_t start, const char *message);
/* Whether the next token is this keyword or sign; takes it, or fails. */
bool parser_next_is(const struct parser *p, const char *text);
int parser_expect(struct parser *p, const char *text);
/* The spelling that the next token is; null for none. */
const struct spelling *parser_find(const struct parser *p, const struct spelling *list, size_t count);
int parser_operation(uint32_t *out, struct parser *p, enum op op, size_t start, uint32_t a, uint32_t b,
                     uint32_t c);

/* The tightest level of conditions is made of arithmetic; parentheses hold the loosest, `x if c else y`. */
int parser_arithmetic(uint32_t *out, struct parser *p);
int parser_conditional(uint32_t *out, struct parser *p);

#endif
