#include "gpu/verify.h"

#include "base/array.h"
#include "base/hash.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const word nothing = ~(word)0;

void wanted_release(struct wanted *wanted, struct gpu *gpu)
{
    for (size_t i = 0; i < wanted->count; i++) {
        gpu_free(gpu, wanted->items[i].data);
        free(wanted->items[i].name);
    }
    free(wanted->items);
    memset(wanted, 0, sizeof *wanted);
}

int wanted_add(struct wanted_buffer **out, struct wanted *wanted, struct gpu *gpu, const char *name,
               enum element_type type, uint64_t count, gpu_address from, struct err *err)
{
    struct wanted_buffer *item;
    size_t bytes = count * element_size(type);
    int rc;

    if (ARRAY_GROW(wanted->items, wanted->count, err))
        return ERR_MEMORY;
    item = &wanted->items[wanted->count];
    *item = (struct wanted_buffer){strdup(name), type, count, 0};
    rc = item->name ? gpu_alloc(&item->data, gpu, bytes, err) : err_memory(err);
    if (!rc && from)
        rc = gpu_copy(gpu, item->data, from, bytes, err);
    if (rc) {
        gpu_free(gpu, item->data);
        free(item->name);
        return rc;
    }
    wanted->count++;
    *out = item;
    return 0;
}

void verifier_init(struct verifier *verifier, struct buffers *buffers)
{
    *verifier = (struct verifier){.buffers = buffers};
}

void verifier_release(struct verifier *verifier)
{
    gpu_free(verifier->buffers->gpu, verifier->found);
    gpu_free(verifier->buffers->gpu, verifier->reduced);
    memset(verifier, 0, sizeof *verifier);
}

/* What is compared of a result: the buffer itself, or what it is reduced to. */
static enum element_type compared_type(const struct buffer *buffer)
{
    return buffer->reduction ? reduced_type(buffer->type) : buffer->type;
}

static uint64_t compared_count(const struct buffer *buffer)
{
    return buffer->reduction ? buffer->kept : buffer->count;
}

static int reserve_reduced(struct verifier *verifier, uint64_t elements, struct err *err)
{
    int rc;

    if (elements <= verifier->reduced_capacity)
        return 0;
    gpu_free(verifier->buffers->gpu, verifier->reduced);
    verifier->reduced_capacity = 0;
    verifier->reduced = 0;
    rc = gpu_alloc(&verifier->reduced, verifier->buffers->gpu, elements * sizeof(uint64_t), err);
    verifier->reduced_capacity = rc ? 0 : elements;
    return rc;
}

/* Queued. What is reduced lies in the verifier's scratch until the next is. */
static int result_data(gpu_address *out, struct verifier *verifier, const struct buffer *buffer,
                       struct err *err)
{
    const uint64_t parts = buffer->reduction ? buffer->count / buffer->kept : 1;
    int rc;

    *out = buffer->data;
    if (!buffer->reduction)
        return 0;
    rc = reserve_reduced(verifier, kernels_reduce_elements(parts, buffer->kept), err);
    *out = verifier->reduced;
    return rc ? rc
              : kernels_reduce(verifier->buffers->kernels, buffer->type, buffer->reduction, buffer->data,
                               parts, buffer->kept, verifier->reduced, err);
}

int verify_keep(struct wanted *wanted, struct verifier *verifier, const struct buffer *buffer,
                struct err *err)
{
    struct wanted_buffer *added;
    gpu_address data;
    int rc = result_data(&data, verifier, buffer, err);

    return rc ? rc
              : wanted_add(&added, wanted, verifier->buffers->gpu, buffer->name, compared_type(buffer),
                           compared_count(buffer), data, err);
}

static int find_expected(const struct wanted_buffer **out, const struct wanted *wanted,
                         const struct buffer *buffer, struct err *err)
{
    *out = NULL;
    for (size_t i = 0; i < wanted->count; i++) {
        const struct wanted_buffer *item = &wanted->items[i];

        if (strcmp(item->name, buffer->name))
            continue;
        if (item->type != compared_type(buffer) || item->count != compared_count(buffer))
            return err_set(err, ERR_USAGE,
                           "%s: the reference has %" PRIu64 " %s, the variant %" PRIu64
                           " %s: a length that depends on parameters takes \"compare\"",
                           buffer->name, item->count, element_text(item->type), compared_count(buffer),
                           element_text(compared_type(buffer)));
        *out = item;
    }
    return 0;
}

int verify_prepare(const struct verifier *verifier, const struct binding *binding,
                   const struct wanted *wanted, struct err *err)
{
    struct buffers *buffers = verifier->buffers;
    int rc = binding_restore(binding, buffers, err);

    for (size_t i = 0; !rc && i < binding->count; i++) {
        const struct buffer *buffer = binding->buffers[i];
        const struct wanted_buffer *expected;

        if (!buffer || buffer->role == ROLE_IN)
            continue;
        rc = find_expected(&expected, wanted, buffer, err);
        if (!rc && !role_is_filled(buffer->role))
            rc = kernels_poison(buffers->kernels, buffer->type, buffer->data,
                                expected && !buffer->reduction ? expected->data : 0, buffer->count,
                                buffer->key, err);
    }
    return rc;
}

