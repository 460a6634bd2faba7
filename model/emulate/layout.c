/* Where everything lies before the first instruction: regions of global memory, constant banks. */
#include "model/emulate/cluster.h"
#include "model/emulate/memory.h"
#include "model/emulate/parameters.h"
#include "model/sass/arch/arch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most a constant bank can hold. */
enum { BANK_BYTES = 65536 };

/* An offset past the bank, such as ARCH_ABSENT, puts nothing. */
static void put(struct constant_bank *bank, unsigned offset, const void *bytes, size_t size)
{
    if (offset > bank->size || size > bank->size - offset)
        return;
    memcpy(bank->bytes + offset, bytes, size);
    for (size_t i = offset / 4; i < (offset + size + 3) / 4; i++)
        bank->known[i] = true;
}

/* What the driver says of clusters. The code multiplies by reciprocals and cuts off: they are not too small. */
static void put_cluster(struct constant_bank *bank, const struct emulate_target *target)
{
    const unsigned at = target->arch->bank0.cluster;
    unsigned extent[3], size = 1;

    if (at == ARCH_ABSENT)
        return;
    cluster_extent(extent, target->launch, target->kernel);
    for (unsigned k = 0; k < 3; k++) {
        const unsigned grid = target->launch->grid[k] / extent[k];
        const float reciprocal = 1.f / (float)extent[k];
        const float enough = extent[k] & (extent[k] - 1) ? nextafterf(reciprocal, 1) : reciprocal;

        put(bank, at + ARCH_CLUSTER_EXTENT + 4 * k, &extent[k], 4);
        put(bank, at + ARCH_CLUSTER_RECIPROCAL + 4 * k, &enough, 4);
        put(bank, at + ARCH_CLUSTER_GRID + 4 * k, &grid, 4);
        size *= extent[k];
    }
    put(bank, at + ARCH_CLUSTER_SIZE, &size, 4);
    size = size > 1;
    put(bank, at, &size, 4);
}

static uint64_t address_of(void *memory, size_t index)
{
    return ((struct emulate_memory *)memory)->arguments[index];
}

/* The driver's encoding is its own secret, opaque to the code: its words stay unknown. */
static int put_tensor_map(void *memory, unsigned char *out, const struct tensor_map *map, size_t index,
                          struct err *err)
{
    (void)memory, (void)map, (void)index, (void)err;
    memset(out, 0, TENSOR_MAP_BYTES);
    return 0;
}

static int put_parameter(struct emulate_memory *memory, const struct emulate_target *target, size_t index,
                         size_t k, struct err *err)
{
    const struct argument_place place = {memory, address_of, put_tensor_map};
    const struct argument *argument = &target->launch->arguments[index];
    const struct argument_ops *ops = argument_ops(argument);
    const struct cubin_kernel *kernel = target->kernel;
    const size_t size = ops->parameter_bytes(argument);
    unsigned char *bytes = malloc(size);
    int rc;

    if (!bytes)
        return err_memory(err);
    rc = ops->parameter(bytes, argument, index, &place, err);
    if (!rc && !argument->tensor_map)
        put(&memory->banks[0], kernel->parameter_base + kernel->parameters[k].offset, bytes, size);
    free(bytes);
    return rc;
}

static int put_parameters(struct emulate_memory *memory, const struct emulate_target *target, struct err *err)
{
    const struct launch *launch = target->launch;
    char reason[200];
    size_t k = 0;
    int rc = 0;

    if (!parameters_fit(reason, sizeof reason, target->kernel, launch))
        return err_set(err, ERR_USAGE, "%s", reason);
    for (size_t i = 0; i < launch->argument_count && !rc; i++)
        if (argument_ops(&launch->arguments[i])->parameter_bytes(&launch->arguments[i]))
            rc = put_parameter(memory, target, i, k++, err);
    return rc;
}

static int init_bank0(struct emulate_memory *memory, const struct emulate_target *target,
                      unsigned stack_bytes, struct err *err)
{
    const struct arch_bank0 *at = &target->arch->bank0;
    const uint64_t shared = SHARED_WINDOW, local = LOCAL_WINDOW, parameters = PARAMETER_WINDOW,
                   descriptor = 0;
    struct constant_bank *bank = &memory->banks[0];

    bank->size = (size_t)target->kernel->parameter_base + target->kernel->parameter_bytes;
    bank->size = ((bank->size > 0x400 ? bank->size : 0x400) + 16) & ~(size_t)15;
    bank->bytes = calloc(1, bank->size);
    bank->known = calloc(bank->size / 4 + 1, sizeof *bank->known);
    if (!bank->bytes || !bank->known)
        return err_memory(err);
    put(bank, at->block, target->launch->block, sizeof target->launch->block);
    put(bank, at->grid, target->launch->grid, sizeof target->launch->grid);
    put(bank, at->shared_window, &shared, 8);
    put(bank, at->local_window, &local, 8);
    put(bank, at->parameters, &parameters, 8);
    put(bank, at->stack, &stack_bytes, 4);
    put_cluster(bank, target);
    put(bank, at->descriptor, &descriptor, 8);
    return put_parameters(memory, target, err);
}

