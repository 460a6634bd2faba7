/* What addresses and branches need, on a few instructions at a time. */
#include "check.h"
#include "model/emulate/slice.h"

enum { MOST = 12, LUT_AND = 0xc0, LUT_OR = 0xfc };

struct listing {
    struct sass code[MOST];
    size_t count;
};

static struct sass_operand vector(unsigned index)
{
    return (struct sass_operand){.kind = SASS_REGISTER, .index = (uint8_t)index, .count = 1};
}

static struct sass_operand predicate(unsigned index)
{
    return (struct sass_operand){.kind = SASS_PREDICATE, .index = (uint8_t)index, .count = 1};
}

static struct sass *append(struct listing *to, enum sass_op op)
{
    struct sass *i = &to->code[to->count];

    *i = (struct sass){.op = (uint16_t)op, .pc = (uint32_t)(SASS_BYTES * to->count++), .guard = SASS_PT};
    return i;
}

/* `to` = f(R`a`, R`b`) */
static struct sass *compute(struct listing *list, enum sass_op op, struct sass_operand to, unsigned a,
                            unsigned b)
{
    struct sass *i = append(list, op);

    i->destinations[i->destination_count++] = to;
    i->sources[i->source_count++] = vector(a);
    i->sources[i->source_count++] = vector(b);
    return i;
}

static struct sass *mask(struct listing *list, struct sass_operand to, unsigned from, unsigned lut,
                         uint32_t bits)
{
    struct sass *i = append(list, SASS_LOP3);

    i->destinations[i->destination_count++] = to;
    i->sources[i->source_count++] = vector(from);
    i->sources[i->source_count++] = (struct sass_operand){.kind = SASS_IMMEDIATE, .count = 1, .value = bits};
    i->sources[i->source_count++] = vector(SASS_RZ);
    i->mod[SASS_MOD_LUT] = (uint8_t)lut;
    return i;
}

static struct sass *load(struct listing *list, unsigned to, unsigned address)
{
    struct sass *i = append(list, SASS_LDG);

    i->destinations[i->destination_count++] = vector(to);
    i->accesses[i->access_count++] = (struct sass_access){.space = SASS_SPACE_GLOBAL,
                                                          .access = SASS_READS,
                                                          .bytes = 4,
                                                          .index = (uint8_t)address,
                                                          .uniform = SASS_URZ,
                                                          .scale = 1};
    return i;
}

static void guard(struct sass *i, unsigned index, bool negated)
{
    i->guard = (uint8_t)index;
    i->guard_negated = negated;
}

static void end(struct listing *list)
{
    guard(append(list, SASS_EXIT), 6, false);
    append(list, SASS_EXIT);
}

static struct slice slice; /* the last one */

static int tear_down(void **state)
{
    slice_release(&slice);
    return 0;
}

static void slice_of(const struct listing *list)
{
    const struct slice_code code = {.instructions = list->code, .count = list->count};
    struct err err = {0};

    slice_release(&slice);
    assert_int_equal(slice_init(&slice, &code, SLICE_ACCESSES, false, false, &err), 0);
}

/* A predicate kept in bit 2 of a register that held a float: only that bit is needed, and it is cleared. */
static void follows_bits(void **state)
{
    struct listing list = {0};

    compute(&list, SASS_FADD, vector(44), 1, 2);
    compute(&list, SASS_ISETP, predicate(5), 3, 4);
    mask(&list, vector(44), 44, LUT_AND, ~UINT32_C(4));
    guard(mask(&list, vector(44), 44, LUT_OR, 4), 5, false);
    mask(&list, predicate(6), 44, LUT_AND, 4);
    end(&list);
    slice_of(&list);
    assert_false(slice.needed[0]);
    for (size_t k = 1; k < list.count; k++)
        assert_true(slice.needed[k]);
    assert_true(slice_has(&slice, 3, 44));
    assert_false(slice_has(&slice, 1, 44));

    list.code[4].sources[1].value = 12; /* and bit 3, which nobody cleared */
    slice_of(&list);
    assert_true(slice.needed[0]);
}

/* An address set and used under one condition, which is computed twice. */
static void speculates_on_the_guard(void **state)
{
    struct listing list = {0};
    const struct slice_code *code = &(struct slice_code){.instructions = list.code, .count = 6};
    struct err err = {0};

    load(&list, 8, 20);
    compute(&list, SASS_ISETP, predicate(0), 1, 2);
    guard(compute(&list, SASS_IADD3, vector(8), 3, 4), 0, true);
    compute(&list, SASS_ISETP, predicate(0), 1, 2);
    guard(load(&list, 9, 8), 0, true);
    end(&list);
    slice_of(&list);
    assert_true(slice.speculative);
    assert_true(slice.trusted[2]);
    assert_false(slice.wanted[0]);
    assert_false(slice.reads_global);

    assert_int_equal(slice_pin(&slice, code, 2, &err), 0);
    assert_false(slice.trusted[2]);
    assert_true(slice.wanted[0]);
    assert_true(slice.reads_global);
}

