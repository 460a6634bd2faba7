#include "model/sass/cubin_elf.h"

#include <string.h>

enum { MACHINE_CUDA = 190 };

static int fail(const struct elf *elf, struct err *err, uint64_t offset, const char *what)
{
    return err_set(err, ERR_FORMAT, "%s: byte %llu: %s", elf->name, (unsigned long long)offset, what);
}

static const char *foreign(const unsigned char *image, size_t bytes)
{
    static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba};

    if (bytes >= 4 && !memcmp(image, fatbin, 4))
        return "is a fatbin, not a cubin: extract the cubin first";
    if (bytes >= 8 && (memmem(image, bytes < 4096 ? bytes : 4096, ".version", 8)))
        return "is PTX text, not a cubin: compile it with -arch=sm_XX";
    return "is no ELF file, so no cubin";
}

static int check_section(const struct elf *elf, unsigned i, struct err *err)
{
    const Elf64_Shdr section = elf_section(elf, i);
    const uint64_t at = elf->header.e_shoff + (uint64_t)i * sizeof section;

    if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL)
        return section.sh_size > UINT32_MAX ? fail(elf, err, at, "a section is larger than any GPU's memory")
                                            : 0;
    if (section.sh_offset > elf->bytes || section.sh_size > elf->bytes - section.sh_offset)
        return fail(elf, err, at, "a section reaches past the end: the file is cut");
    return 0;
}

int elf_open(struct elf *out, const unsigned char *image, size_t bytes, const char *name, struct err *err)
{
    int rc = 0;

    *out = (struct elf){.image = image, .bytes = bytes, .name = name};
    if (bytes < sizeof out->header || memcmp(image, ELFMAG, SELFMAG))
        return err_set(err, ERR_FORMAT, "%s: %s", name, foreign(image, bytes));
    memcpy(&out->header, image, sizeof out->header);
    if (out->header.e_ident[EI_CLASS] != ELFCLASS64 || out->header.e_ident[EI_DATA] != ELFDATA2LSB)
        return fail(out, err, EI_CLASS, "is no 64-bit little-endian ELF file");
    if (out->header.e_machine != MACHINE_CUDA)
        return fail(out, err, offsetof(Elf64_Ehdr, e_machine),
                    "is an ELF file for another machine than a CUDA GPU");
    if (out->header.e_shentsize != sizeof(Elf64_Shdr))
        return fail(out, err, offsetof(Elf64_Ehdr, e_shentsize), "section headers have an unknown size");
    if (out->header.e_shoff > bytes ||
        (bytes - out->header.e_shoff) / sizeof(Elf64_Shdr) < out->header.e_shnum)
        return fail(out, err, offsetof(Elf64_Ehdr, e_shoff),
                    "the section headers reach past the end: the file is cut");
    out->section_count = out->header.e_shnum;
    for (unsigned i = 0; i < out->section_count && !rc; i++)
        rc = check_section(out, i, err);
    return rc;
}

Elf64_Shdr elf_section(const struct elf *elf, unsigned i)
{
    Elf64_Shdr section;

    memcpy(&section, elf->image + elf->header.e_shoff + (size_t)i * sizeof section, sizeof section);
    return section;
}

const unsigned char *elf_content(const struct elf *elf, const Elf64_Shdr *section)
{
    return section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL ? NULL
                                                                          : elf->image + section->sh_offset;
}

const char *elf_text(const struct elf *elf, unsigned table, uint32_t offset)
{
    Elf64_Shdr section;
    const char *text;

    if (table >= elf->section_count)
        return "";
    section = elf_section(elf, table);
    if (section.sh_type != SHT_STRTAB || offset >= section.sh_size)
        return "";
    text = (const char *)elf->image + section.sh_offset + offset;
    return memchr(text, '\0', section.sh_size - offset) ? text : "";
}

const char *elf_section_name(const struct elf *elf, unsigned i)
{
    return elf_text(elf, elf->header.e_shstrndx, elf_section(elf, i).sh_name);
}