static int init_banks(struct emulate_memory *memory, const struct emulate_target *target, struct err *err)
{
    for (unsigned i = 1; i < CUBIN_BANKS; i++) {
        const struct cubin_bank *from = &target->kernel->banks[i];
        struct constant_bank *to = &memory->banks[i];

        if (!from->size)
            continue;
        if (from->size > BANK_BYTES)
            return err_set(err, ERR_USAGE, "constant bank %u has %zu bytes, and none may have over %d", i,
                           from->size, BANK_BYTES);
        to->size = from->size;
        to->bytes = calloc(1, from->size);
        if (!to->bytes)
            return err_memory(err);
        if (from->bytes) /* not where the section holds nothing, which reads as zeros */
            memcpy(to->bytes, from->bytes, from->size);
    }
    return 0;
}

static int add_region(struct emulate_memory *memory, const struct region *what, uint64_t *address,
                      struct err *err)
{
    struct region *region = &memory->regions[memory->region_count];
    const struct region *before = memory->region_count ? region - 1 : NULL;

    if (what->bytes > GLOBAL_MOST)
        return err_set(err, ERR_USAGE,
                       "%s: %llu bytes are more than any GPU has: at most %llu can be followed", what->name,
                       (unsigned long long)what->bytes, (unsigned long long)GLOBAL_MOST);
    *region = *what;
    region->address =
        before ? (before->address + before->bytes + 2 * GLOBAL_GUARD - 1) / GLOBAL_GUARD * GLOBAL_GUARD
               : GLOBAL_FIRST;
    region->page_count = (size_t)(region->bytes / PAGE_BYTES) + 1;
    region->pages = calloc(region->page_count, sizeof(struct page *));
    if (!region->pages)
        return err_memory(err);
    *address = region->address;
    memory->region_count++;
    return 0;
}

static const struct argument *find_argument(const struct launch *launch, const char *symbol, size_t *index)
{
    for (size_t i = 0; i < launch->argument_count; i++)
        if (argument_is_symbol(&launch->arguments[i]) && !strcmp(launch->arguments[i].name, symbol)) {
            *index = i;
            return &launch->arguments[i];
        }
    return NULL;
}

/* At most UINT64_MAX. */
static uint64_t argument_bytes(const struct argument *argument)
{
    const size_t size = element_size(argument->type);

    return argument->count > UINT64_MAX / size ? UINT64_MAX : argument->count * size;
}

/* Variables of the cubin in global memory; one that is also an argument has that one's fill. */
static int add_symbols(struct emulate_memory *memory, const struct emulate_target *target, struct err *err)
{
    for (size_t i = 0; i < target->cubin->symbol_count; i++) {
        const struct cubin_symbol *symbol = &target->cubin->symbols[i];
        struct region region = {
            .name = symbol->name, .bytes = symbol->size, .initial = symbol->bytes, .type = ELEMENT_UINT8};
        const struct argument *argument;
        size_t index;
        int rc;

        if (symbol->space != CUBIN_GLOBAL || !symbol->size)
            continue;
        argument = find_argument(target->launch, symbol->name, &index);
        if (argument) {
            region.passed = true;
            region.initial = NULL;
            region.fill = &argument->fill;
            region.type = argument->type;
            region.bytes = argument_bytes(argument);
        }
        rc = add_region(memory, &region, &memory->symbols[i], err);
        if (rc)
            return rc;
        if (argument)
            memory->arguments[index] = memory->symbols[i];
    }
    return 0;
}

static int add_buffers(struct emulate_memory *memory, const struct launch *launch, struct err *err)
{
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct argument *argument = &launch->arguments[i];
        struct region region = {
            .name = argument->name, .passed = true, .fill = &argument->fill, .type = argument->type};
        int rc;

        if (!argument_is_buffer(argument))
            continue;
        region.bytes = argument_bytes(argument);
        rc = add_region(memory, &region, &memory->arguments[i], err);
        if (rc)
            return rc;
    }
    return 0;
}

