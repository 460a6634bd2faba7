#include "model/sass/counted.h"

/* What a register holds at some instruction of a loop: a register at the loop's beginning and, maybe, a number. */
struct value {
    struct sass_operand from, plus;
};

struct loop {
    const struct sass *code;
    size_t first, back;
};

static bool is_register(const struct sass_operand *operand)
{
    return operand->kind == SASS_REGISTER || operand->kind == SASS_UNIFORM_REGISTER;
}

static bool same_register(const struct sass_operand *a, const struct sass_operand *b)
{
    return a->kind == b->kind && a->index == b->index;
}

static bool is_zero(const struct sass_operand *operand)
{
    return operand->kind == SASS_NONE || (operand->kind == SASS_IMMEDIATE && !operand->value) ||
           (operand->kind == SASS_REGISTER && operand->index == SASS_RZ) ||
           (operand->kind == SASS_UNIFORM_REGISTER && operand->index == SASS_URZ);
}

/* Predicates and registers alike. */
static bool defines(const struct sass *i, const struct sass_operand *what)
{
    bool does = false;

    for (unsigned d = 0; d < i->destination_count; d++) {
        const struct sass_operand *to = &i->destinations[d];

        does |= to->kind == what->kind && to->index <= what->index && what->index < to->index + to->count;
    }
    return does;
}

/* The one instruction of the loop that defines it, if it does so in every iteration; *count of them define it. */
static size_t find_definition(unsigned *count, const struct loop *loop, const struct sass_operand *what)
{
    size_t at = loop->back;

    *count = 0;
    for (size_t k = loop->first; k < loop->back; k++) {
        if (!defines(&loop->code[k], what))
            continue;
        at = k;
        *count += sass_is_guarded(&loop->code[k]) ? 2 : 1;
    }
    return at;
}

/* A comparison of two words alone. */
static bool compares(const struct sass *i)
{
    const unsigned how = i->mod[SASS_MOD_COMPARE];

    return (i->op == SASS_ISETP || i->op == SASS_UISETP) && how >= SASS_CMP_LT && how <= SASS_CMP_GE &&
           i->mod[SASS_MOD_BOOL] == SASS_BOOL_AND && !i->mod[SASS_MOD_EXTENDED] && i->source_count > 2 &&
           i->sources[0].count == 1 && i->sources[1].count == 1 && i->sources[2].index == SASS_PT &&
           !i->sources[2].invert;
}

/* The instruction that says whether `guard` holds where the loop is closed: the only one of the loop that defines it, or else
 * the last one, if no other branch comes behind it. */
static size_t find_last(const struct loop *loop, const struct sass_operand *guard)
{
    unsigned count;
    size_t at = find_definition(&count, loop, guard);

    if (count == 1)
        return at;
    for (at = loop->back; at > loop->first && !defines(&loop->code[at - 1], guard);)
        if (sass_is_jump(&loop->code[--at]))
            return loop->back;
    return at > loop->first ? at - 1 : loop->back;
}

/* Whether the instruction only makes a uniform predicate, its third source, one of the lanes'. */
static bool copies_uniform(const struct sass *i)
{
    enum { ALL_OF_THEM = 0x80 }; /* as a truth table */
    bool copies = i->op == SASS_PLOP3 && i->mod[SASS_MOD_LUT] == ALL_OF_THEM && i->source_count > 2;

    for (unsigned k = 0; k < 2 && copies; k++)
        copies =
            i->sources[k].kind == SASS_PREDICATE && i->sources[k].index == SASS_PT && !i->sources[k].invert;
    return copies && i->sources[2].kind == SASS_UNIFORM_PREDICATE && !i->sources[2].invert;
}

/* The comparison that says whether the loop goes on; that is null where it is none. */
static const struct sass *find_comparison(size_t *at, const struct loop *loop,
                                          const struct sass_operand *guard)
{
    const struct sass_operand *of = guard;
    const struct sass *i;

    *at = find_last(loop, guard);
    i = &loop->code[*at];
    if (copies_uniform(i) && !sass_is_guarded(i)) {
        of = &i->sources[2];
        *at = find_last(loop, of);
        i = &loop->code[*at];
    }
    return compares(i) && !sass_is_guarded(i) && same_register(&i->destinations[0], of) ? i : NULL;
}

