#include "model/sass/cubin.h"

#include "base/file.h"
#include "base/hash.h"
#include "model/sass/arch/arch.h"
#include "model/sass/cubin_elf.h"
#include "model/sass/cubin_info.h"
#include "model/sass/cubin_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_PREFIX = sizeof CUBIN_TEXT - 1 };

/* CUDA 11 keeps the architecture in the lowest byte of e_flags, later ones in the second. */
static unsigned architecture(const Elf64_Ehdr *header)
{
    const unsigned second = header->e_flags >> 8 & 0xff;

    return header->e_ident[EI_ABIVERSION] >= 8 ? second : header->e_flags & 0xff;
}

static struct cubin_kernel *find_kernel(struct cubin *cubin, const char *name)
{
    for (size_t k = 0; k < cubin->kernel_count; k++)
        if (!strcmp(cubin->kernels[k].name, name))
            return &cubin->kernels[k];
    return NULL;
}

/* Kernels ------------------------------------------------------------------ */

static int add_kernel(struct cubin *cubin, const struct elf *elf, unsigned index, struct err *err)
{
    const Elf64_Shdr section = elf_section(elf, index);
    const struct arch *arch = arch_of(cubin->sm);
    struct cubin_kernel *kernel = &cubin->kernels[cubin->kernel_count];

    if (section.sh_type != SHT_PROGBITS || section.sh_size % 16)
        return err_set(err, ERR_FORMAT, "%s: section %s: its %llu bytes are no whole number of instructions",
                       elf->name, elf_section_name(elf, index), (unsigned long long)section.sh_size);
    *kernel = (struct cubin_kernel){.name = elf_section_name(elf, index) + TEXT_PREFIX,
                                    .code = elf_content(elf, &section),
                                    .code_bytes = section.sh_size,
                                    .section = index};
    kernel->code_hash = hash_bytes(HASH_START, kernel->code, kernel->code_bytes);
    kernel->resources.sm = cubin->sm;
    kernel->resources.registers = section.sh_info >> 24; /* older files; later ones have a record */
    kernel->resources.register_cap = CUBIN_REGISTERS_UNCAPPED;
    kernel->resources.shared_reserved_bytes = arch ? arch->shared_reserved_bytes : 0;
    cubin->kernel_count++;
    return 0;
}

static int add_kernels(struct cubin *cubin, const struct elf *elf, struct err *err)
{
    int rc = 0;

    cubin->kernels = calloc(elf->section_count + 1, sizeof *cubin->kernels);
    if (!cubin->kernels)
        return err_memory(err);
    for (unsigned i = 0; i < elf->section_count && !rc; i++)
        if (section_after(elf_section_name(elf, i), CUBIN_TEXT))
            rc = add_kernel(cubin, elf, i, err);
    return rc;
}

static int take_kernel_info(struct cubin_kernel *kernel, const struct elf *elf, const Elf64_Shdr *section,
                            struct err *err)
{
    struct info info = {elf_content(elf, section), section->sh_size, 0};
    struct info_record record;
    int rc = 0;

    while (info.bytes && !rc && info_next(&record, &info))
        rc = info_take(kernel, &record, err);
    return rc;
}

/* Where the section counts the system's bytes, it does so only if the kernel declares any. */
static void take_shared(struct cubin_kernel *kernel, const Elf64_Shdr *section)
{
    const struct arch *arch = arch_of(kernel->resources.sm);
    const unsigned reserved =
        arch && arch->shared == ARCH_SHARED_WITH_RESERVED ? arch->shared_reserved_bytes : 0;

    kernel->resources.shared_bytes =
        (unsigned)(section->sh_size > reserved ? section->sh_size - reserved : 0);
}

static void take_bank(struct cubin *cubin, const struct elf *elf, unsigned index, int bank, const char *name)
{
    const Elf64_Shdr section = elf_section(elf, index);
    struct cubin_kernel *kernel;

    for (size_t k = 0; k < cubin->kernel_count; k++) {
        kernel = &cubin->kernels[k];
        if (name && strcmp(kernel->name, name))
            continue;
        kernel->banks[bank] = (struct cubin_bank){elf_content(elf, &section), section.sh_size};
        kernel->bank_section[bank] = index;
        if (bank == 0)
            kernel->resources.constant_bytes = (unsigned)section.sh_size;
    }
}

static int take_section(struct cubin *cubin, const struct elf *elf, unsigned index, struct err *err)
{
    const Elf64_Shdr section = elf_section(elf, index);
    const char *name = elf_section_name(elf, index), *owner;
    struct cubin_kernel *kernel;
    int bank = section_bank(name, &owner);

    if (bank >= 0)
        take_bank(cubin, elf, index, bank, owner);
    else if ((owner = section_after(name, ".nv.info.")) != NULL &&
             (kernel = find_kernel(cubin, owner)) != NULL)
        return take_kernel_info(kernel, elf, &section, err);
    else if ((owner = section_after(name, ".nv.shared.")) != NULL &&
             (kernel = find_kernel(cubin, owner)) != NULL)
        take_shared(kernel, &section);
    return 0;
}

