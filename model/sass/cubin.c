#include "model/sass/cubin.h"

#include "base/file.h"
#include "base/hash.h"
#include "model/sass/arch/arch.h"
#include "model/sass/cubin_elf.h"
#include "model/sass/cubin_info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text_prefix[] = ".text.";
enum { TEXT_PREFIX = sizeof text_prefix - 1 };

/* CUDA 11 keeps the architecture in the lowest byte of e_flags, later ones in the second. */
static unsigned architecture(const Elf64_Ehdr *header)
{
    const unsigned second = header->e_flags >> 8 & 0xff;

    return header->e_ident[EI_ABIVERSION] >= 8 ? second : header->e_flags & 0xff;
}

/* "K" of ".text.K" when `name` begins with `prefix`; else null. */
static const char *after(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);

    return strncmp(name, prefix, length) ? NULL : name + length;
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
    int code = 0;

    cubin->kernels = calloc(elf->section_count + 1, sizeof *cubin->kernels);
    if (!cubin->kernels)
        return err_memory(err);
    for (unsigned i = 0; i < elf->section_count && !code; i++)
        if (after(elf_section_name(elf, i), text_prefix))
            code = add_kernel(cubin, elf, i, err);
    return code;
}

static int take_kernel_info(struct cubin_kernel *kernel, const struct elf *elf, const Elf64_Shdr *section,
                            struct err *err)
{
    struct info info = {elf_content(elf, section), section->sh_size, 0};
    struct info_record record;
    int code = 0;

    while (info.bytes && !code && info_next(&record, &info))
        code = info_take(kernel, &record, err);
    return code;
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

/* ".nv.constantN" and ".nv.constantN.K": the bank, or -1. */
static int bank_of(const char *name, const char **kernel)
{
    const char *rest = after(name, ".nv.constant");
    char *end;
    long bank;

    if (!rest || *rest < '0' || *rest > '9')
        return -1;
    bank = strtol(rest, &end, 10);
    *kernel = *end == '.' ? end + 1 : NULL;
    return bank < CUBIN_BANKS && (*end == '.' || !*end) ? (int)bank : -1;
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
    int bank = bank_of(name, &owner);

    if (bank >= 0)
        take_bank(cubin, elf, index, bank, owner);
    else if ((owner = after(name, ".nv.info.")) != NULL && (kernel = find_kernel(cubin, owner)) != NULL)
        return take_kernel_info(kernel, elf, &section, err);
    else if ((owner = after(name, ".nv.shared.")) != NULL && (kernel = find_kernel(cubin, owner)) != NULL)
        take_shared(kernel, &section);
    return 0;
}

/* Symbols and relocations -------------------------------------------------- */

static enum cubin_space space_of(const char *section, unsigned *bank)
{
    const char *owner;
    const int found = bank_of(section, &owner);

    if (found >= 0) {
        *bank = (unsigned)found;
        return CUBIN_CONSTANT;
    }
    if (after(section, ".nv.global"))
        return CUBIN_GLOBAL;
    if (after(section, ".nv.shared"))
        return CUBIN_SHARED;
    return after(section, text_prefix) ? CUBIN_CODE : CUBIN_ELSEWHERE;
}

static void read_symbol(struct cubin_symbol *out, const struct elf *elf, const Elf64_Sym *symbol,
                        unsigned names)
{
    Elf64_Shdr section;
    const unsigned char *content;

    *out = (struct cubin_symbol){.name = elf_text(elf, names, symbol->st_name),
                                 .space = CUBIN_ELSEWHERE,
                                 .value = symbol->st_value,
                                 .size = symbol->st_size};
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= elf->section_count)
        return;
    section = elf_section(elf, symbol->st_shndx);
    content = elf_content(elf, &section);
    out->section = symbol->st_shndx;
    out->space = space_of(elf_section_name(elf, symbol->st_shndx), &out->bank);
    if (content && symbol->st_value <= section.sh_size &&
        symbol->st_size <= section.sh_size - symbol->st_value)
        out->bytes = content + symbol->st_value;
}

