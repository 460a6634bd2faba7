#include "warp_trace/instrument.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A scope whose end is the kernel's, by whichever return. The special registers are read anew there, so that
 * nothing is kept for it. Threads of a warp that leave together elect one to record. */
static const char *const recorder =
    "struct warp_trace_scope {\n"
    "    unsigned long long *words;\n"
    "    __device__ __forceinline__ static unsigned long long now()\n"
    "    {\n"
    "        unsigned long long cycles;\n"
    "        asm volatile(\"mov.u64 %0, %%clock64;\" : \"=l\"(cycles)::\"memory\");\n"
    "        return cycles;\n"
    "    }\n"
    "    __device__ __forceinline__ unsigned long long *own(unsigned *thread) const\n"
    "    {\n"
    "        unsigned x, y, z, bx, by, bz;\n"
    "        asm volatile(\"mov.u32 %0, %%tid.x; mov.u32 %1, %%tid.y; mov.u32 %2, %%tid.z;\" : \"=r\"(x), "
    "\"=r\"(y), \"=r\"(z));\n"
    "        asm volatile(\"mov.u32 %0, %%ctaid.x; mov.u32 %1, %%ctaid.y; mov.u32 %2, %%ctaid.z;\" : "
    "\"=r\"(bx), \"=r\"(by), \"=r\"(bz));\n"
    "        *thread = x + blockDim.x * (y + blockDim.y * z);\n"
    "        const unsigned warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;\n"
    "        const unsigned long long block = bx + (unsigned long long)gridDim.x * (by + (unsigned long "
    "long)gridDim.y * bz);\n"
    "        return words + 2 * (block * warps + *thread / 32);\n"
    "    }\n"
    "    __device__ __forceinline__ warp_trace_scope(unsigned long long *to) : words(to)\n"
    "    {\n"
    "        const unsigned long long begun = now();\n"
    "        unsigned thread, sm;\n"
    "        unsigned long long *const at = own(&thread);\n"
    "        asm volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(sm));\n"
    "        if (thread % 32 == 0)\n"
    "            at[0] = begun | (unsigned long long)sm << 48;\n"
    "    }\n"
    "    __device__ __forceinline__ ~warp_trace_scope()\n"
    "    {\n"
    "        unsigned thread;\n"
    "        unsigned long long *const at = own(&thread);\n"
    "        if (thread % 32 == __ffs(__activemask()) - 1)\n"
    "            atomicMax(at + 1, now());\n"
    "    }\n"
    "};\n";

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind a comment or a quoted text that starts at `at`; `at` itself where none does. */
static const char *skip(const char *at)
{
    const char quote = *at;

    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        at = strstr(at + 2, "*/");
        return at ? at + 2 : "";
    }
    if (quote != '"' && quote != '\'')
        return at;
    for (at++; *at && *at != quote; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

/* The parenthesis that closes the one at `at`; null when the text ends before. */
static const char *closing(const char *at)
{
    int depth = 0;

    while (*at) {
        const char *behind = skip(at);

        if (behind != at) {
            at = behind;
            continue;
        }
        depth += (*at == '(') - (*at == ')');
        if (!depth)
            return at;
        at++;
    }
    return NULL;
}

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* The parentheses of the parameters of a definition of `name`, and the brace of its body. */
static bool find_definition(const char *found[3], const char *text, const char *name, size_t length)
{
    const char *at = text, *behind;

    while (*at) {
        behind = skip(at);
        if (behind != at) {
            at = behind;
            continue;
        }
        if (!in_name(*at)) {
            at++;
            continue;
        }
        for (behind = at; in_name(*behind); behind++)
            ;
        if ((size_t)(behind - at) == length && !strncmp(at, name, length) && *skip_space(behind) == '(') {
            found[0] = skip_space(behind);
            found[1] = closing(found[0]);
            found[2] = found[1] ? skip_space(found[1] + 1) : "";
            if (*found[2] == '{')
                return true;
        }
        at = behind;
    }
    return false;
}

int instrument(char **out, const char *text, const char *kernel, struct err *err)
{
    const size_t whole = strcspn(kernel, "<");
    const char *found[3], *name = kernel + whole;
    size_t size;
    FILE *stream;

    *out = NULL;
    while (name > kernel && in_name(name[-1]))
        name--;
    if (!find_definition(found, text, name, (size_t)(kernel + whole - name)))
        return err_set(err, ERR_USAGE, "there is no definition of %s to record the warps of", kernel);
    stream = open_memstream(out, &size);
    if (!stream)
        return err_memory(err);
    fprintf(stream, "%s#line 1\n%.*s%s unsigned long long *" WARP_TRACE_BUFFER, recorder,
            (int)(found[1] - text), text, skip_space(found[0] + 1) == found[1] ? "" : ",");
    fprintf(stream, "%.*s warp_trace_scope warp_trace_recorder(" WARP_TRACE_BUFFER ");%s",
            (int)(found[2] + 1 - found[1]), found[1], found[2] + 1);
    if (fclose(stream) != 0) {
        free(*out);
        *out = NULL;
        return err_memory(err);
    }
    return 0;
}
