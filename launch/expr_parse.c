/* Recursive descent, one function per level of Python's precedence, loosest first. */
#include "launch/expr.h"
#include "launch/expr_node.h"
#include "launch/expr_token.h"
#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

struct parser {
    struct expr *expr;
    const char *const *names;
    size_t name_count;
    struct lexer lexer;
    unsigned depth; /* of open parentheses and prefix operators */
    struct err *err;
};

static int parse_conditional(uint32_t *out, struct parser *p);
static int parse_unary(uint32_t *out, struct parser *p);

static int fail_at(struct parser *p, size_t start, const char *message)
{
    return err_set(p->err, ERR_USAGE, "column %zu: %s", start + 1, message);
}

/* Whether the next token is this keyword or sign. */
static bool next_is(const struct parser *p, const char *text)
{
    return (p->lexer.token.kind == TOKEN_NAME || p->lexer.token.kind == TOKEN_SIGN) &&
           p->lexer.token.length == strlen(text) &&
           !memcmp(p->expr->text + p->lexer.token.start, text, p->lexer.token.length);
}

static int expect(struct parser *p, const char *text)
{
    if (next_is(p, text))
        return lexer_next(&p->lexer);
    return err_set(p->err, ERR_USAGE, "column %zu: expected \"%s\"", p->lexer.token.start + 1, text);
}

/* Nodes
 * ---------------------------------------------------------------------------------------------------------
 */

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
    struct node *grown;
    size_t capacity;

    node.depth = 1 + deepest(depth_of(expr, node.a), deepest(depth_of(expr, node.b), depth_of(expr, node.c)));
    if (node.depth > EXPR_DEPTH)
        return fail_at(p, node.column - 1, "the expression is nested too deeply");
    if (expr->count == expr->capacity) {
        capacity = expr->capacity ? 2 * expr->capacity : 8;
        grown = realloc(expr->nodes, capacity * sizeof *grown);
        if (!grown)
            return err_memory(p->err);
        expr->nodes = grown;
        expr->capacity = capacity;
    }
    *out = (uint32_t)expr->count;
    expr->nodes[expr->count++] = node;
    return 0;
}

static int add_operation(uint32_t *out, struct parser *p, enum op op, size_t start, uint32_t a, uint32_t b,
                         uint32_t c)
{
    return add_node(out, p, (struct node){.op = op, .column = (unsigned)start + 1, .a = a, .b = b, .c = c});
}

static int add_constant(uint32_t *out, struct parser *p, size_t start, struct value value)
{
    return add_node(out, p,
                    (struct node){.op = OP_CONSTANT,
                                  .column = (unsigned)start + 1,
                                  .a = EXPR_NONE,
                                  .b = EXPR_NONE,
                                  .c = EXPR_NONE,
                                  .constant = value});
}

/* Grammar
 * ------------------------------------------------------------------------------------------------------- */

struct spelling {
    const char *text;
    enum op op;
    unsigned arguments; /* functions: 1, 2, or 0 for two or more */
};

static const struct spelling functions[] = {
    {"ceil_div", OP_CEIL_DIV, 2}, {"round_up", OP_ROUND_UP, 2}, {"min", OP_MIN, 0},   {"max", OP_MAX, 0},
    {"abs", OP_ABS, 1},           {"sqrt", OP_SQRT, 1},         {"log2", OP_LOG2, 1}, {"floor", OP_FLOOR, 1},
    {"ceil", OP_CEIL, 1},         {"random", OP_RANDOM, 1},     {"sin", OP_SIN, 1},   {"cos", OP_COS, 1},
};
static const struct spelling comparisons[] = {{"==", OP_EQUAL, 2},      {"!=", OP_UNEQUAL, 2},
                                              {"<=", OP_LESS_EQUAL, 2}, {">=", OP_GREATER_EQUAL, 2},
                                              {"<", OP_LESS, 2},        {">", OP_GREATER, 2}};