static int add_symbols(struct cubin *cubin, const struct elf *elf, const Elf64_Shdr *section, struct err *err)
{
    const size_t count = section->sh_size / sizeof(Elf64_Sym);
    Elf64_Sym symbol;

    if (cubin->symbols)
        return err_set(err, ERR_FORMAT, "%s: has two symbol tables", elf->name);
    cubin->symbols = calloc(count + 1, sizeof *cubin->symbols);
    if (!cubin->symbols)
        return err_memory(err);
    for (size_t i = 0; i < count; i++) {
        memcpy(&symbol, elf_content(elf, section) + i * sizeof symbol, sizeof symbol);
        read_symbol(&cubin->symbols[i], elf, &symbol, section->sh_link);
    }
    cubin->symbol_count = count;
    return 0;
}

static enum cubin_relocation_kind relocation_kind(unsigned type)
{
    switch (type) {
    case 1: /* R_CUDA_32 */
        return CUBIN_RELOC_32;
    case 2: /* R_CUDA_64 */
        return CUBIN_RELOC_64;
    case 0x38: /* R_CUDA_ABS32_LO_32 */
        return CUBIN_RELOC_32_LOW;
    case 0x39: /* R_CUDA_ABS32_HI_32 */
        return CUBIN_RELOC_32_HIGH;
    default:
        return CUBIN_RELOC_OTHER;
    }
}

/* Entries of a .rel (without addends) or .rela section. */
static int add_relocations(struct cubin *cubin, const struct elf *elf, const Elf64_Shdr *section,
                           struct err *err)
{
    const size_t entry = section->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    const size_t count = section->sh_size / entry;
    struct cubin_relocation *larger =
        realloc(cubin->relocations, (cubin->relocation_count + count + 1) * sizeof *larger);
    Elf64_Rela rela = {0};

    if (!larger)
        return err_memory(err);
    cubin->relocations = larger;
    for (size_t i = 0; i < count; i++) {
        memcpy(&rela, elf_content(elf, section) + i * entry, entry);
        if (ELF64_R_SYM(rela.r_info) >= cubin->symbol_count)
            return err_set(err, ERR_FORMAT, "%s: a relocation names symbol %llu of %zu", elf->name,
                           (unsigned long long)ELF64_R_SYM(rela.r_info), cubin->symbol_count);
        larger[cubin->relocation_count++] =
            (struct cubin_relocation){.kind = relocation_kind((unsigned)ELF64_R_TYPE(rela.r_info)),
                                      .type = (unsigned)ELF64_R_TYPE(rela.r_info),
                                      .section = section->sh_info,
                                      .offset = rela.r_offset,
                                      .addend = (uint64_t)rela.r_addend,
                                      .symbol = &cubin->symbols[ELF64_R_SYM(rela.r_info)]};
    }
    return 0;
}

static int read_sections(struct cubin *cubin, const struct elf *elf, uint32_t type, struct err *err)
{
    int code = 0;

    for (unsigned i = 0; i < elf->section_count && !code; i++) {
        const Elf64_Shdr section = elf_section(elf, i);

        if (section.sh_type != type)
            continue;
        code = type == SHT_SYMTAB ? add_symbols(cubin, elf, &section, err)
                                  : add_relocations(cubin, elf, &section, err);
    }
    return code;
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
    int code = add_kernels(cubin, elf, err);

    for (unsigned i = 0; i < elf->section_count && !code; i++)
        code = take_section(cubin, elf, i, err);
    if (!code)
        code = read_sections(cubin, elf, SHT_SYMTAB, err);
    if (!code)
        code = read_sections(cubin, elf, SHT_REL, err);
    if (!code)
        code = read_sections(cubin, elf, SHT_RELA, err);
    for (unsigned i = 0; i < elf->section_count && !code; i++) {
        const Elf64_Shdr section = elf_section(elf, i);

        if (!strcmp(elf_section_name(elf, i), ".nv.info"))
            take_file_info(cubin, elf, &section);
    }
    return code;
}

int cubin_init(struct cubin *out, const void *bytes, size_t size, const char *name, struct err *err)
{
    struct elf elf;
    int code = 0;

    *out = (struct cubin){.image_bytes = size};
    out->image = malloc(size + 1);
    if (!out->image)
        return err_memory(err);
    if (size)
        memcpy(out->image, bytes, size);
    code = elf_open(&elf, out->image, size, name, err);
    if (!code) {
        out->sm = architecture(&elf.header);
        code = read_all(out, &elf, err);
    }
    if (code)
        cubin_release(out);
    return code;
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
    int code = read_file(&bytes, &size, path, err);

    *out = (struct cubin){0};
    if (code)
        return code;
    code = cubin_init(out, bytes, size, path, err);
    free(bytes);
    return code;
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
