/* Conditions: recursive descent, one function per level of Python's precedence, loosest last. */
#include "launch/expr_parser.h"

#include <stdlib.h>
#include <string.h>

static const struct spelling comparisons[] = {{"==", OP_EQUAL, 2},      {"!=", OP_UNEQUAL, 2},
                                              {"<=", OP_LESS_EQUAL, 2}, {">=", OP_GREATER_EQUAL, 2},
                                              {"<", OP_LESS, 2},        {">", OP_GREATER, 2}};

/* Terms joined by `and` or by `or`. Either is associative and is evaluated from the left, so the tree over
 * them may be balanced: a long list of terms is not deep. */
struct joined {
    enum op op;
    struct {
        uint32_t node;
        size_t start;  /* of the operator before it */
        unsigned rank; /* it joins 2^rank terms */
    } trees[32];       /* ranks fall */
    size_t count;
};

static int join_last(struct joined *joined, struct parser *p)
{
    const size_t last = --joined->count;

    joined->trees[last - 1].rank++;
    return parser_operation(&joined->trees[last - 1].node, p, joined->op, joined->trees[last].start,
                            joined->trees[last - 1].node, joined->trees[last].node, EXPR_NONE);
}

static int join(struct joined *joined, struct parser *p, uint32_t term, size_t start)
{
    joined->trees[joined->count].node = term;
    joined->trees[joined->count].start = start;
    joined->trees[joined->count++].rank = 0;
    while (joined->count > 1 &&
           joined->trees[joined->count - 1].rank == joined->trees[joined->count - 2].rank)
        if (join_last(joined, p))
            return ERR_USAGE;
    return 0;
}

static int join_all(uint32_t *out, struct joined *joined, struct parser *p)
{
    while (joined->count > 1)
        if (join_last(joined, p))
            return ERR_USAGE;
    *out = joined->trees[0].node;
    return 0;
}

/* The list behind `in`: left == a or left == b or ... */
static int parse_list(uint32_t *out, struct parser *p, uint32_t left)
{
    const bool square = parser_next_is(p, "[");
    struct joined joined = {.op = OP_OR};
    uint32_t right, equal;
    size_t start;

    if (!square && !parser_next_is(p, "("))
        return parser_fail(p, p->lexer.token.start, "expected a list, as in x in (1, 2, 4)");
    do {
        start = p->lexer.token.start;
        if (lexer_next(&p->lexer) || parser_arithmetic(&right, p) ||
            parser_operation(&equal, p, OP_EQUAL, start, left, right, EXPR_NONE) ||
            join(&joined, p, equal, start))
            return ERR_USAGE;
    } while (parser_next_is(p, ","));
    return parser_expect(p, square ? "]" : ")") || join_all(out, &joined, p);
}

/* `in` and `not in` behind an operand. */
static int parse_membership(uint32_t *out, struct parser *p, uint32_t left)
{
    const size_t start = p->lexer.token.start;
    const bool negated = parser_next_is(p, "not");

    if (negated && lexer_next(&p->lexer))
        return ERR_USAGE;
    if (parser_expect(p, "in") || parse_list(out, p, left))
        return ERR_USAGE;
    return negated ? parser_operation(out, p, OP_NOT, start, *out, EXPR_NONE, EXPR_NONE) : 0;
}

/* a < b < c: links, each of which holds its right operand; the first also the left one. */
static int parse_comparison(uint32_t *out, struct parser *p)
{
    const struct spelling *found;
    uint32_t left, right, link, last = EXPR_NONE;
    size_t start;

    if (parser_arithmetic(&left, p))
        return ERR_USAGE;
    *out = left;
    if (parser_next_is(p, "in") || parser_next_is(p, "not"))
        return parse_membership(out, p, left);
    while ((found = parser_find(p, comparisons, COUNT(comparisons)))) {
        start = p->lexer.token.start;
        if (lexer_next(&p->lexer) || parser_arithmetic(&right, p) ||
            parser_operation(&link, p, found->op, start, left, right, EXPR_NONE))
            return ERR_USAGE;
        if (last == EXPR_NONE)
            *out = link;
        else
            p->expr->nodes[last].c = link;
        last = link;
        left = right;
    }
    return 0;
}

