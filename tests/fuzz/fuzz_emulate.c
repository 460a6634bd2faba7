/* Emulates any bytes as the code of a kernel of two buffers and a number: the first byte chooses architecture
 * and mode. Whatever it is, it ends within its budget, at an instruction of the code and with a reason. */
#include "fuzz.h"

#include "model/emulate/emulate.h"

#include <stdlib.h>

enum { BUDGET = 4000, COUNT = 256, MOST = 300 * SASS_BYTES };

static void check_result(const struct emulate_result *result, const struct sass_code *code)
{
    if (result->end >= EMULATE_END_COUNT || result->executed > EMULATE_FIRST_TIMES * BUDGET + 1)
        abort();
    if (result->end != EMULATE_DONE && (!result->reason[0] || result->pc / SASS_BYTES >= code->count))
        abort();
}

static void emulate(const struct cubin *cubin, const struct cubin_kernel *kernel, enum emulate_mode mode)
{
    int32_t n = COUNT;
    struct argument arguments[] = {
        {.kind = ARGUMENT_BUFFER, .name = "a", .type = ELEMENT_FLOAT32, .count = COUNT, .fill = {.b = 1}},
        {.kind = ARGUMENT_BUFFER, .name = "b", .type = ELEMENT_INT32, .count = COUNT, .role = ROLE_OUT},
        {.kind = ARGUMENT_SCALAR, .bytes = (unsigned char *)&n, .size = sizeof n},
    };
    const struct launch launch = {.grid = {2, 1, 1},
                                  .block = {64, 1, 1},
                                  .shared_bytes = 256,
                                  .carveout = -1,
                                  .arguments = arguments,
                                  .argument_count = 3};
    const struct emulate_options options = {.mode = mode, .budget = BUDGET};
    struct emulate_result result;
    struct emulation *emulation;
    struct sass_code code;

    if (sass_read(&code, kernel, NULL))
        return;
    if (!emulation_open(&emulation, cubin, kernel, &code, &launch, &options, NULL)) {
        if (!emulate_sample(&result, emulation, 2, NULL))
            check_result(&result, &code);
        emulate_result_release(&result);
        emulation_close(emulation);
    }
    sass_release(&code);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const unsigned sms[] = {80, 90, 120, 75}, bases[] = {0x160, 0x210, 0x380, 0x160};
    struct cubin_parameter parameters[] = {{0, 8}, {8, 8}, {16, 4}};
    struct cubin_symbol symbol = {.name = ""};
    struct cubin_kernel kernel = {.name = "fuzz", .parameters = parameters, .parameter_count = 3};
    struct cubin cubin = {.kernels = &kernel, .kernel_count = 1, .symbols = &symbol, .symbol_count = 1};

    if (size < 1 + SASS_BYTES || size > MOST)
        return 0;
    cubin.sm = kernel.resources.sm = sms[bytes[0] & 3];
    kernel.parameter_base = bases[bytes[0] & 3];
    kernel.parameter_bytes = 20;
    kernel.resources.registers = 255;
    kernel.resources.shared_bytes = 1024;
    kernel.resources.local_bytes = 64;
    kernel.code = bytes + 1;
    kernel.code_bytes = (size - 1) / SASS_BYTES * SASS_BYTES;
    emulate(&cubin, &kernel, bytes[0] & 4 ? EMULATE_FULL : EMULATE_SLICED);
    return 0;
}
