/* An NVRTC that does as the source says: one with "fine" in it compiles, "memory" or "internal" makes NVRTC
 * itself fail, every other one has an error; "slow" takes its time, "endless" 20 s of a core,
 * "asleep" 2 s of none; "crash"
 * ends the process. Each compile adds a byte
 * to the file FAKE_NVRTC_CALLS. */
#include <nvrtc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct _nvrtcProgram {
    nvrtcResult result;
    int crashes;
    useconds_t microseconds; /* that a compile takes */
    int spins;
};

static const char code_text[] = "machine code";
static const char log_text[] = "k.cu(1): error: as told\n";

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    *count = 2;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *known)
{
    known[0] = 90;
    known[1] = 100;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int count,
                               const char *const *headers, const char *const *names)
{
    static struct _nvrtcProgram only;

    (void)name, (void)count, (void)headers, (void)names;
    only.result = strstr(source, "memory")     ? NVRTC_ERROR_OUT_OF_MEMORY
                  : strstr(source, "internal") ? NVRTC_ERROR_INTERNAL_ERROR
                  : strstr(source, "fine")     ? NVRTC_SUCCESS
                                               : NVRTC_ERROR_COMPILATION;
    only.microseconds = strstr(source, "asleep") ? 2000000 : strstr(source, "slow") ? 300000 : 0;
    only.spins = strstr(source, "endless") != NULL;
    only.crashes = strstr(source, "crash") != NULL;
    *program = &only;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    const char *calls = getenv("FAKE_NVRTC_CALLS");
    FILE *file = calls ? fopen(calls, "a") : NULL;

    (void)count, (void)options;
    if (file) {
        fputc('.', file);
        fclose(file);
    }
    usleep(program->microseconds);
    while (program->spins && clock() < 20 * CLOCKS_PER_SEC)
        ;
    if (program->crashes)
        abort();
    return program->result;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *name)
{
    (void)program, (void)name;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *name, const char **lowered)
{
    *lowered = name;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
    *size = program->result == NVRTC_ERROR_COMPILATION ? sizeof log_text : 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    memcpy(log, log_text, sizeof log_text);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
    *size = program->result ? 0 : sizeof code_text;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *code)
{
    memcpy(code, code_text, sizeof code_text);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
    return nvrtcGetCUBINSize(program, size);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *code)
{
    return nvrtcGetCUBIN(program, code);
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
    return result == NVRTC_ERROR_OUT_OF_MEMORY ? "NVRTC_ERROR_OUT_OF_MEMORY" : "NVRTC_ERROR_INTERNAL_ERROR";
}
