#include "model/predict/limit.h"

const char *limited_text(enum limited_by limited, enum resource limiter)
{
    static const char *const texts[LIMITED_COUNT] = {[LIMITED_LATENCY] = "latency",
                                                     [LIMITED_DISPATCH] = "dispatch of blocks",
                                                     [LIMITED_BLOCK] = "the longest block"};

    return texts[limited] ? texts[limited] : resource_name(limiter);
}