static bool is_left_alone(const struct loop *loop, const struct sass_operand *what)
{
    unsigned count = 0;

    if (is_register(what))
        find_definition(&count, loop, what);
    return !count && !what->bindless;
}

/* The sources that an instruction adds up, or the one that it copies. */
static unsigned find_addends(const struct sass_operand **out, const struct sass *i)
{
    unsigned count = 0;

    switch (i->op) {
    case SASS_IADD3:
    case SASS_UIADD3:
        for (unsigned k = 0; k < 3 && !i->mod[SASS_MOD_EXTENDED]; k++)
            out[count++] = &i->sources[k];
        return count;
    case SASS_VIADD:
        out[0] = &i->sources[0];
        out[1] = &i->sources[1];
        return 2;
    case SASS_MOV:
    case SASS_UMOV:
        out[0] = &i->sources[0];
        return 1;
    default:
        return 0;
    }
}

/* What `what` is behind instruction `end` - 1 of an iteration. */
static bool trace_value(struct value *out, const struct loop *loop, const struct sass_operand *what,
                        size_t end)
{
    const struct sass_operand *addends[3];
    unsigned count, defined;
    const size_t at = find_definition(&defined, loop, what);

    if (!defined || at >= end) { /* not yet in this iteration */
        *out = (struct value){.from = *what};
        return defined < 2;
    }
    count = find_addends(addends, &loop->code[at]);
    if (defined > 1 || !count)
        return false;
    *out = (struct value){0};
    for (unsigned k = 0; k < count; k++) {
        const struct sass_operand *own = addends[k];
        struct value inner;

        if (is_zero(own))
            continue;
        if (is_left_alone(loop, own)) {
            if (!is_zero(&out->plus))
                return false;
            out->plus = *own;
        } else if (!is_zero(&out->from) || own->negate || !trace_value(&inner, loop, own, at) ||
                   !is_zero(&inner.plus)) {
            return false;
        } else {
            out->from = inner.from;
        }
    }
    return !is_zero(&out->from);
}

/* a < b is b > a. */
static enum sass_compare mirrored(enum sass_compare how)
{
    static const enum sass_compare others[] = {
        [SASS_CMP_LT] = SASS_CMP_GT, [SASS_CMP_GT] = SASS_CMP_LT, [SASS_CMP_LE] = SASS_CMP_GE,
        [SASS_CMP_GE] = SASS_CMP_LE, [SASS_CMP_EQ] = SASS_CMP_EQ, [SASS_CMP_NE] = SASS_CMP_NE};

    return others[how];
}

static enum sass_compare opposite(enum sass_compare how)
{
    static const enum sass_compare others[] = {
        [SASS_CMP_LT] = SASS_CMP_GE, [SASS_CMP_GE] = SASS_CMP_LT, [SASS_CMP_LE] = SASS_CMP_GT,
        [SASS_CMP_GT] = SASS_CMP_LE, [SASS_CMP_EQ] = SASS_CMP_NE, [SASS_CMP_NE] = SASS_CMP_EQ};

    return others[how];
}

/* Whether a jump stays within the loop, or comes back to behind itself. */
static bool stays(const struct loop *loop, const struct sass *i)
{
    const int64_t to = i->target / SASS_BYTES;

    return i->op == SASS_CALL ||
           (i->op == SASS_BRA && i->has_target && to > (int64_t)loop->first && to <= (int64_t)loop->back);
}

/* Whether the loop is left by the branch that closes it alone. */
static bool is_left_at_end(const struct loop *loop)
{
    bool left = false;

    for (size_t k = loop->first; k < loop->back; k++)
        left |= sass_is_jump(&loop->code[k]) && !stays(loop, &loop->code[k]);
    return !left;
}

