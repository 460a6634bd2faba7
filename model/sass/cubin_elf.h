/* The ELF file under a cubin: checked sections and names. Inside model/ only. */
#ifndef MODEL_CUBIN_ELF_H
#define MODEL_CUBIN_ELF_H

#include "base/err.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
    const unsigned char *image;
    size_t bytes;
    const char *name; /* of the file, for messages */
    Elf64_Ehdr header;
    unsigned section_count;
};

/* Checks the header and every section header: what section() and content() give lies inside the image.
 * ERR_FORMAT says what is wrong and at which offset. */
int elf_open(struct elf *out, const unsigned char *image, size_t bytes, const char *name, struct err *err);

/* Section header i < section_count. */
Elf64_Shdr elf_section(const struct elf *elf, unsigned i);

/* Bytes of a section; null for one without bytes in the file. */
const unsigned char *elf_content(const struct elf *elf, const Elf64_Shdr *section);

/* The zero-terminated text at `offset` of string table section `table`; "" where there is none. */
const char *elf_text(const struct elf *elf, unsigned table, uint32_t offset);
const char *elf_section_name(const struct elf *elf, unsigned i);

#endif