static const struct spelling shifts[] = {{"<<", OP_SHIFT_LEFT, 2}, {">>", OP_SHIFT_RIGHT, 2}};
static const struct spelling bit_ands[] = {{"&", OP_BIT_AND, 2}};
static const struct spelling bit_ors[] = {{"|", OP_BIT_OR, 2}};
static const struct spelling sums[] = {{"+", OP_ADD, 2}, {"-", OP_SUBTRACT, 2}};
static const struct spelling products[] = {
    {"*", OP_MULTIPLY, 2}, {"//", OP_FLOOR_DIVIDE, 2}, {"/", OP_DIVIDE, 2}, {"%", OP_MODULO, 2}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct spelling *find_spelling(const struct parser *p, const struct spelling *list, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (next_is(p, list[i].text))
            return &list[i];
    return NULL;
}

static int parse_call(uint32_t *out, struct parser *p, const struct spelling *function)
{
    const size_t start = p->lexer.token.start;
    uint32_t operand;
    unsigned given = 1;

    if (lexer_next(&p->lexer) || expect(p, "(") || parse_conditional(out, p))
        return ERR_USAGE;
    if (function->arguments == 1 && add_operation(out, p, function->op, start, *out, EXPR_NONE, EXPR_NONE))
        return ERR_USAGE;
    while (next_is(p, ",") && (!function->arguments || given < function->arguments)) {
        if (lexer_next(&p->lexer) || parse_conditional(&operand, p) ||
            add_operation(out, p, function->op, start, *out, operand, EXPR_NONE))
            return ERR_USAGE;
        given++;
    }
    if (given < (function->arguments ? function->arguments : 2))
        return err_set(p->err, ERR_USAGE, "column %zu: %s takes %s", start + 1, function->text,
                       function->arguments ? "two arguments" : "two or more arguments");
    return expect(p, ")");
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
    const struct spelling *function = find_spelling(p, functions, COUNT(functions));
    const size_t start = p->lexer.token.start;
    const bool is_true = next_is(p, "true") || next_is(p, "True");
    size_t k;

    for (k = 0; k < p->name_count; k++)
        if (next_is(p, p->names[k])) {
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
    if (is_true || next_is(p, "false") || next_is(p, "False")) {
        if (add_constant(out, p, start, (struct value){.kind = VALUE_BOOL, .integer = is_true}))
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
        return add_constant(out, p, start, p->lexer.token.value) ? ERR_USAGE : lexer_next(&p->lexer);
    case TOKEN_NAME:
        return parse_name(out, p);
    case TOKEN_SIGN:
        if (next_is(p, "("))
            return lexer_next(&p->lexer) || parse_conditional(out, p) ? ERR_USAGE : expect(p, ")");
        return fail_at(p, start, "expected a value");
    case TOKEN_END:
        break;
    }
    return fail_at(p, start, "the expression ends where a value is expected");
}

/* `**` binds tighter than a sign on its left and looser than one on its right, and groups from the right. */
static int parse_power(uint32_t *out, struct parser *p)
{
    uint32_t exponent;
    size_t start;

    if (parse_primary(out, p))
        return ERR_USAGE;
    start = p->lexer.token.start;
    if (!next_is(p, "**"))
        return 0;
    if (lexer_next(&p->lexer) || parse_unary(&exponent, p))
        return ERR_USAGE;
    return add_operation(out, p, OP_POWER, start, *out, exponent, EXPR_NONE);
}

static int parse_unary(uint32_t *out, struct parser *p)
{
    const size_t start = p->lexer.token.start;
    int failed;

    if (!next_is(p, "-") && !next_is(p, "+"))
        return parse_power(out, p);
    if (++p->depth > EXPR_DEPTH)
        return fail_at(p, start, "the expression is nested too deeply");
    failed = next_is(p, "-") ? lexer_next(&p->lexer) || parse_unary(out, p) ||
                                   add_operation(out, p, OP_NEGATE, start, *out, EXPR_NONE, EXPR_NONE)
                             : lexer_next(&p->lexer) || parse_unary(out, p);
    p->depth--;
    return failed ? ERR_USAGE : 0;
}

typedef int parse_level(uint32_t *out, struct parser *p);

/* A level of left-associative operators over the next tighter level. */
static int parse_left(uint32_t *out, struct parser *p, const struct spelling *list, size_t count,
                      parse_level *tighter)
{
    const struct spelling *found;
    uint32_t right;
    size_t start;

    if (tighter(out, p))
        return ERR_USAGE;
    while ((found = find_spelling(p, list, count))) {
        start = p->lexer.token.start;
        if (lexer_next(&p->lexer) || tighter(&right, p) ||
            add_operation(out, p, found->op, start, *out, right, EXPR_NONE))
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

static int parse_bit_or(uint32_t *out, struct parser *p)
{
    return parse_left(out, p, bit_ors, COUNT(bit_ors), parse_bit_and);
}

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
    return add_operation(&joined->trees[last - 1].node, p, joined->op, joined->trees[last].start,
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
    const bool square = next_is(p, "[");
    struct joined joined = {.op = OP_OR};
    uint32_t right, equal;
    size_t start;

    if (!square && !next_is(p, "("))
        return fail_at(p, p->lexer.token.start, "expected a list, as in x in (1, 2, 4)");
    do {
        start = p->lexer.token.start;
        if (lexer_next(&p->lexer) || parse_bit_or(&right, p) ||
            add_operation(&equal, p, OP_EQUAL, start, left, right, EXPR_NONE) ||
            join(&joined, p, equal, start))
            return ERR_USAGE;
    } while (next_is(p, ","));
    return expect(p, square ? "]" : ")") || join_all(out, &joined, p);
}

/* `in` and `not in` behind an operand. */
static int parse_membership(uint32_t *out, struct parser *p, uint32_t left)
{
    const size_t start = p->lexer.token.start;
    const bool negated = next_is(p, "not");

    if (negated && lexer_next(&p->lexer))
        return ERR_USAGE;
    if (expect(p, "in") || parse_list(out, p, left))
        return ERR_USAGE;
    return negated ? add_operation(out, p, OP_NOT, start, *out, EXPR_NONE, EXPR_NONE) : 0;
}

/* a < b < c: links, each of which holds its right operand; the first also the left one. */
static int parse_comparison(uint32_t *out, struct parser *p)
{
    const struct spelling *found;
    uint32_t left, right, link, last = EXPR_NONE;
    size_t start;

    if (parse_bit_or(&left, p))
        return ERR_USAGE;
    *out = left;
    if (next_is(p, "in") || next_is(p, "not"))
        return parse_membership(out, p, left);
    while ((found = find_spelling(p, comparisons, COUNT(comparisons)))) {
        start = p->lexer.token.start;
        if (lexer_next(&p->lexer) || parse_bit_or(&right, p) ||
            add_operation(&link, p, found->op, start, left, right, EXPR_NONE))
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

    if (!next_is(p, "not"))
        return parse_comparison(out, p);
    if (++p->depth > EXPR_DEPTH)
        return fail_at(p, start, "the expression is nested too deeply");
    failed = lexer_next(&p->lexer) || parse_not(out, p) ||
             add_operation(out, p, OP_NOT, start, *out, EXPR_NONE, EXPR_NONE);
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
        if (!next_is(p, word))
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

static int parse_conditional(uint32_t *out, struct parser *p)
{
    uint32_t condition, other;
    size_t start;

    if (++p->depth > EXPR_DEPTH)
        return fail_at(p, p->lexer.token.start, "the expression is nested too deeply");
    if (parse_or(out, p))
        return ERR_USAGE;
    start = p->lexer.token.start;
    if (next_is(p, "if") &&
        (lexer_next(&p->lexer) || parse_or(&condition, p) || expect(p, "else") ||
         parse_conditional(&other, p) || add_operation(out, p, OP_IF, start, *out, other, condition)))
        return ERR_USAGE;
    p->depth--;
    return 0;
}

static int parse_all(struct parser *p)
{
    if (lexer_next(&p->lexer) || parse_conditional(&p->expr->root, p))
        return p->err->code;
    if (p->lexer.token.kind != TOKEN_END)
        return fail_at(p, p->lexer.token.start, "expected an operator or the end");
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

bool expr_name(const char *text)
{
    static const char *const words[] = {"and", "or", "not", "if", "else", "true", "True", "false", "False"};
    const size_t length = strlen(text);
    size_t i;

    for (i = 0; i < COUNT(words); i++)
        if (!strcmp(text, words[i]))
            return false;
    for (i = 0; i < COUNT(functions); i++)
        if (!strcmp(text, functions[i].text))
            return false;
    return length && !(text[0] >= '0' && text[0] <= '9') &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

const char *expr_text(const struct expr *expr)
{
    return expr->text;
}

bool expr_uses(const struct expr *expr, size_t slot)
{
    size_t i;

    for (i = 0; i < expr->count; i++)
        if (expr->nodes[i].op == OP_SLOT && expr->nodes[i].slot == slot)
            return true;
    return false;
}

bool expr_draws(const struct expr *expr)
{
    size_t i;

    for (i = 0; i < expr->count; i++)
        if (expr->nodes[i].op == OP_RANDOM)
            return true;
    return false;
}
