/* Random programs as text. */
#include "random_program.h"

#include <inttypes.h>

static void print_constant(FILE *file, enum value_type type, uint64_t bits)
{
    switch (type) {
    case TYPE_f32:
        fprintf(file, "__uint_as_float(%#" PRIx64 "u)", bits);
        break;
    case TYPE_f64:
        fprintf(file, "__longlong_as_double(%#" PRIx64 "ll)", bits);
        break;
    case TYPE_flag:
        fputs(bits ? "true" : "false", file);
        break;
    case TYPE_u64:
    case TYPE_i64:
        fprintf(file, "(%s)%#" PRIx64 "ull", type_names[type], bits);
        break;
    default:
        fprintf(file, "(%s)%#" PRIx64 "u", type_names[type], bits);
    }
}

static void print_node(FILE *file, const struct program *p, unsigned index)
{
    const struct node *node = &p->nodes[index];
    const char *separator = "";

    if (!node->operation && node->slot < 0)
        print_constant(file, node->type, node->bits);
    else if (!node->operation)
        fputs(p->slots[node->slot].name, file);
    if (!node->operation)
        return;
    fprintf(file, "%s(%s", node->operation->name, node->operation->loads ? "in, " : "");
    for (unsigned k = 0; k < OPERANDS && node->operation->operands[k]; k++, separator = ", ") {
        fputs(separator, file);
        print_node(file, p, node->operands[k]);
    }
    fputc(')', file);
}

void statement_print(FILE *file, const struct program *program, unsigned statement)
{
    const struct statement *s = &program->statements[statement];
    const struct slot *slot = &program->slots[SLOT_FIRST + statement];

    fprintf(file, "    %s %s = ", type_names[slot->type], slot->name);
    print_node(file, program, s->value);
    fputs(";\n", file);
    if (!s->loops)
        return;
    fprintf(file, "    const u32 rounds%u = ", statement);
    print_node(file, program, s->rounds);
    fprintf(file, " & 7;\n#pragma unroll 1\n    for (u32 k = 0; k < rounds%u; k++)\n        %s = ", statement,
            slot->name);
    print_node(file, program, s->body);
    fputs(";\n", file);
}

/* A node a line, its operands below it. */
static void print_values(FILE *file, const struct program *p, unsigned index, unsigned depth,
                         const uint32_t *in, const uint64_t *slots)
{
    const struct node *node = &p->nodes[index];

    fprintf(file, "%*s%s = %#" PRIx64 "\n", (int)(4 + 2 * depth), "",
            node->operation  ? node->operation->name
            : node->slot < 0 ? "constant"
                             : p->slots[node->slot].name,
            node_compute(p, index, in, slots));
    for (unsigned k = 0; node->operation && k < OPERANDS && node->operation->operands[k]; k++)
        print_values(file, p, node->operands[k], depth + 1, in, slots);
}

void values_print(FILE *file, const struct program *program, unsigned statement, const uint32_t *in,
                  const uint64_t *slots)
{
    const struct statement *s = &program->statements[statement];

    print_values(file, program, s->value, 0, in, slots);
    if (!s->loops)
        return;
    print_values(file, program, s->rounds, 0, in, slots);
    print_values(file, program, s->body, 0, in, slots);
}

void program_print(FILE *file, const struct program *program)
{
    fputs("#include \"random.cuh\"\n", file);
    operations_print(file);
    fputs("extern \"C\" __global__ void random_program(u64 *out, u32 *decided, const u32 *__restrict__ in",
          file);
    for (unsigned k = 0; k < SCALARS; k++)
        fprintf(file, ", %s %s", type_names[program->slots[k].type], program->slots[k].name);
    fputs(")\n{\n", file);
    for (unsigned k = SCALARS; k < SLOT_k; k++)
        fprintf(file, "    const %s %s = %s;\n", type_names[program->slots[k].type], program->slots[k].name,
                program->slots[k].text);
    for (unsigned k = 0; k < STATEMENTS; k++) {
        statement_print(file, program, k);
        fprintf(file, "    out[i * %d + %u] = bits(v%u);\n    decided[place_of(bits(v%u))] = %u;\n",
                STATEMENTS, k, k, k, k);
    }
    fputs("}\n", file);
}
