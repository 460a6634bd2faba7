/* How many instructions of code that is not ours the decoder knows: compiles the sources beside it, which
 * call the CUDA headers' device functions, for one architecture and counts.
 *
 *     coverage SOURCE_FOLDER CUDA_INCLUDES sm_90
 *
 * Exit status 0 when at least 99.9 % are known, 1 when fewer, 77 without NVRTC. */
#include "gpu/compile.h"
#include "model/sass/sass.h"
#include "model/sass/cubin.h"

#include <stdio.h>

static const struct {
    const char *file, *entry;
} sources[] = {
    {"math.cu", "float_functions"}, {"half.cu", "half_scalars"}, {"warp.cu", "lanes"},
    {"block.cu", "block_int"},      {"matrix.cu", "halves"},
};

struct tally {
    size_t instructions, unknown, unclaimed;
};

static int count_kernels(struct tally *tally, const struct cubin *cubin, struct err *err)
{
    struct sass_code code;

    for (size_t k = 0; k < cubin->kernel_count; k++) {
        if (sass_read(&code, &cubin->kernels[k], err))
            return err->code;
        tally->instructions += code.count;
        tally->unknown += code.unknown;
        tally->unclaimed += code.unclaimed;
        for (size_t i = 0; i < code.count; i++)
            if (code.instructions[i].op == SASS_UNKNOWN)
                printf("  unknown opcode 0x%04x at %s+0x%x\n", code.instructions[i].opcode,
                       cubin->kernels[k].name, code.instructions[i].pc);
        sass_release(&code);
    }
    return 0;
}

static int count_source(struct tally *tally, struct compiler *compiler, const char *folder,
                        const char *includes, const char *arch, size_t source, struct err *err)
{
    char path[1024], include[1024], libraries[1024];
    const char *const options[] = {"--std=c++17", include, libraries, "-default-device"};
    struct compile_request request = {.source_path = path,
                                      .name = sources[source].entry,
                                      .options = options,
                                      .option_count = sizeof options / sizeof options[0],
                                      .arch = arch,
                                      .deadline_s = 300};
    struct compile_result result;
    struct cubin cubin;
    int rc;

    snprintf(path, sizeof path, "%s/%s", folder, sources[source].file);
    snprintf(include, sizeof include, "-I%s", includes);
    snprintf(libraries, sizeof libraries, "-I%s/cccl", includes);
    rc = compile_cubin(&result, compiler, &request, err);
    if (rc)
        return rc;
    if (result.outcome != OUTCOME_OK)
        rc =
            err_set(err, ERR_USAGE, "%s for %s: %s", path, arch, result.diagnostic ? result.diagnostic : "?");
    if (!rc)
        rc = cubin_init(&cubin, result.cubin, result.cubin_bytes, path, err);
    if (!rc) {
        rc = count_kernels(tally, &cubin, err);
        cubin_release(&cubin);
    }
    compile_result_release(&result);
    return rc;
}

int main(int argc, char **argv)
{
    struct compiler *compiler;
    struct tally tally = {0};
    struct err err = {0};
    int rc;

    if (argc != 4) {
        fprintf(stderr, "usage: %s SOURCE_FOLDER CUDA_INCLUDES sm_XX\n", argv[0]);
        return 2;
    }
    rc = compiler_open(&compiler, NULL, NULL, &err);
    if (rc) {
        fprintf(stderr, "skipped: %s\n", err.text);
        return rc == ERR_MISSING ? 77 : 1;
    }
    for (size_t i = 0; i < sizeof sources / sizeof sources[0] && !rc; i++)
        rc = count_source(&tally, compiler, argv[1], argv[2], argv[3], i, &err);
    compiler_close(compiler);
    if (rc) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("%s: %zu instructions, %zu unknown, %zu with unclaimed bits\n", argv[3], tally.instructions,
           tally.unknown, tally.unclaimed);
    return tally.instructions < 10000 || tally.unknown * 1000 > tally.instructions;
}