/* The file's own records say the registers and stack of each function by its symbol. */
static void take_file_info(struct cubin *cubin, const struct elf *elf, const Elf64_Shdr *section)
{
    struct info info = {elf_content(elf, section), section->sh_size, 0};
    struct info_record record;
    struct cubin_kernel *kernel;
    unsigned value;

    while (info.bytes && info_next(&record, &info)) {
        if (info_word(&record, 0) >= cubin->symbol_count)
            continue;
        kernel = find_kernel(cubin, cubin->symbols[info_word(&record, 0)].name);
        value = info_word(&record, 1);
        if (!kernel)
            continue;
        if (record.attribute == INFO_REGISTER_COUNT)
            kernel->resources.registers = value;
        else if ((record.attribute == INFO_FRAME_SIZE || record.attribute == INFO_MIN_STACK_SIZE ||
                  record.attribute == INFO_MAX_STACK_SIZE) &&
                 value > kernel->resources.local_bytes)
            kernel->resources.local_bytes = value;
    }
}

/* The whole ---------------------------------------------------------------- */

static int read_all(struct cubin *cubin, const struct elf *elf, struct err *err)
{
    int rc = add_kernels(cubin, elf, err);

    for (unsigned i = 0; i < elf->section_count && !rc; i++)
        rc = take_section(cubin, elf, i, err);
    if (!rc)
        rc = cubin_read_symbols(cubin, elf, SHT_SYMTAB, err);
    if (!rc)
        rc = cubin_read_symbols(cubin, elf, SHT_REL, err);
    if (!rc)
        rc = cubin_read_symbols(cubin, elf, SHT_RELA, err);
    for (unsigned i = 0; i < elf->section_count && !rc; i++) {
        const Elf64_Shdr section = elf_section(elf, i);

        if (!strcmp(elf_section_name(elf, i), ".nv.info"))
            take_file_info(cubin, elf, &section);
    }
    return rc;
}

int cubin_init(struct cubin *out, const void *bytes, size_t size, const char *name, struct err *err)
{
    struct elf elf;
    int rc = 0;

    *out = (struct cubin){.image_bytes = size};
    out->image = malloc(size + 1);
    if (!out->image)
        return err_memory(err);
    if (size)
        memcpy(out->image, bytes, size);
    rc = elf_open(&elf, out->image, size, name, err);
    if (!rc) {
        out->sm = architecture(&elf.header);
        rc = read_all(out, &elf, err);
    }
    if (rc)
        cubin_release(out);
    return rc;
}

static int read_file(unsigned char **bytes, size_t *size, const char *path, struct err *err)
{
    FILE *file = file_open(path, err);
    long length = -1;

    *bytes = NULL;
    *size = 0;
    if (!file)
        return err ? err->code : ERR_USAGE;
    if (!fseek(file, 0, SEEK_END))
        length = ftell(file);
    if (length >= 0)
        *bytes = malloc((size_t)length + 1);
    if (*bytes) {
        rewind(file);
        *size = fread(*bytes, 1, (size_t)length, file);
    }
    if (length < 0 || !*bytes || *size != (size_t)length) {
        err_set(err, ERR_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
        free(*bytes);
        *bytes = NULL;
    }
    fclose(file);
    return *bytes ? 0 : ERR_SYSTEM;
}

int cubin_read(struct cubin *out, const char *path, struct err *err)
{
    unsigned char *bytes;
    size_t size;
    int rc = read_file(&bytes, &size, path, err);

    *out = (struct cubin){0};
    if (rc)
        return rc;
    rc = cubin_init(out, bytes, size, path, err);
    free(bytes);
    return rc;
}

void cubin_release(struct cubin *cubin)
{
    for (size_t k = 0; k < cubin->kernel_count; k++) {
        free(cubin->kernels[k].parameters);
        free(cubin->kernels[k].spills);
        free(cubin->kernels[k].exits);
        free(cubin->kernels[k].branches);
    }
    free(cubin->kernels);
    free(cubin->symbols);
    free(cubin->relocations);
    free(cubin->image);
    *cubin = (struct cubin){0};
}

int cubin_find(const struct cubin_kernel **out, const struct cubin *cubin, const char *name, struct err *err)
{
    char names[512] = "";
    size_t k, used = 0;

    *out = NULL;
    if (!name && cubin->kernel_count == 1) {
        *out = &cubin->kernels[0];
        return 0;
    }
    for (k = 0; k < cubin->kernel_count && !*out; k++) {
        if (name && !strcmp(cubin->kernels[k].name, name))
            *out = &cubin->kernels[k];
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, " %s", cubin->kernels[k].name);
    }
    if (*out)
        return 0;
    if (!cubin->kernel_count)
        return err_set(err, ERR_USAGE, "the cubin holds no kernel");
    if (name)
        return err_set(err, ERR_USAGE, "the cubin holds no kernel %s; it has%s", name, names);
    return err_set(err, ERR_USAGE, "the cubin holds several kernels, name one of%s", names);
}