static bool find_compared(struct sass_counted *out, const struct loop *loop, const struct sass *branch)
{
    const struct sass_operand guard = {
        .kind = branch->guard_uniform ? SASS_UNIFORM_PREDICATE : SASS_PREDICATE, .index = branch->guard};
    struct value compared, moved;
    unsigned own = 0;
    size_t at;
    const struct sass *i = find_comparison(&at, loop, &guard);

    if (!i)
        return false;
    own = is_left_alone(loop, &i->sources[0]);
    if (!is_register(&i->sources[own]) || !is_left_alone(loop, &i->sources[!own]) || i->sources[own].negate ||
        !trace_value(&compared, loop, &i->sources[own], at) ||
        !trace_value(&moved, loop, &compared.from, loop->back) ||
        !same_register(&moved.from, &compared.from) || is_zero(&moved.plus))
        return false;
    out->counter = compared.from;
    out->ahead = compared.plus;
    out->step = moved.plus;
    out->bound = i->sources[!own];
    out->while_it = (enum sass_compare)i->mod[SASS_MOD_COMPARE];
    if (own)
        out->while_it = mirrored(out->while_it);
    if (branch->guard_negated)
        out->while_it = opposite(out->while_it);
    out->with_sign = i->mod[SASS_MOD_SIGNED];
    return true;
}

static bool closes_loop(const struct sass *i, size_t back)
{
    return i->op == SASS_BRA && i->has_target && i->target >= 0 && (size_t)i->target / SASS_BYTES < back &&
           sass_is_guarded(i);
}

bool sass_counted(struct sass_counted *out, const struct sass *code, size_t back)
{
    const struct sass *branch = &code[back];
    struct loop loop = {.code = code, .back = back};

    if (!closes_loop(branch, back))
        return false;
    loop.first = (size_t)branch->target / SASS_BYTES;
    *out = (struct sass_counted){.first = (uint32_t)loop.first, .back = (uint32_t)back};
    return is_left_at_end(&loop) && find_compared(out, &loop, branch);
}

bool sass_counted_moves(struct sass_operand *by, const struct sass *code, const struct sass_counted *loop,
                        size_t k)
{
    const struct loop own = {.code = code, .first = loop->first, .back = loop->back};
    const struct sass *i = &code[k];
    struct value moved;

    if (!i->destination_count || !is_register(&i->destinations[0]) || i->destinations[0].count != 1 ||
        !trace_value(&moved, &own, &i->destinations[0], loop->back) ||
        !same_register(&moved.from, &i->destinations[0]))
        return false;
    *by = moved.plus;
    return true;
}

/* How often v, v + step, v + 2 * step, ... is below the bound. */
static uint64_t count_below(int64_t v, int64_t step, int64_t bound)
{
    if (v >= bound)
        return 0;
    return step > 0 ? (uint64_t)((bound - v + step - 1) / step) : SASS_COUNTED_ENDLESS;
}

static uint64_t count_unequal(int64_t v, int64_t step, int64_t bound)
{
    const int64_t left = bound - v;

    if (!left)
        return 0;
    return step && left % step == 0 && left / step > 0 ? (uint64_t)(left / step) : SASS_COUNTED_ENDLESS;
}

static int64_t widened(uint32_t value, bool with_sign)
{
    return with_sign ? (int64_t)(int32_t)value : (int64_t)value;
}

uint64_t sass_counted_trips(const struct sass_counted *loop, uint32_t counter, uint32_t ahead, uint32_t step,
                            uint32_t bound)
{
    const int64_t v = widened(counter + ahead, loop->with_sign), by = (int32_t)step,
                  to = widened(bound, loop->with_sign);
    uint64_t more;

    switch (loop->while_it) {
    case SASS_CMP_LT:
        more = count_below(v, by, to);
        break;
    case SASS_CMP_LE:
        more = count_below(v, by, to + 1);
        break;
    case SASS_CMP_GT:
        more = count_below(-v, -by, -to);
        break;
    case SASS_CMP_GE:
        more = count_below(-v, -by, -to + 1);
        break;
    case SASS_CMP_NE:
        more = count_unequal(v, by, to);
        break;
    default:
        more = v == to ? 1 : 0;
        break;
    }
    return more == SASS_COUNTED_ENDLESS ? more : more + 1;
}
