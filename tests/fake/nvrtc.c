/* An NVRTC that fails as the source says: a source with "memory" or "internal" in it makes NVRTC itself fail,
 * every other one has an error. */
#include <nvrtc.h>

#include <string.h>

struct _nvrtcProgram {
    nvrtcResult result;
};

static const char log_text[] = "k.cu(1): error: as told\n";

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int count,
                               const char *const *headers, const char *const *names)
{
    static struct _nvrtcProgram only;

    (void)name, (void)count, (void)headers, (void)names;
    only.result = strstr(source, "memory")     ? NVRTC_ERROR_OUT_OF_MEMORY
                  : strstr(source, "internal") ? NVRTC_ERROR_INTERNAL_ERROR
                                               : NVRTC_ERROR_COMPILATION;
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
    (void)count, (void)options;
    return program->result;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *name)
{
    (void)program, (void)name;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *name, const char **lowered)
{
    (void)program;
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
    (void)program;
    memcpy(log, log_text, sizeof log_text);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
    (void)program;
    *size = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *code)
{
    (void)program, (void)code;
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
