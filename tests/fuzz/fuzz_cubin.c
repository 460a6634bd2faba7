/* Reads any bytes as a cubin; what it holds must lie inside the image, and its code, whatever it is, must
 * decode, have a control flow and print. */
#include "fuzz.h"

#include "model/sass/inspect.h"

#include <stdlib.h>

static void check_inside(const struct cubin *cubin, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;

    if (bytes && (p < cubin->image || size > cubin->image_bytes ||
                  (size_t)(p - cubin->image) > cubin->image_bytes - size))
        abort();
}

static void check_kernel(const struct cubin *cubin, const struct cubin_kernel *kernel, FILE *out)
{
    check_inside(cubin, kernel->code, kernel->code_bytes);
    for (int bank = 0; bank < CUBIN_BANKS; bank++)
        check_inside(cubin, kernel->banks[bank].bytes, kernel->banks[bank].size);
    inspect_text(out, kernel, true, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cubin cubin;
    FILE *out;

    if (cubin_init(&cubin, bytes, size, "fuzz.cubin", NULL))
        return 0;
    out = fopen("/dev/null", "w");
    for (size_t i = 0; i < cubin.kernel_count && out; i++)
        check_kernel(&cubin, &cubin.kernels[i], out);
    for (size_t i = 0; i < cubin.symbol_count; i++)
        check_inside(&cubin, cubin.symbols[i].bytes, cubin.symbols[i].size);
    for (size_t i = 0; i < cubin.relocation_count; i++)
        if (cubin.relocations[i].symbol - cubin.symbols >= (ptrdiff_t)cubin.symbol_count)
            abort();
    if (out)
        fclose(out);
    cubin_release(&cubin);
    return 0;
}
