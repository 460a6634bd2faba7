/* Symbols and relocations of a cubin, and what its sections' names say. For cubin.c. */
#ifndef MODEL_SASS_CUBIN_SYMBOLS_H
#define MODEL_SASS_CUBIN_SYMBOLS_H

#include "model/sass/cubin.h"
#include "model/sass/cubin_elf.h"

#define CUBIN_TEXT ".text."

/* "K" of ".text.K" when `name` begins with `prefix`; else null. */
const char *section_after(const char *name, const char *prefix);

/* ".nv.constantN" and ".nv.constantN.K": the bank, or -1. */
int section_bank(const char *name, const char **kernel);

/* Adds what sections of a type hold: SHT_SYMTAB, then SHT_REL and SHT_RELA. */
int cubin_read_symbols(struct cubin *cubin, const struct elf *elf, uint32_t type, struct err *err);

#endif
