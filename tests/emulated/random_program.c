/* Makes and computes random programs. */
#include "random_program.h"

#include "base/hash.h"

#include <string.h>

enum { DEPTH = 4, TRIES = 200 };

static unsigned draw(struct program *p, unsigned below)
{
    return (unsigned)(hash_random(p->seed, p->at++) % below);
}

/* Any bits, or those of a number near which something changes: 0, a power of two. */
static uint64_t draw_bits(struct program *p)
{
    const uint64_t any = hash_random(p->seed, p->at++), near = draw(p, 5) - (uint64_t)2;

    switch (draw(p, 5)) {
    case 0:
        return any;
    case 1:
        return any % 64 + near;
    case 2:
        return (UINT64_C(1) << any % 64) + near;
    case 3:
        return 0 - (UINT64_C(1) << any % 64) + near;
    default:
        return any >> any % 64;
    }
}

static double draw_real(struct program *p)
{
    static const double edges[] = {0, -0.0, 1, -1, 0.5, 3, 1e10, -1e-10, 0x1p-140, 0x1p127, 0x1p31, -0x1p63};
    const uint64_t bits = draw_bits(p);

    if (draw(p, 2))
        return edges[draw(p, sizeof edges / sizeof *edges)];
    return (double)(int64_t)bits * 0x1p-16;
}

static uint64_t draw_constant(struct program *p, enum value_type type)
{
    switch (type) {
    case TYPE_f32:
        return bits_f32((float)draw_real(p));
    case TYPE_f64:
        return bits_f64(draw_real(p));
    case TYPE_flag:
        return draw(p, 2);
    case TYPE_small:
        return (uint32_t)(int16_t)draw_bits(p);
    case TYPE_u32:
    case TYPE_i32:
        return (uint32_t)draw_bits(p);
    default:
        return draw_bits(p);
    }
}

/* Of which an expression is made. */
struct from {
    bool uniform, in_loop;
};

static bool fits(const struct slot *slot, enum value_type type, struct from from, bool is_counter)
{
    return slot->type == type && (slot->uniform || !from.uniform) && (from.in_loop || !is_counter);
}

static void make_leaf(struct program *p, struct node *node, struct from from)
{
    node->slot = -1;
    if (node->type == TYPE_flag || draw(p, 4))
        for (int k = 0; k < TRIES && node->slot < 0; k++) {
            const int slot = (int)draw(p, p->slot_count);

            if (fits(&p->slots[slot], node->type, from, slot == SLOT_k))
                node->slot = slot;
        }
    if (node->slot < 0)
        node->bits = draw_constant(p, node->type);
}

static const struct operation_kind *draw_operation(struct program *p, enum value_type type)
{
    const struct operation_kind *kind;

    do
        kind = &operation_kinds[draw(p, operation_count)];
    while (kind->result != type || (kind->costly && draw(p, 8)));
    return kind;
}

static unsigned make_node(struct program *p, enum value_type type, unsigned depth, struct from from)
{
    const unsigned index = p->node_count++;
    struct node *node = &p->nodes[index];

    node->type = type;
    if (depth == 0 || draw(p, 8) == 0) {
        make_leaf(p, node, from);
        return index;
    }
    node->operation = draw_operation(p, type);
    for (unsigned k = 0; k < OPERANDS && node->operation->operands[k]; k++)
        node->operands[k] = make_node(p, node->operation->operands[k], depth - 1, from);
    return index;
}

static void make_statement(struct program *p, unsigned index)
{
    struct statement *s = &p->statements[index];
    struct slot *slot = &p->slots[p->slot_count];

    s->uniform = draw(p, 4) == 0;
    s->loops = draw(p, 6) == 0;
    slot->type = (enum value_type)(TYPE_u32 + draw(p, VALUE_TYPES - TYPE_u32));
    slot->uniform = s->uniform;
    snprintf(slot->name, sizeof slot->name, "v%u", index);
    s->value = make_node(p, slot->type, DEPTH, (struct from){s->uniform, false});
    if (s->loops)
        s->rounds = make_node(p, TYPE_u32, 1, (struct from){s->uniform, false});
    p->slot_count++;
    if (s->loops)
        s->body = make_node(p, slot->type, DEPTH - 1, (struct from){s->uniform, true});
}

