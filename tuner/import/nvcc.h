/* The flags of a project's nvcc command, as options of a spec's kernel: what NVRTC takes, in its words, and by name what
 * it does not. */
#ifndef TUNER_IMPORT_NVCC_H
#define TUNER_IMPORT_NVCC_H

#include "base/err.h"

#include <stddef.h>

struct nvcc_left {
    char *option;    /* with its value: "-Xcompiler -fPIC" */
    const char *why; /* "of the host's compiler" */
};

struct nvcc_flags {
    char *file; /* the source; null where the command names none */
    char **options;
    size_t option_count;
    struct nvcc_left *left;
    size_t left_count;
};

/* Reads a command, its program first; words before "nvcc" (ccache, VARIABLE=value) are passed over. Relative folders of
 * headers start at `directory`. ERR_USAGE: no nvcc in it, an option without its value, several sources. */
int nvcc_read(struct nvcc_flags *out, const char *const *words, size_t count, const char *directory,
              struct err *err);

/* The same of a compile_commands.json: the entry of `file`, by its path or the end of it; null: the only one that is
 * compiled by nvcc. ERR_USAGE names those there are. */
int nvcc_read_database(struct nvcc_flags *out, const char *path, const char *file, struct err *err);

void nvcc_flags_release(struct nvcc_flags *flags); /* also an empty one */

/* The words of a command line as a POSIX shell splits it: quotes and backslashes, and nothing expanded. The caller
 * frees each, and the list. ERR_USAGE: a quote that does not end. */
int command_words(char ***out, size_t *count, const char *text, struct err *err);
void command_words_free(char **words, size_t count);

#endif
