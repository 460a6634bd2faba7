#include "tuner/predict/request.h"

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
