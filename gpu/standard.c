#include "gpu/standard.h"

#include <string.h>

/* What libcu++ has in cuda::std is found in std where that lacks it; its integers are global. */
#define OF_LIBCUXX(name) "#pragma once\n#include <cuda/std/" name ">\n"
#define AS_STD(name)     OF_LIBCUXX(name) "namespace std { using namespace cuda::std; }\n"
#define BUILT_IN         "#pragma once\n" /* assert(), printf(), memcpy(), malloc(), sinf(), size_t, bool, ... */

#define DEFINE_MISSING(name, value) "#ifndef " name "\n#define " name " " value "\n#endif\n"
#define CONSTANTS                                                                                            \
    DEFINE_MISSING("INFINITY", "__int_as_float(0x7f800000)")                                                 \
    DEFINE_MISSING("NAN", "__int_as_float(0x7fffffff)")                                                      \
    DEFINE_MISSING("M_E", "2.71828182845904523536")                                                          \
    DEFINE_MISSING("M_LN2", "0.69314718055994530942")                                                        \
    DEFINE_MISSING("M_LOG2E", "1.44269504088896340736")                                                      \
    DEFINE_MISSING("M_PI", "3.14159265358979323846")                                                         \
    DEFINE_MISSING("M_PI_2", "1.57079632679489661923")                                                       \
    DEFINE_MISSING("M_PI_4", "0.78539816339744830962")                                                       \
    DEFINE_MISSING("M_1_PI", "0.31830988618379067154")                                                       \
    DEFINE_MISSING("M_SQRT2", "1.41421356237309504880")                                                      \
    DEFINE_MISSING("M_SQRT1_2", "0.70710678118654752440")
#define FLOATS                                                                                               \
    DEFINE_MISSING("FLT_RADIX", "2")                                                                         \
    DEFINE_MISSING("FLT_DIG", "6")                                                                           \
    DEFINE_MISSING("FLT_MANT_DIG", "24")                                                                     \
    DEFINE_MISSING("FLT_EPSILON", "1.1920928955078125e-7f")                                                  \
    DEFINE_MISSING("FLT_MIN", "1.17549435082228751e-38f")                                                    \
    DEFINE_MISSING("FLT_MAX", "3.40282346638528860e+38f")                                                    \
    DEFINE_MISSING("DBL_DIG", "15")                                                                          \
    DEFINE_MISSING("DBL_MANT_DIG", "53")                                                                     \
    DEFINE_MISSING("DBL_EPSILON", "2.2204460492503131e-16")                                                  \
    DEFINE_MISSING("DBL_MIN", "2.2250738585072014e-308")                                                     \
    DEFINE_MISSING("DBL_MAX", "1.7976931348623157e+308")

static const struct {
    const char *name, *text;
} standard[] = {
    {"assert.h", BUILT_IN},
    {"cassert", BUILT_IN},
    {"float.h", BUILT_IN FLOATS},
    {"cfloat", BUILT_IN FLOATS},
    {"limits.h", OF_LIBCUXX("climits")},
    {"climits", OF_LIBCUXX("climits")},
    {"math.h", BUILT_IN CONSTANTS},
    {"cmath", AS_STD("cmath") CONSTANTS},
    {"stdbool.h", BUILT_IN},
    {"stddef.h", OF_LIBCUXX("cstddef")},
    {"cstddef", AS_STD("cstddef")},
    {"stdint.h", OF_LIBCUXX("cstdint")},
    {"cstdint", AS_STD("cstdint")},
    {"stdio.h", BUILT_IN},
    {"cstdio", BUILT_IN},
    {"stdlib.h", BUILT_IN},
    {"cstdlib", AS_STD("cstdlib")},
    {"string.h", BUILT_IN},
    {"cstring", AS_STD("cstring")},
    {"array", AS_STD("array")},
    {"functional", AS_STD("functional")},
    {"limits", AS_STD("limits")},
    {"tuple", AS_STD("tuple")},
    {"type_traits", AS_STD("type_traits")},
    {"utility", AS_STD("utility")},
};

const char *standard_missing(const char **text, const char *error)
{
    static const char begin[] = "cannot open source file \"";
    const char *name = strstr(error, begin), *end;

    name = name ? name + sizeof begin - 1 : NULL;
    end = name ? strchr(name, '"') : NULL;
    for (size_t i = 0; end && i < sizeof standard / sizeof *standard; i++)
        if (strlen(standard[i].name) == (size_t)(end - name) &&
            !memcmp(standard[i].name, name, (size_t)(end - name))) {
            *text = standard[i].text;
            return standard[i].name;
        }
    return NULL;
}