/* The driver looks symbols up in the code; a misspelt one would leave the variable as it is. */
static int check_symbols(const struct emulate_target *target, struct err *err)
{
    for (size_t i = 0; i < target->launch->argument_count; i++) {
        const struct argument *argument = &target->launch->arguments[i];
        size_t k = 0;

        if (!argument_is_symbol(argument))
            continue;
        while (k < target->cubin->symbol_count && strcmp(target->cubin->symbols[k].name, argument->name))
            k++;
        if (k == target->cubin->symbol_count)
            return err_set(err, ERR_USAGE, "symbol '%s': the code of kernel '%s' has no such variable",
                           argument->name, target->kernel->name);
    }
    return 0;
}

/* Fills the __constant__ variables that are arguments. */
static int fill_constants(struct emulate_memory *memory, const struct emulate_target *target, struct err *err)
{
    for (size_t i = 0; i < target->cubin->symbol_count; i++) {
        const struct cubin_symbol *symbol = &target->cubin->symbols[i];
        const struct argument *argument;
        struct constant_bank *bank;
        size_t index, bytes;
        int rc;

        if (symbol->space != CUBIN_CONSTANT || symbol->bank >= CUBIN_BANKS)
            continue;
        argument = find_argument(target->launch, symbol->name, &index);
        if (!argument)
            continue;
        bank = &memory->banks[symbol->bank];
        bytes = (size_t)argument->count * element_size(argument->type);
        if (argument->count > symbol->size || bytes > symbol->size || symbol->value > bank->size ||
            bytes > bank->size - symbol->value)
            return err_set(err, ERR_USAGE, "symbol '%s' has %llu bytes in the kernel, not %zu", symbol->name,
                           (unsigned long long)symbol->size, bytes);
        rc = fill_read(&argument->fill, argument->type, 0, argument->count, bank->bytes + symbol->value, err);
        if (rc) {
            err_prefix(err, "%s", symbol->name);
            return rc;
        }
    }
    return 0;
}

uint64_t symbol_address(const struct emulate_memory *memory, const struct cubin *cubin,
                        const struct cubin_kernel *kernel, const struct cubin_symbol *symbol)
{
    const size_t index = (size_t)(symbol - cubin->symbols);
    const bool undefined = !symbol->section;

    if (memory->symbols[index])
        return memory->symbols[index];
    if (undefined || (symbol->space == CUBIN_CODE && symbol->section != kernel->section))
        return FOREIGN_CODE + index * SASS_BYTES;
    return symbol->value;
}

const struct cubin_symbol *foreign_symbol(const struct cubin *cubin, uint64_t address)
{
    const uint64_t index = (address - FOREIGN_CODE) / SASS_BYTES;

    return address >= FOREIGN_CODE && index < cubin->symbol_count ? &cubin->symbols[index] : NULL;
}

/* Addresses that the loader writes into constant banks: of variables, and of functions as code offsets. */
static void relocate_banks(struct emulate_memory *memory, const struct emulate_target *target)
{
    for (size_t i = 0; i < target->cubin->relocation_count; i++) {
        const struct cubin_relocation *relocation = &target->cubin->relocations[i];
        const size_t size = relocation->kind == CUBIN_RELOC_64 ? 8 : 4;
        uint64_t value;

        if (!relocation->symbol)
            continue;
        value =
            symbol_address(memory, target->cubin, target->kernel, relocation->symbol) + relocation->addend;
        if (relocation->kind == CUBIN_RELOC_32_HIGH)
            value >>= 32;
        for (unsigned b = 1; b < CUBIN_BANKS; b++) {
            struct constant_bank *bank = &memory->banks[b];

            if (bank->size && target->kernel->bank_section[b] == relocation->section &&
                relocation->kind != CUBIN_RELOC_OTHER && relocation->offset <= bank->size &&
                size <= bank->size - relocation->offset)
                memcpy(bank->bytes + relocation->offset, &value, size);
        }
    }
}

int memory_init(struct emulate_memory *out, const struct emulate_target *target, unsigned stack_bytes,
                struct err *err)
{
    const size_t arguments = target->launch->argument_count, symbols = target->cubin->symbol_count;
    int rc = 0;

    *out = (struct emulate_memory){0};
    out->regions = calloc(arguments + symbols + 1, sizeof *out->regions);
    out->arguments = calloc(arguments + 1, sizeof *out->arguments);
    out->symbols = calloc(symbols + 1, sizeof *out->symbols);
    if (!out->regions || !out->arguments || !out->symbols)
        rc = err_memory(err);
    if (!rc)
        rc = add_buffers(out, target->launch, err);
    if (!rc)
        rc = add_symbols(out, target, err);
    if (!rc)
        rc = init_banks(out, target, err);
    if (!rc)
        rc = init_bank0(out, target, stack_bytes, err);
    if (!rc)
        rc = check_symbols(target, err);
    if (!rc)
        rc = fill_constants(out, target, err);
    if (rc)
        memory_release(out);
    else
        relocate_banks(out, target);
    return rc;
}
