#include "tuner/predict/request.h"

#include "gpu/sources.h"

struct compile_request request_of(const struct variant *variant, const char *arch, double deadline_s)
{
    return (struct compile_request){.source_path = variant->source_path,
                                    .name = variant->name,
                                    .options = (const char *const *)variant->options,
                                    .option_count = variant->option_count,
                                    .tuned_count = variant->tuned_count,
                                    .arch = arch,
                                    .deadline_s = deadline_s};
}

uint64_t request_code(const struct compile_request *request, const char *text)
{
    struct sources_hash hash;

    return sources_hash(&hash, request, text, NULL) || !hash.complete ? 0 : hash.code;
}