static int parse_not(uint32_t *out, struct parser *p)
{
    const size_t start = p->lexer.token.start;
    int failed;

    if (!parser_next_is(p, "not"))
        return parse_comparison(out, p);
    if (++p->depth > EXPR_DEPTH)
        return parser_fail(p, start, "the expression is nested too deeply");
    failed = lexer_next(&p->lexer) || parse_not(out, p) ||
             parser_operation(out, p, OP_NOT, start, *out, EXPR_NONE, EXPR_NONE);
    p->depth--;
    return failed ? ERR_USAGE : 0;
}

static int parse_joined(uint32_t *out, struct parser *p, const char *word, enum op op, parse_level *tighter)
{
    struct joined joined = {.op = op};
    size_t start = p->lexer.token.start;

    for (;;) {
        if (tighter(out, p) || join(&joined, p, *out, start))
            return ERR_USAGE;
        if (!parser_next_is(p, word))
            return join_all(out, &joined, p);
        start = p->lexer.token.start;
        if (lexer_next(&p->lexer))
            return ERR_USAGE;
    }
}

static int parse_and(uint32_t *out, struct parser *p)
{
    return parse_joined(out, p, "and", OP_AND, parse_not);
}

static int parse_or(uint32_t *out, struct parser *p)
{
    return parse_joined(out, p, "or", OP_OR, parse_and);
}

int parser_conditional(uint32_t *out, struct parser *p)
{
    uint32_t condition, other;
    size_t start;

    if (++p->depth > EXPR_DEPTH)
        return parser_fail(p, p->lexer.token.start, "the expression is nested too deeply");
    if (parse_or(out, p))
        return ERR_USAGE;
    start = p->lexer.token.start;
    if (parser_next_is(p, "if") &&
        (lexer_next(&p->lexer) || parse_or(&condition, p) || parser_expect(p, "else") ||
         parser_conditional(&other, p) || parser_operation(out, p, OP_IF, start, *out, other, condition)))
        return ERR_USAGE;
    p->depth--;
    return 0;
}

static int parse_all(struct parser *p)
{
    if (lexer_next(&p->lexer) || parser_conditional(&p->expr->root, p))
        return p->err->code;
    if (p->lexer.token.kind != TOKEN_END)
        return parser_fail(p, p->lexer.token.start, "expected an operator or the end");
    return 0;
}

int expr_parse(struct expr **out, const char *text, const char *const *names, size_t name_count,
               struct err *err)
{
    struct err own = {0};
    struct expr *expr = calloc(1, sizeof *expr);
    struct parser p = {.expr = expr, .names = names, .name_count = name_count, .err = err ? err : &own};
    int failed;

    *out = NULL;
    if (!expr)
        return err_memory(err);
    expr->text = strdup(text);
    expr->literals = strdup(text);
    p.lexer = (struct lexer){.text = expr->text, .literals = expr->literals, .err = p.err};
    failed = expr->text && expr->literals ? parse_all(&p) : err_memory(err);
    if (failed) {
        expr_free(expr);
        return failed;
    }
    *out = expr;
    return 0;
}

void expr_free(struct expr *expr)
{
    if (!expr)
        return;
    free(expr->text);
    free(expr->literals);
    free(expr->nodes);
    free(expr);
}

const char *expr_text(const struct expr *expr)
{
    return expr->text;
}

bool expr_uses(const struct expr *expr, size_t slot)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->nodes[i].op == OP_SLOT && expr->nodes[i].slot == slot)
            return true;
    return false;
}

bool expr_draws(const struct expr *expr)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->nodes[i].op == OP_RANDOM)
            return true;
    return false;
}