static struct sass *shared(struct listing *list, enum sass_op op, unsigned address)
{
    struct sass *i = append(list, op);

    i->accesses[i->access_count++] = (struct sass_access){.space = SASS_SPACE_SHARED,
                                                          .access = op == SASS_LDS ? SASS_READS : SASS_WRITES,
                                                          .bytes = 4,
                                                          .index = (uint8_t)address,
                                                          .uniform = 4,
                                                          .scale = 1};
    return i;
}

/* A word at one place for all lanes decides: what lanes store at their own places is taken to be another, until a load is
 * pinned. */
static void tells_a_variable_from_arrays(void **state)
{
    struct listing list = {0};
    const struct slice_code *code = &(struct slice_code){.instructions = list.code, .count = 7};
    struct err err = {0};
    struct sass *i;

    load(&list, 8, 20);
    i = shared(&list, SASS_STS, 5);
    i->sources[i->source_count++] = vector(8);
    i = shared(&list, SASS_STS, SASS_RZ);
    i->sources[i->source_count++] = vector(9);
    i = shared(&list, SASS_LDS, SASS_RZ);
    i->destinations[i->destination_count++] = vector(10);
    compute(&list, SASS_ISETP, predicate(6), 10, 11);
    end(&list);
    slice_of(&list);
    assert_true(slice.reads_shared);
    assert_false(slice.wanted[0]);
    assert_true(slice_doubts(&slice, &list.code[1]));
    assert_true(slice.wanted[2]);
    assert_true(slice_trusts(&slice, &list.code[3]));

    assert_int_equal(slice_pin(&slice, code, 3, &err), 0);
    assert_true(slice.wanted[0]);
    assert_true(slice.wanted[1]);
    assert_false(slice_doubts(&slice, &list.code[1]));
    assert_false(slice_trusts(&slice, &list.code[3]));
}

/* Under the same predicate there is nothing to speculate on, nor where both sides are set. */
static void knows_guards(void **state)
{
    struct listing list = {0}, sides = {0};

    load(&list, 8, 20);
    compute(&list, SASS_ISETP, predicate(0), 1, 2);
    guard(compute(&list, SASS_IADD3, vector(8), 3, 4), 0, true);
    guard(load(&list, 9, 8), 0, true);
    end(&list);
    slice_of(&list);
    assert_false(slice.speculative);
    assert_false(slice.wanted[0]);

    compute(&sides, SASS_ISETP, predicate(0), 1, 2);
    guard(load(&sides, 8, 20), 0, false);
    guard(compute(&sides, SASS_IADD3, vector(8), 3, 4), 0, true);
    load(&sides, 9, 8);
    end(&sides);
    slice_of(&sides);
    assert_true(slice.wanted[1]);
}

static void branch(struct listing *list, size_t to, unsigned index, bool negated)
{
    struct sass *i = append(list, SASS_BRA);

    i->has_target = true;
    i->target = (int64_t)(to * SASS_BYTES);
    guard(i, index, negated);
}

/* What one side of a branch needs is set for that side only: a loaded register is not needed behind it. */
static void parts_at_branches(void **state)
{
    struct listing taken = {0}, passed = {0}, late = {0};

    load(&taken, 8, 20);
    guard(compute(&taken, SASS_IADD3, vector(8), 3, 4), 0, false);
    branch(&taken, 4, 0, false);
    compute(&taken, SASS_IADD3, vector(8), 5, 6);
    load(&taken, 9, 8);
    end(&taken);
    slice_of(&taken);
    assert_false(slice.speculative);
    assert_false(slice.wanted[0]);

    load(&passed, 8, 20);
    guard(compute(&passed, SASS_IADD3, vector(8), 3, 4), 0, true);
    guard(append(&passed, SASS_EXIT), 0, false);
    load(&passed, 9, 8);
    end(&passed);
    slice_of(&passed);
    assert_false(slice.speculative);
    assert_false(slice.wanted[0]);

    load(&late, 8, 20); /* the side that did not set it */
    guard(compute(&late, SASS_IADD3, vector(8), 3, 4), 0, false);
    branch(&late, 4, 0, true);
    append(&late, SASS_EXIT);
    load(&late, 9, 8);
    end(&late);
    slice_of(&late);
    assert_true(slice.wanted[0]);
}

