#include "model/sass/spin.h"

bool sass_spin_loads(const struct sass *i)
{
    const struct sass_access *access = &i->accesses[0];

    return i->access_count == 1 && access->access == SASS_READS &&
           i->mod[SASS_MOD_ORDER] == SASS_ORDER_STRONG &&
           (access->space == SASS_SPACE_GLOBAL || access->space == SASS_SPACE_GENERIC);
}

/* What forgets lines of L1, or fetches them ahead, moves nothing. */
static bool moves(const struct sass *i)
{
    return i->access_count && i->op != SASS_CCTL && i->accesses[0].access & (SASS_READS | SASS_WRITES);
}

static bool writes(const struct sass *i, enum sass_operand_kind kind, unsigned index, bool wide)
{
    for (unsigned d = 0; d < i->destination_count; d++) {
        const struct sass_operand *to = &i->destinations[d];

        if (to->kind == kind && to->index < index + 1 + wide && index < to->index + to->count)
            return true;
    }
    return false;
}

/* Whether an instruction of first to last moves the address of `load`. */
static bool is_moved(const struct sass_code *code, size_t first, size_t last, const struct sass *load)
{
    const struct sass_access *access = &load->accesses[0];

    for (size_t i = first; i <= last; i++)
        if (writes(&code->instructions[i], SASS_REGISTER, access->index, access->wide) ||
            writes(&code->instructions[i], SASS_UNIFORM_REGISTER, access->uniform, access->uniform_wide))
            return true;
    return false;
}

/* Whether instructions first to last, the loop's, ask for nothing but what polling loads bring. */
static bool only_polls(const struct sass_code *code, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        if (moves(&code->instructions[i]) && !sass_spin_loads(&code->instructions[i]))
            return false;
    return true;
}

static size_t find_exit(const struct sass_code *code, size_t first, size_t back)
{
    if (sass_is_guarded(&code->instructions[back]))
        return back + 1;
    for (size_t i = first; i < back; i++) {
        const struct sass *out = &code->instructions[i];
        const size_t to =
            out->has_target && out->target >= 0 ? (size_t)out->target / SASS_BYTES : code->count;

        if (out->op == SASS_BRA && sass_is_guarded(out) && (to < first || to > back))
            return to;
    }
    return code->count;
}

bool sass_spin(struct sass_spin *out, const struct sass_code *code, size_t from)
{
    for (size_t load = from; load < code->count; load++) {
        if (!sass_spin_loads(&code->instructions[load]))
            continue;
        for (size_t end = load; end < code->count && only_polls(code, load, end); end++) {
            const struct sass *back = &code->instructions[end];
            const size_t first = back->has_target ? (size_t)back->target / SASS_BYTES : code->count;

            if (back->op != SASS_BRA || !back->has_target || back->target < 0 || first > load ||
                !only_polls(code, first, end) || is_moved(code, first, end, &code->instructions[load]))
                continue;
            *out = (struct sass_spin){first, load, end, find_exit(code, first, end)};
            return true;
        }
    }
    return false;
}