/* Where the findings lie: two of each buffer's guards, then one of each argument. */
static int queue_checks(struct verifier *verifier, const struct binding *binding, const struct wanted *wanted,
                        const struct protocol *protocol, struct err *err)
{
    struct buffers *buffers = verifier->buffers;
    size_t guards = 2 * buffers->count, i;
    int rc =
        gpu_set(buffers->gpu, verifier->found, 0xff, (guards + binding->count) * sizeof(struct found), err);

    if (!rc)
        rc = kernels_guard_check(buffers->kernels, buffers->guards, (unsigned)guards, verifier->found, err);
    for (i = 0; !rc && i < binding->count; i++) {
        const struct buffer *buffer = binding->buffers[i];
        gpu_address found = verifier->found + (guards + i) * sizeof(struct found), data;
        const struct wanted_buffer *expected;

        if (!buffer)
            continue;
        if (buffer->role == ROLE_IN) {
            rc = kernels_differ(buffers->kernels, buffer->data, buffer->pristine, buffer->bytes, found, err);
            continue;
        }
        rc = find_expected(&expected, wanted, buffer, err);
        if (!rc && expected)
            rc = result_data(&data, verifier, buffer, err);
        if (!rc && expected)
            rc = kernels_compare(buffers->kernels, expected->type, data, expected->data, expected->count,
                                 protocol->relative, protocol->absolute, found, err);
    }
    return rc;
}

static double half_value(unsigned bits)
{
    double sign = bits & 0x8000 ? -1 : 1, fraction = (double)(bits & 0x3ff) / 1024;
    int exponent = (int)(bits >> 10 & 31);

    if (exponent == 31)
        return bits & 0x3ff ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14));
}

/* Writes one element as text. */
static void element_write(char *out, size_t size, enum element_type type, const unsigned char *bytes)
{
    uint64_t bits = 0;
    uint32_t word32;
    double real;
    float single;
    int64_t number;

    memcpy(&bits, bytes, element_size(type));
    switch (type) {
    case ELEMENT_FLOAT16:
        real = half_value((unsigned)bits);
        break;
    case ELEMENT_BFLOAT16:
        word32 = (uint32_t)bits << 16;
        memcpy(&single, &word32, sizeof single);
        real = (double)single;
        break;
    case ELEMENT_FLOAT32:
        memcpy(&single, bytes, sizeof single);
        real = (double)single;
        break;
    case ELEMENT_FLOAT64:
        memcpy(&real, bytes, sizeof real);
        break;
    case ELEMENT_UINT8:
    case ELEMENT_UINT16:
    case ELEMENT_UINT32:
    case ELEMENT_UINT64:
        snprintf(out, size, "%" PRIu64, bits);
        return;
    default:
        number = (int64_t)(bits << (64 - 8 * element_size(type))) >> (64 - 8 * element_size(type));
        snprintf(out, size, "%" PRId64, number);
        return;
    }
    snprintf(out, size, "%.9g", real);
}

struct element {
    unsigned char bytes[8];
    char text[40];
};

static int read_element(struct element *out, struct gpu *gpu, enum element_type type, gpu_address data,
                        uint64_t index, struct err *err)
{
    int rc;

    *out = (struct element){0};
    rc = gpu_download(out->bytes, gpu, data + index * element_size(type), element_size(type), err);
    element_write(out->text, sizeof out->text, type, out->bytes);
    return rc;
}

static void blame(struct trial *trial, const char *text)
{
    if (trial->outcome == OUTCOME_WRONG)
        return; /* the first finding is told */
    trial->outcome = OUTCOME_WRONG;
    snprintf(trial->message, sizeof trial->message, "%s", text);
}

static int judge_guards(struct trial *trial, struct buffers *buffers, const struct found *found,
                        struct err *err)
{
    bool damaged = false;

    for (size_t k = 0; k < 2 * buffers->count; k++) {
        const struct buffer *buffer = buffers->items[k / 2];
        char text[sizeof trial->message];

        if (found[k].first == nothing)
            continue;
        if (k % 2)
            snprintf(text, sizeof text, "write past the end of %s: byte %llu, which has %zu", buffer->name,
                     buffer->bytes + found[k].first, buffer->bytes);
        else
            snprintf(text, sizeof text, "write before the start of %s: %llu bytes before it", buffer->name,
                     buffer->data - buffer->allocation - found[k].first);
        blame(trial, text);
        damaged = true;
    }
    return damaged ? buffers_guard(buffers, err) : 0;
}

