#include "model/emulate/need.h"

int guard_of(const struct sass *i)
{
    if (i->guard_uniform || i->guard >= SASS_PT)
        return NO_GUARD;
    return 2 * i->guard + i->guard_negated;
}

/* R2P with a mask that nobody knows here writes some predicates only, narrow stores a part of a word. */
static bool writes_in_part(const struct sass *i)
{
    return (is_unpacking(i) && !has_mask(i)) || (is_local(i) && i->accesses[0].bytes < 4);
}

void need_collect(struct slice_set *out, const struct need *need)
{
    *out = need->always;
    for (unsigned left = need->guards; left; left &= left - 1)
        set_unite(out, &need->under[__builtin_ctz(left)]);
}

struct slice_set need_of(const struct need *need, const struct slice_set *defined, int guard)
{
    struct slice_set needed = need->always;

    for (unsigned left = need->guards; left; left &= left - 1) {
        const int g = __builtin_ctz(left);

        if (guard != NO_GUARD && g == (guard ^ 1))
            continue;
        set_unite(&needed, &need->under[g]);
        set_unite(&needed, &need->rest[g]);
    }
    set_intersect(&needed, defined);
    return needed;
}

/* The old values in rest[g] are taken not to be needed before instruction `from`: the next instruction that
 * sets each under the opposite guard is trusted. */
static void drop_rest(struct need *need, unsigned g, struct slice *slice, const struct sass *code,
                      size_t count, size_t from)
{
    struct slice_set left = need->rest[g];

    need->rest[g] = (struct slice_set){0};
    for (size_t index = from; !set_is_empty(&left) && index < count; index++) {
        struct slice_set defined;

        if (guard_of(&code[index]) != (int)(g ^ 1) || slice->pinned[index])
            continue;
        set_definitions(&defined, slice, &code[index]);
        if (set_overlap(&defined, &left))
            slice->trusted[index] = true;
        set_take_out(&left, &defined);
    }
}

void need_forget(struct need *need, const struct slice_set *defined, struct slice *slice,
                 const struct sass *code, size_t count, size_t from)
{
    for (unsigned left = need->guards; left; left &= left - 1) {
        const unsigned g = (unsigned)__builtin_ctz(left), bit = SLICE_PREDICATES + g / 2;

        if (!(defined->bits[bit / 64] >> bit % 64 & 1))
            continue;
        set_unite(&need->always, &need->under[g]);
        need->under[g] = (struct slice_set){0};
        drop_rest(need, g, slice, code, count, from);
        need->guards &= ~(1u << g);
    }
}

void need_trust(struct need *need, struct slice *slice, const struct sass *code, size_t count, size_t from)
{
    for (unsigned left = need->guards; left; left &= left - 1)
        drop_rest(need, (unsigned)__builtin_ctz(left), slice, code, count, from);
}

/* What was needed anyway, or under another guard, of the registers defined under this one is needed no more
 * where it holds, and taken not to be where it does not. */
static void speculate(struct need *need, const struct slice_set *defined, int guard)
{
    const unsigned others = need->guards & ~(3u << (guard & ~1));
    struct slice_set *rest = &need->rest[guard ^ 1];

    for (unsigned k = 0; k < SLICE_UNIFORM / 64; k++) {
        uint64_t bits = need->always.bits[k];

        need->always.bits[k] &= ~defined->bits[k];
        for (unsigned left = others; left; left &= left - 1) {
            bits |= need->under[__builtin_ctz(left)].bits[k];
            need->under[__builtin_ctz(left)].bits[k] &= ~defined->bits[k];
        }
        rest->bits[k] |= bits & defined->bits[k];
    }
    need->guards |= 1u << (guard ^ 1);
}

void need_end(struct need *need, const struct slice_set *defined, const struct sass *i, bool speculative)
{
    const int guard = guard_of(i);

    if (writes_in_part(i))
        return;
    if (sass_is_guarded(i)) {
        if (guard == NO_GUARD)
            return;
        if (speculative)
            speculate(need, defined, guard);
        set_take_out(&need->under[guard], defined);
        set_take_out(&need->rest[guard], defined);
        return;
    }
    set_take_out(&need->always, defined);
    for (unsigned left = need->guards; left; left &= left - 1) {
        set_take_out(&need->under[__builtin_ctz(left)], defined);
        set_take_out(&need->rest[__builtin_ctz(left)], defined);
    }
}

/* Whether the lanes that execute it go on elsewhere for certain. */
static bool leaves(const struct sass *i)
{
    for (unsigned k = 0; k < i->source_count; k++)
        if (i->sources[k].kind == SASS_UNIFORM_REGISTER ||
            ((i->sources[k].kind == SASS_PREDICATE || i->sources[k].kind == SASS_UNIFORM_PREDICATE) &&
             i->sources[k].index != SASS_PT))
            return false;
    return i->op == SASS_BRA || i->op == SASS_EXIT || i->op == SASS_RET || i->op == SASS_BRX ||
           i->op == SASS_BRXU || i->op == SASS_JMP || i->op == SASS_JMX || i->op == SASS_KILL;
}

void need_part(struct need *need, const struct sass *i)
{
    const int guard = guard_of(i);

    if (!leaves(i) || (sass_is_guarded(i) && guard == NO_GUARD))
        return;
    if (guard == NO_GUARD) {
        *need = (struct need){0};
        return;
    }
    set_unite(&need->under[guard ^ 1], &need->always);
    need->always = need->under[guard] = need->rest[guard] = (struct slice_set){0};
    need->guards = (need->guards | 1u << (guard ^ 1)) & ~(1u << guard);
}
