/* Symbols and relocations of a cubin. */
#include "model/sass/cubin_symbols.h"

#include <stdlib.h>
#include <string.h>

const char *section_after(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);

    return strncmp(name, prefix, length) ? NULL : name + length;
}

int section_bank(const char *name, const char **kernel)
{
    const char *rest = section_after(name, ".nv.constant");
    char *end;
    long bank;

    if (!rest || *rest < '0' || *rest > '9')
        return -1;
    bank = strtol(rest, &end, 10);
    *kernel = *end == '.' ? end + 1 : NULL;
    return bank < CUBIN_BANKS && (*end == '.' || !*end) ? (int)bank : -1;
}

static enum cubin_space space_of(const char *section, unsigned *bank)
{
    const char *owner;
    const int found = section_bank(section, &owner);

    if (found >= 0) {
        *bank = (unsigned)found;
        return CUBIN_CONSTANT;
    }
    if (section_after(section, ".nv.global"))
        return CUBIN_GLOBAL;
    if (section_after(section, ".nv.shared"))
        return CUBIN_SHARED;
    return section_after(section, CUBIN_TEXT) ? CUBIN_CODE : CUBIN_ELSEWHERE;
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

int cubin_read_symbols(struct cubin *cubin, const struct elf *elf, uint32_t type, struct err *err)
{
    int rc = 0;

    for (unsigned i = 0; i < elf->section_count && !rc; i++) {
        const Elf64_Shdr section = elf_section(elf, i);

        if (section.sh_type != type)
            continue;
        rc = type == SHT_SYMTAB ? add_symbols(cubin, elf, &section, err)
                                : add_relocations(cubin, elf, &section, err);
    }
    return rc;
}