void program_make(struct program *program, uint64_t seed)
{
    static const struct slot inputs[] = {
#define INPUT(name, type, uniform, text) {#name, TYPE_##type, uniform, text},
        PROGRAM_INPUTS(INPUT)
#undef INPUT
            {"k", TYPE_u32, true, NULL}};

    memset(program, 0, sizeof *program);
    program->seed = seed;
    memcpy(program->slots, inputs, sizeof inputs);
    program->slot_count = SLOT_FIRST;
    for (unsigned k = 0; k < SCALARS; k++)
        program->scalars[k] = draw_constant(program, inputs[k].type);
    for (unsigned k = 0; k < STATEMENTS; k++)
        make_statement(program, k);
}

uint64_t node_compute(const struct program *p, unsigned index, const uint32_t *in, const uint64_t *slots)
{
    const struct node *node = &p->nodes[index];
    uint64_t operands[OPERANDS] = {0};

    if (!node->operation)
        return node->slot < 0 ? node->bits : slots[node->slot];
    for (unsigned k = 0; k < OPERANDS && node->operation->operands[k]; k++)
        operands[k] = node_compute(p, node->operands[k], in, slots);
    return node->operation->compute(in, operands);
}

/* What PROGRAM_INPUTS has in CUDA. */
static void compute_inputs(uint64_t *slots, const struct program *p, const uint32_t *in, unsigned i)
{
    memcpy(slots, p->scalars, sizeof p->scalars);
    slots[SLOT_block] = i / BLOCK_THREADS;
    slots[SLOT_grid] = BLOCKS;
    slots[SLOT_h0] = (uint32_t)(int16_t)p->scalars[SLOT_s1];
    slots[SLOT_q0] = (int32_t)p->scalars[SLOT_s0] > 5;
    slots[SLOT_t] = i % BLOCK_THREADS;
    slots[SLOT_i] = i;
    slots[SLOT_x0] = in[i];
    slots[SLOT_x1] = in[(i + 1) % INPUTS];
    slots[SLOT_y0] = in[(i + 2) % INPUTS];
    slots[SLOT_y1] = in[(i + 3) % INPUTS];
    memcpy(&slots[SLOT_w0], in + i % (INPUTS / 2) * 2, sizeof *slots);
    slots[SLOT_z0] = slots[SLOT_x0] << 32 | in[(i + 4) % INPUTS];
    slots[SLOT_h1] = (uint32_t)(int16_t)slots[SLOT_x1];
    slots[SLOT_q1] = slots[SLOT_x0] < slots[SLOT_x1];
    slots[SLOT_f0] = bits_f32((float)(int32_t)slots[SLOT_y0] * 0x1p-12f);
    slots[SLOT_f1] = slots[SLOT_x1] & 0xff7fffff;
    slots[SLOT_d0] = bits_f64((double)(int64_t)slots[SLOT_z0] * 0x1p-20);
}

void program_compute(uint64_t slots[SLOTS], const struct program *program, const uint32_t *in,
                     unsigned thread)
{
    compute_inputs(slots, program, in, thread);
    for (unsigned k = 0; k < STATEMENTS; k++) {
        const struct statement *s = &program->statements[k];
        uint64_t *const result = &slots[SLOT_FIRST + k], rounds;

        *result = node_compute(program, s->value, in, slots);
        if (!s->loops)
            continue;
        rounds = node_compute(program, s->rounds, in, slots) & 7;
        for (slots[SLOT_k] = 0; slots[SLOT_k] < rounds; slots[SLOT_k]++)
            *result = node_compute(program, s->body, in, slots);
    }
}