/* While one address is speculated on, another that is set and used under the same predicate is not. */
static void speculates_on_no_more(void **state)
{
    struct listing list = {0};

    load(&list, 8, 20);
    load(&list, 10, 20);
    compute(&list, SASS_ISETP, predicate(0), 1, 2);
    guard(compute(&list, SASS_IADD3, vector(8), 3, 4), 0, true);
    guard(compute(&list, SASS_IADD3, vector(10), 3, 4), 0, true);
    guard(load(&list, 11, 10), 0, true);
    compute(&list, SASS_ISETP, predicate(0), 1, 2);
    guard(load(&list, 9, 8), 0, true);
    end(&list);
    slice_of(&list);
    assert_true(slice.trusted[3]);
    assert_false(slice.trusted[4]);
    assert_false(slice.reads_global);
}

static struct sass *spill(struct listing *list, enum sass_op op, unsigned index)
{
    struct sass *i = append(list, op);
    struct sass_operand data = vector(index);

    data.count = 2;
    i->accesses[i->access_count++] = (struct sass_access){.space = SASS_SPACE_LOCAL,
                                                          .access = SASS_READS,
                                                          .bytes = 8,
                                                          .index = 1,
                                                          .offset = 16,
                                                          .uniform = SASS_URZ,
                                                          .scale = 1};
    if (op == SASS_STL) {
        i->accesses[0].access = SASS_WRITES;
        i->sources[i->source_count++] = data;
    } else {
        i->destinations[i->destination_count++] = data;
    }
    return i;
}

/* An address and a float spilled together: the float is not needed for it. */
static void parts_spilled_pairs(void **state)
{
    struct listing list = {0};

    load(&list, 7, 20);
    compute(&list, SASS_IADD3, vector(6), 3, 4);
    spill(&list, SASS_STL, 6);
    spill(&list, SASS_LDL, 10);
    load(&list, 9, 10);
    end(&list);
    slice_of(&list);
    assert_true(slice.plain_stack);
    assert_true(slice.wanted[1] && slice.wanted[2] && slice.wanted[3]);
    assert_true(slice_has(&slice, 3, SLICE_STACK + 4));
    assert_false(slice_has(&slice, 3, SLICE_STACK + 5));
    assert_false(slice.wanted[0]);

    list.code[4].accesses[0].index = 11; /* now the other one is the address */
    slice_of(&list);
    assert_false(slice.wanted[1]);
    assert_true(slice.wanted[0]);
}

static struct sass *pack(struct listing *list, enum sass_op op, unsigned index, uint32_t bits)
{
    struct sass *i = append(list, op);

    if (op == SASS_P2R)
        i->destinations[i->destination_count++] = vector(index);
    i->sources[i->source_count++] = vector(op == SASS_P2R ? SASS_RZ : index);
    i->sources[i->source_count++] = (struct sass_operand){.kind = SASS_IMMEDIATE, .count = 1, .value = bits};
    return i;
}

/* One predicate kept in a register for later: what decides the others is not needed for it. */
static void packs_what_the_mask_says(void **state)
{
    struct listing list = {0};

    compute(&list, SASS_FSETP, predicate(3), 1, 2);
    compute(&list, SASS_ISETP, predicate(4), 3, 4);
    pack(&list, SASS_P2R, 8, 0x10);
    compute(&list, SASS_ISETP, predicate(6), 8, SASS_RZ);
    end(&list);
    slice_of(&list);
    assert_false(slice.needed[0]);
    assert_true(slice.needed[1] && slice.needed[2]);

    list.code[2].sources[1].value = 0x18;
    slice_of(&list);
    assert_true(slice.needed[0]);
}

/* One predicate set from a register: the others stay as they were, and it is not what it was. */
static void unpacks_what_the_mask_says(void **state)
{
    struct listing list = {0};

    compute(&list, SASS_FSETP, predicate(6), 1, 2);
    compute(&list, SASS_IADD3, vector(8), 3, 4);
    pack(&list, SASS_R2P, 8, 0x40);
    end(&list);
    slice_of(&list);
    assert_false(slice.needed[0]);
    assert_true(slice.needed[1] && slice.needed[2]);

    list.code[2].sources[1].value = 0x10;
    slice_of(&list);
    assert_true(slice.needed[0]);
    assert_false(slice.needed[1] || slice.needed[2]);
}

int main(void)
{
    return RUN_TESTS_EACH(NULL, tear_down, follows_bits, speculates_on_the_guard,
                          tells_a_variable_from_arrays, knows_guards, parts_at_branches,
                          speculates_on_no_more, parts_spilled_pairs, packs_what_the_mask_says,
                          unpacks_what_the_mask_says);
}
