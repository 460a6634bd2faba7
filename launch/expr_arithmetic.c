/* Numbers: names, calls, powers, products, sums, shifts and bits. */
#include "launch/expr_parser.h"

#include "base/array.h"
#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

static int parse_unary(uint32_t *out, struct parser *p);

int parser_fail(struct parser *p, size_t start, const char *message)
{
    return err_set(p->err, ERR_USAGE, "column %zu: %s", start + 1, message);
}

/* Whether the next token is this keyword or sign. */
bool parser_next_is(const struct parser *p, const char *text)
{
    return (p->lexer.token.kind == TOKEN_NAME || p->lexer.token.kind == TOKEN_SIGN) &&
           p->lexer.token.length == strlen(text) &&
           !memcmp(p->expr->text + p->lexer.token.start, text, p->lexer.token.length);
}

int parser_expect(struct parser *p, const char *text)
{
    if (parser_next_is(p, text))
        return lexer_next(&p->lexer);
    return err_set(p->err, ERR_USAGE, "column %zu: expected \"%s\"", p->lexer.token.start + 1, text);
}

/* Nodes -------------------------------------------------------------------- */

static unsigned depth_of(const struct expr *expr, uint32_t node)
{
    return node == EXPR_NONE ? 0 : expr->nodes[node].depth;
}