static int judge_input(struct trial *trial, struct buffers *buffers, const struct buffer *buffer,
                       const struct found *found, struct err *err)
{
    char text[sizeof trial->message];

    if (found->first == nothing)
        return 0;
    snprintf(text, sizeof text, "%s[%llu]: the kernel changed an input", buffer->name,
             found->first / element_size(buffer->type));
    blame(trial, text);
    return gpu_copy(buffers->gpu, buffer->data, buffer->pristine, buffer->bytes, err);
}

/* "C[17]", "the sum of partial", "the sum of partial, element 3" */
static void write_place(char *out, size_t size, const struct buffer *buffer, word element)
{
    if (!buffer->reduction)
        snprintf(out, size, "%s[%llu]", buffer->name, element);
    else if (buffer->kept == 1)
        snprintf(out, size, "the %s of %s", reduction_texts[buffer->reduction], buffer->name);
    else
        snprintf(out, size, "the %s of %s, element %llu", reduction_texts[buffer->reduction], buffer->name,
                 element);
}

/* Whether what is expected may be the poison that the reference found there (kernels.cu, poison_bits). */
static bool may_be_unwritten(const struct buffer *buffer, const struct element *wanted, word index)
{
    word poison = hash_mix(buffer->key + index);

    if (buffer->role != ROLE_OUT)
        return false;
    if (!element_is_integer(buffer->type))
        return strstr(wanted->text, "nan") != NULL;
    return !buffer->reduction && !memcmp(wanted->bytes, &poison, element_size(buffer->type));
}

static const char unwritten[] =
    ", which the reference computes or leaves unwritten: an output that is not written "
    "whole has the role inout";

static int judge_output(struct trial *trial, struct verifier *verifier, const struct buffer *buffer,
                        const struct wanted_buffer *expected, const struct found *found, struct err *err)
{
    char place[160], text[sizeof trial->message];
    struct element got, wanted;
    struct gpu *gpu = verifier->buffers->gpu;
    gpu_address data;
    word bits = ~found->worst_flips;
    double worst;
    int rc;

    memcpy(&worst, &bits, sizeof worst);
    if (worst > trial->error_max)
        trial->error_max = worst;
    if (found->first == nothing)
        return 0;
    rc = result_data(&data, verifier, buffer, err);
    if (!rc)
        rc = read_element(&got, gpu, expected->type, data, found->first, err);
    if (!rc)
        rc = read_element(&wanted, gpu, expected->type, expected->data, found->first, err);
    if (rc)
        return rc;
    write_place(place, sizeof place, buffer, found->first);
    snprintf(text, sizeof text, "%s: got %s, expected %s%s", place, got.text, wanted.text,
             may_be_unwritten(buffer, &wanted, found->first) ? unwritten : "");
    blame(trial, text);
    return 0;
}

static int judge(struct trial *trial, struct verifier *verifier, const struct binding *binding,
                 const struct wanted *wanted, const struct found *found, struct err *err)
{
    struct buffers *buffers = verifier->buffers;
    const struct found *by_argument = found + 2 * buffers->count;
    int rc = judge_guards(trial, buffers, found, err);

    for (size_t i = 0; !rc && i < binding->count; i++) {
        const struct buffer *buffer = binding->buffers[i];
        const struct wanted_buffer *expected;

        if (!buffer)
            continue;
        if (buffer->role == ROLE_IN) {
            rc = judge_input(trial, buffers, buffer, &by_argument[i], err);
            continue;
        }
        rc = find_expected(&expected, wanted, buffer, err);
        if (!rc && expected)
            rc = judge_output(trial, verifier, buffer, expected, &by_argument[i], err);
    }
    return rc;
}

int verify_reserve(struct verifier *verifier, size_t n, struct err *err)
{
    int rc;

    if (n <= verifier->capacity)
        return 0;
    gpu_free(verifier->buffers->gpu, verifier->found);
    verifier->capacity = 0;
    verifier->found = 0;
    rc = gpu_alloc(&verifier->found, verifier->buffers->gpu, 2 * n * sizeof(struct found), err);
    verifier->capacity = rc ? 0 : 2 * n;
    return rc;
}

int verify_check(struct trial *trial, struct verifier *verifier, const struct binding *binding,
                 const struct wanted *wanted, const struct protocol *protocol, struct err *err)
{
    struct buffers *buffers = verifier->buffers;
    size_t n = 2 * buffers->count + binding->count;
    struct found *found = calloc(n + 1, sizeof *found);
    int rc = found ? verify_reserve(verifier, n, err) : err_memory(err);

    if (!found)
        return rc;
    if (!rc)
        rc = queue_checks(verifier, binding, wanted, protocol, err);
    if (!rc)
        rc = gpu_download(found, buffers->gpu, verifier->found, n * sizeof *found, err);
    if (!rc)
        rc = judge(trial, verifier, binding, wanted, found, err);
    free(found);
    return rc;
}
