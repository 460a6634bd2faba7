/* Lists of values as Python writes them: "[16, 32]", "[1, 2] + list(range(32, 129, 32))", "[2**i for i in range(6)]". */
#include "space/t1.h"

#include "launch/expr.h"
#include "space/configuration.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 1 << 16 };

struct parser {
    const char *at;
    struct json *list;
    struct err *err;
};

static void skip_blanks(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

static int fail(const struct parser *parser, const char *what)
{
    return err_set(parser->err, ERR_USAGE, "%s at \"%.40s\"", what, parser->at);
}

/* Where the part that begins here ends: before a comma or bracket that is not its own, or before " WORD " outside of
 * brackets and quotes. */
static const char *part_end(const char *text, const char *word)
{
    const size_t length = word ? strlen(word) : 0;
    const char *c;
    char quote = '\0';
    int depth = 0;

    for (c = text; *c; c++) {
        if (quote) {
            quote = *c == quote ? '\0' : quote;
            continue;
        }
        if (*c == '"' || *c == '\'')
            quote = *c;
        else if (strchr("([", *c))
            depth++;
        else if (strchr(")]", *c) && !depth--)
            return c;
        else if (!depth &&
                 (*c == ',' || (word && isspace((unsigned char)*c) && !strncmp(c + 1, word, length) &&
                                isspace((unsigned char)c[1 + length]))))
            return c;
    }
    return c;
}

static int append(struct parser *parser, struct json *value)
{
    const struct js_at list = {.value = parser->list};

    if (js_count(&list) >= VALUES_MOST) {
        js_free(value);
        return err_set(parser->err, ERR_USAGE, "more than %d values", VALUES_MOST);
    }
    return js_append(parser->list, value) ? err_memory(parser->err) : 0;
}

/* The value of an expression over at most one name. */
static int evaluate(struct value *out, const struct parser *parser, const char *text, size_t length,
                    const char *const *name, const struct value *slot)
{
    char *copy = strndup(text, length);
    struct expr *expr = NULL;
    int failed = copy ? 0 : err_memory(parser->err);

    if (!failed)
        failed = expr_parse(&expr, copy, name, name && *name ? 1 : 0, parser->err);
    if (!failed)
        failed = expr_value(out, expr, slot, 0, parser->err);
    expr_free(expr);
    free(copy);
    return failed;
}

/* Text is copied: what an expression gives of it goes with the expression. */
static int append_text(struct parser *parser, const char *text, size_t length)
{
    char *copy = strndup(text, length);
    struct json *json = copy ? js_new_string(copy) : NULL;

    free(copy);
    return append(parser, json);
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !memcmp(text, word, length);
}

static int append_item(struct parser *parser, const char *text, size_t length, const char *const *name,
                       const struct value *slot)
{
    struct value value;

    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    if (length >= 2 && (*text == '"' || *text == '\'') && text[length - 1] == *text &&
        !memchr(text + 1, *text, length - 2))
        return append_text(parser, text + 1, length - 2);
    if (is_word(text, length, "True") || is_word(text, length, "False"))
        return append(parser, js_new_bool(*text == 'T'));
    if (evaluate(&value, parser, text, length, name, slot))
        return parser->err->code;
    if (value.kind == VALUE_STRING)
        return err_set(parser->err, ERR_USAGE, "\"%.*s\" is no number", (int)length, text);
    return append(parser, value_to_json(&value));
}

static int parse_list(struct parser *parser);

static bool take(struct parser *parser, const char *text)
{
    const size_t length = strlen(text);

    skip_blanks(parser);
    if (strncmp(parser->at, text, length))
        return false;
    parser->at += length;
    return true;
}

/* The numbers of range(stop), (start, stop) or (start, stop, step), behind the bracket. */
static int parse_range(struct parser *parser)
{
    int64_t numbers[3] = {0, 0, 1}, i;
    struct value value;
    size_t n = 0;
    int failed = 0;

    do {
        const char *end;

        skip_blanks(parser);
        end = part_end(parser->at, NULL);
        if (n == 3 || evaluate(&value, parser, parser->at, (size_t)(end - parser->at), NULL, NULL))
            return n == 3 ? fail(parser, "a range has three numbers at most") : parser->err->code;
        if (value.kind != VALUE_INTEGER)
            return fail(parser, "a range is of integers");
        numbers[n++] = value.integer;
        parser->at = end;
    } while (take(parser, ","));
    if (!take(parser, ")"))
        return fail(parser, "expected )");
    if (n == 1)
        numbers[1] = numbers[0], numbers[0] = 0;
    if (!numbers[2])
        return fail(parser, "a range has a step of 0");
    for (i = numbers[0]; !failed && (numbers[2] > 0 ? i < numbers[1] : i > numbers[1]);) {
        failed = append(parser, js_new_integer(i));
        if (__builtin_add_overflow(i, numbers[2], &i))
            break;
    }
    return failed;
}

/* The names that Python's loop gives one after the other. */
static int parse_loop(struct parser *parser, const char *item, size_t length)
{
    struct parser inner = {.at = parser->at, .list = js_new_array(), .err = parser->err};
    const struct js_at list = {.value = inner.list};
    char name[64] = "";
    const char *names[] = {name};
    size_t used = strcspn(inner.at, " \t"), i;
    struct value slot;
    int failed = inner.list ? 0 : err_memory(parser->err);

    if (!failed && (used >= sizeof name || !used))
        failed = fail(&inner, "expected a name");
    if (!failed) {
        memcpy(name, inner.at, used);
        inner.at += used;
        if (!expr_name(name))
            failed = fail(&inner, "expected a name before this");
        else if (!take(&inner, "in "))
            failed = fail(&inner, "expected in");
    }
    if (!failed)
        failed = parse_list(&inner);
    for (i = 0; !failed && i < js_count(&list); i++) {
        const struct js_at at = js_element(&list, i);

        failed = value_from_json(&slot, &at, parser->err);
        if (!failed)
            failed = append_item(parser, item, length, names, &slot);
    }
    parser->at = inner.at;
    js_free(inner.list);
    return failed;
}

/* Behind [: items, or one for each of a loop. */
static int parse_items(struct parser *parser)
{
    int failed = 0;

    while (!failed && !take(parser, "]")) {
        const char *item = parser->at, *loop = part_end(item, "for"), *end = part_end(item, NULL);

        if (item == end)
            return fail(parser, "expected a value");
        parser->at = end;
        if (loop < end) {
            parser->at = loop + strlen(" for ");
            skip_blanks(parser);
            failed = parse_loop(parser, item, (size_t)(loop - item));
            return failed ? failed : take(parser, "]") ? 0 : fail(parser, "expected ]");
        }
        failed = append_item(parser, item, (size_t)(end - item), NULL, NULL);
        if (!failed && !take(parser, ",")) {
            if (!take(parser, "]"))
                return fail(parser, "expected , or ]");
            break;
        }
    }
    return failed;
}

static int parse_term(struct parser *parser)
{
    int failed;

    if (take(parser, "["))
        return parse_items(parser);
    if (take(parser, "range("))
        return parse_range(parser);
    if (!take(parser, "list("))
        return fail(parser, "expected a list");
    failed = parse_list(parser);
    return failed ? failed : take(parser, ")") ? 0 : fail(parser, "expected )");
}

static int parse_list(struct parser *parser)
{
    int failed = parse_term(parser);

    while (!failed && take(parser, "+"))
        failed = parse_term(parser);
    return failed;
}

int t1_values(struct json **out, const char *text, struct err *err)
{
    struct err own = {0};
    struct parser parser = {.at = text, .list = js_new_array(), .err = err ? err : &own};
    int failed = parser.list ? parse_list(&parser) : err_memory(parser.err);

    skip_blanks(&parser);
    if (!failed && *parser.at)
        failed = fail(&parser, "expected the end");
    *out = failed ? NULL : parser.list;
    if (failed)
        js_free(parser.list);
    return failed;
}
