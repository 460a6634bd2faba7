#include "model/sass/cubin_info.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_LONG = 4, ANNOTATION_SPILL = 1 };

bool info_next(struct info_record *out, struct info *info)
{
    const unsigned char *head = info->bytes + info->at;
    size_t left = info->size - info->at;

    if (left < 4)
        return false;
    *out = (struct info_record){.attribute = head[1], .value = head[2]};
    if (head[0] != FORMAT_BYTE)
        out->value |= (uint32_t)head[3] << 8;
    info->at += 4;
    if (head[0] != FORMAT_LONG)
        return true;
    if (out->value > left - 4)
        return false;
    out->payload = head + 4;
    out->size = out->value;
    info->at += out->size;
    return true;
}

uint32_t info_word(const struct info_record *record, size_t k)
{
    const unsigned char *p;

    if (!record->payload || k >= record->size / 4)
        return 0;
    p = record->payload + 4 * k;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void take_three(unsigned out[3], const struct info_record *record)
{
    for (size_t k = 0; k < 3; k++)
        out[k] = info_word(record, k);
}

static int take_offsets(uint32_t **list, size_t *count, const struct info_record *record, struct err *err)
{
    const size_t words = record->size / 4;
    uint32_t *larger = realloc(*list, (*count + words + 1) * sizeof *larger);

    if (!larger)
        return err_memory(err);
    for (size_t k = 0; k < words; k++)
        larger[*count + k] = info_word(record, k);
    *list = larger;
    *count += words;
    return 0;
}

/* Per indirect branch: its offset, a zero, the number of targets, the targets. */
static int take_branches(struct cubin_kernel *kernel, const struct info_record *record, struct err *err)
{
    const size_t words = record->size / 4;
    struct cubin_branch *larger =
        realloc(kernel->branches, (kernel->branch_count + words + 1) * sizeof *larger);
    size_t count;

    if (!larger)
        return err_memory(err);
    kernel->branches = larger;
    for (size_t at = 0; at + 3 <= words; at += 3 + count) {
        count = info_word(record, at + 2);
        if (count > words - at - 3)
            break;
        for (size_t k = 0; k < count; k++)
            larger[kernel->branch_count++] =
                (struct cubin_branch){info_word(record, at), info_word(record, at + 3 + k)};
    }
    return 0;
}

/* Pairs of kind and code offset. */
static int take_annotations(struct cubin_kernel *kernel, const struct info_record *record, struct err *err)
{
    const size_t pairs = record->size / 8;
    uint32_t *larger = realloc(kernel->spills, (kernel->spill_count + pairs + 1) * sizeof *larger);

    if (!larger)
        return err_memory(err);
    kernel->spills = larger;
    for (size_t k = 0; k < pairs; k++)
        if (info_word(record, 2 * k) == ANNOTATION_SPILL)
            larger[kernel->spill_count++] = info_word(record, 2 * k + 1);
    kernel->resources.spill_instructions = (unsigned)kernel->spill_count;
    return 0;
}

/* Words: index, offset << 16 | ordinal, size << 18 | flags. */
static int take_parameter(struct cubin_kernel *kernel, const struct info_record *record, struct err *err)
{
    const size_t ordinal = info_word(record, 1) & 0xffff;
    struct cubin_parameter *larger;

    if (record->size < 12)
        return 0;
    if (ordinal >= kernel->parameter_count) {
        larger = realloc(kernel->parameters, (ordinal + 1) * sizeof *larger);
        if (!larger)
            return err_memory(err);
        memset(larger + kernel->parameter_count, 0, (ordinal + 1 - kernel->parameter_count) * sizeof *larger);
        kernel->parameters = larger;
        kernel->parameter_count = ordinal + 1;
    }
    kernel->parameters[ordinal] =
        (struct cubin_parameter){.offset = info_word(record, 1) >> 16, .bytes = info_word(record, 2) >> 18};
    return 0;
}

int info_take(struct cubin_kernel *kernel, const struct info_record *record, struct err *err)
{
    struct cubin_resources *resources = &kernel->resources;

    switch (record->attribute) {
    case INFO_MAX_THREADS:
        take_three(resources->max_threads, record);
        return 0;
    case INFO_REQUIRED_THREADS:
        take_three(resources->required_threads, record);
        return 0;
    case INFO_CLUSTER:
        take_three(resources->cluster, record);
        return 0;
    case INFO_REGISTER_CAP:
        resources->register_cap = record->value;
        return 0;
    case INFO_BARRIERS:
        resources->barriers = record->value & 0xff;
        return 0;
    case INFO_PARAMETER_BANK:
        kernel->parameter_base = info_word(record, 1) & 0xffff;
        kernel->parameter_bytes = info_word(record, 1) >> 16;
        return 0;
    case INFO_PARAMETER:
        return take_parameter(kernel, record, err);
    case INFO_EXITS:
        return take_offsets(&kernel->exits, &kernel->exit_count, record, err);
    case INFO_BRANCH_TARGETS:
        return take_branches(kernel, record, err);
    case INFO_ANNOTATIONS:
        return take_annotations(kernel, record, err);
    default:
        return 0;
    }
}
