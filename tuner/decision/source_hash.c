#include "tuner/decision/source_hash.h"

#include "base/file.h"
#include "base/hash.h"
#include "gpu/sources.h"

#include <stdlib.h>

int source_hash(uint64_t *out, const struct variant *variant, struct err *err)
{
    const struct compile_request request = {.source_path = variant->source_path,
                                            .name = variant->name,
                                            .options = (const char *const *)variant->options,
                                            .option_count = variant->option_count,
                                            .arch = ""};
    struct sources_files files = {0};
    struct sources_hash hash;
    char *text = NULL;
    size_t size;
    int rc = variant_source_hash(out, variant, err);

    if (!rc)
        rc = file_read(&text, &size, variant->source_path, err);
    if (!rc)
        rc = sources_list(&files, &hash, &request, text, err);
    for (size_t i = 1; i < files.count && !rc; i++)
        *out = hash_bytes(*out, files.files[i].text, files.files[i].size);
    sources_files_release(&files);
    free(text);
    return rc;
}