static unsigned deepest(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static int add_node(uint32_t *out, struct parser *p, struct node node)
{
    struct expr *expr = p->expr;

    node.depth = 1 + deepest(depth_of(expr, node.a), deepest(depth_of(expr, node.b), depth_of(expr, node.c)));
    if (node.depth > EXPR_DEPTH)
        return parser_fail(p, node.column - 1, "the expression is nested too deeply");
    if (ARRAY_GROW(expr->nodes, expr->count, p->err))
        return ERR_MEMORY;
    *out = (uint32_t)expr->count;
    expr->nodes[expr->count++] = node;
    return 0;
}

int parser_operation(uint32_t *out, struct parser *p, enum op op, size_t start, uint32_t a, uint32_t b,
                     uint32_t c)
{
    return add_node(out, p, (struct node){.op = op, .column = (unsigned)start + 1, .a = a, .b = b, .c = c});
}

static int parser_constant(uint32_t *out, struct parser *p, size_t start, struct value value)
{
    return add_node(out, p,
                    (struct node){.op = OP_CONSTANT,
                                  .column = (unsigned)start + 1,
                                  .a = EXPR_NONE,
                                  .b = EXPR_NONE,
                                  .c = EXPR_NONE,
                                  .constant = value});
}

/* Grammar ------------------------------------------------------------------ */

static const struct spelling functions[] = {
    {"ceil_div", OP_CEIL_DIV, 2}, {"round_up", OP_ROUND_UP, 2}, {"min", OP_MIN, 0},   {"max", OP_MAX, 0},
    {"abs", OP_ABS, 1},           {"sqrt", OP_SQRT, 1},         {"log2", OP_LOG2, 1}, {"floor", OP_FLOOR, 1},
    {"ceil", OP_CEIL, 1},         {"random", OP_RANDOM, 1},     {"sin", OP_SIN, 1},   {"cos", OP_COS, 1},
    {"exp", OP_EXP, 1},           {"log", OP_LOG, 1},
};
static const struct spelling shifts[] = {{"<<", OP_SHIFT_LEFT, 2}, {">>", OP_SHIFT_RIGHT, 2}};
static const struct spelling bit_ands[] = {{"&", OP_BIT_AND, 2}};
static const struct spelling bit_ors[] = {{"|", OP_BIT_OR, 2}};
static const struct spelling sums[] = {{"+", OP_ADD, 2}, {"-", OP_SUBTRACT, 2}};
static const struct spelling products[] = {
    {"*", OP_MULTIPLY, 2}, {"//", OP_FLOOR_DIVIDE, 2}, {"/", OP_DIVIDE, 2}, {"%", OP_MODULO, 2}};

const struct spelling *parser_find(const struct parser *p, const struct spelling *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (parser_next_is(p, list[i].text))
            return &list[i];
    return NULL;
}

static int parse_call(uint32_t *out, struct parser *p, const struct spelling *function)
{
    const size_t start = p->lexer.token.start;
    uint32_t operand;
    unsigned given = 1;

    if (lexer_next(&p->lexer) || parser_expect(p, "(") || parser_conditional(out, p))
        return ERR_USAGE;
    if (function->arguments == 1 && parser_operation(out, p, function->op, start, *out, EXPR_NONE, EXPR_NONE))
        return ERR_USAGE;
    while (parser_next_is(p, ",") && (!function->arguments || given < function->arguments)) {
        if (lexer_next(&p->lexer) || parser_conditional(&operand, p) ||
            parser_operation(out, p, function->op, start, *out, operand, EXPR_NONE))
            return ERR_USAGE;
        given++;
    }
    if (given < (function->arguments ? function->arguments : 2))
        return err_set(p->err, ERR_USAGE, "column %zu: %s takes %s", start + 1, function->text,
                       function->arguments ? "two arguments" : "two or more arguments");
    return parser_expect(p, ")");
}

static int unknown_name(struct parser *p)
{
    char name[64];
    const char *near;
    size_t length = p->lexer.token.length < sizeof name ? p->lexer.token.length : sizeof name - 1;

    memcpy(name, p->expr->text + p->lexer.token.start, length);
    name[length] = '\0';
    near = nearest_word(name, p->names, p->name_count);
    if (near)
        return err_set(p->err, ERR_USAGE, "column %zu: unknown name %s; did you mean %s?",
                       p->lexer.token.start + 1, name, near);
    return err_set(p->err, ERR_USAGE, "column %zu: unknown name %s", p->lexer.token.start + 1, name);
}

static int parse_name(uint32_t *out, struct parser *p)
{
    const struct spelling *function = parser_find(p, functions, COUNT(functions));
    const size_t start = p->lexer.token.start;
    const bool is_true = parser_next_is(p, "true") || parser_next_is(p, "True");

    for (size_t k = 0; k < p->name_count; k++)
        if (parser_next_is(p, p->names[k])) {
            *out = EXPR_NONE;
            if (add_node(out, p,
                         (struct node){.op = OP_SLOT,
                                       .column = (unsigned)start + 1,
                                       .a = EXPR_NONE,
                                       .b = EXPR_NONE,
                                       .c = EXPR_NONE,
                                       .slot = k}))
                return ERR_USAGE;
            return lexer_next(&p->lexer);
        }
    if (is_true || parser_next_is(p, "false") || parser_next_is(p, "False")) {
        if (parser_constant(out, p, start, (struct value){.kind = VALUE_BOOL, .integer = is_true}))
            return ERR_USAGE;
        return lexer_next(&p->lexer);
    }
    return function ? parse_call(out, p, function) : unknown_name(p);
}

static int parse_primary(uint32_t *out, struct parser *p)
{
    const size_t start = p->lexer.token.start;

    switch (p->lexer.token.kind) {
    case TOKEN_NUMBER:
    case TOKEN_STRING:
        return parser_constant(out, p, start, p->lexer.token.value) ? ERR_USAGE : lexer_next(&p->lexer);
    case TOKEN_NAME:
        return parse_name(out, p);
    case TOKEN_SIGN:
        if (parser_next_is(p, "("))
            return lexer_next(&p->lexer) || parser_conditional(out, p) ? ERR_USAGE : parser_expect(p, ")");
        return parser_fail(p, start, "expected a value");
    case TOKEN_END:
        break;
    }
    return parser_fail(p, start, "the expression ends where a value is expected");
}

/* `**` binds tighter than a sign on its left and looser than one on its right, and groups from the right. */
static int parse_power(uint32_t *out, struct parser *p)
{
    uint32_t exponent;
    size_t start;

    if (parse_primary(out, p))
        return ERR_USAGE;
    start = p->lexer.token.start;
    if (!parser_next_is(p, "**"))
        return 0;
    if (++p->depth > EXPR_DEPTH)
        return parser_fail(p, start, "the expression is nested too deeply");
    if (lexer_next(&p->lexer) || parse_unary(&exponent, p))
        return ERR_USAGE;
    p->depth--;
    return parser_operation(out, p, OP_POWER, start, *out, exponent, EXPR_NONE);
}

static int parse_unary(uint32_t *out, struct parser *p)
{
    const size_t start = p->lexer.token.start;
    int failed;

    if (!parser_next_is(p, "-") && !parser_next_is(p, "+"))
        return parse_power(out, p);
    if (++p->depth > EXPR_DEPTH)
        return parser_fail(p, start, "the expression is nested too deeply");
    failed = parser_next_is(p, "-")
                 ? lexer_next(&p->lexer) || parse_unary(out, p) ||
                       parser_operation(out, p, OP_NEGATE, start, *out, EXPR_NONE, EXPR_NONE)
                 : lexer_next(&p->lexer) || parse_unary(out, p);
    p->depth--;
    return failed ? ERR_USAGE : 0;
}

/* A level of left-associative operators over the next tighter level. */
static int parse_left(uint32_t *out, struct parser *p, const struct spelling *list, size_t count,
                      parse_level *tighter)
{
    const struct spelling *found;
    uint32_t right;
    size_t start;

    if (tighter(out, p))
        return ERR_USAGE;
    while ((found = parser_find(p, list, count))) {
        start = p->lexer.token.start;
        if (lexer_next(&p->lexer) || tighter(&right, p) ||
            parser_operation(out, p, found->op, start, *out, right, EXPR_NONE))
            return ERR_USAGE;
    }
    return 0;
}

static int parse_product(uint32_t *out, struct parser *p)
{
    return parse_left(out, p, products, COUNT(products), parse_unary);
}

static int parse_sum(uint32_t *out, struct parser *p)
{
    return parse_left(out, p, sums, COUNT(sums), parse_product);
}

static int parse_shift(uint32_t *out, struct parser *p)
{
    return parse_left(out, p, shifts, COUNT(shifts), parse_sum);
}

static int parse_bit_and(uint32_t *out, struct parser *p)
{
    return parse_left(out, p, bit_ands, COUNT(bit_ands), parse_shift);
}

int parser_arithmetic(uint32_t *out, struct parser *p)
{
    return parse_left(out, p, bit_ors, COUNT(bit_ors), parse_bit_and);
}

bool expr_name(const char *text)
{
    static const char *const words[] = {"and",  "or",   "not",  "in",    "if",
                                        "else", "true", "True", "false", "False"};
    const size_t length = strlen(text);

    for (size_t i = 0; i < COUNT(words); i++)
        if (!strcmp(text, words[i]))
            return false;
    for (size_t i = 0; i < COUNT(functions); i++)
        if (!strcmp(text, functions[i].text))
            return false;
    return length && !(text[0] >= '0' && text[0] <= '9') &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == length;
}
