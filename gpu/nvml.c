#include "gpu/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

/* As nvml.h declares them; that header comes with no driver and with few toolkits. */
typedef struct nvml_device *device_handle;
enum { NVML_SUCCESS = 0, NVML_NO_PERMISSION = 4 };
enum nvml_clock { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };

#define FUNCTIONS(X)                                                                                         \
    X(init, "nvmlInit_v2", (void))                                                                           \
    X(shutdown, "nvmlShutdown", (void))                                                                      \
    X(find, "nvmlDeviceGetHandleByPciBusId_v2", (const char *, device_handle *))                             \
    X(energy, "nvmlDeviceGetTotalEnergyConsumption", (device_handle, unsigned long long *))                  \
    X(limit, "nvmlDeviceGetEnforcedPowerLimit", (device_handle, unsigned *))                                 \
    X(default_limit, "nvmlDeviceGetPowerManagementDefaultLimit", (device_handle, unsigned *))                \
    X(clock, "nvmlDeviceGetClockInfo", (device_handle, enum nvml_clock, unsigned *))                         \
    X(clock_most, "nvmlDeviceGetMaxClockInfo", (device_handle, enum nvml_clock, unsigned *))                 \
    X(lock_sm, "nvmlDeviceSetGpuLockedClocks", (device_handle, unsigned, unsigned))                          \
    X(unlock_sm, "nvmlDeviceResetGpuLockedClocks", (device_handle))                                          \
    X(lock_memory, "nvmlDeviceSetMemoryLockedClocks", (device_handle, unsigned, unsigned))                   \
    X(unlock_memory, "nvmlDeviceResetMemoryLockedClocks", (device_handle))

struct nvml {
#define FIELD(field, symbol, parameters) int(*field) parameters;
    FUNCTIONS(FIELD)
#undef FIELD
    const char *(*error)(int);
    device_handle device;
    void *library;
};

static const char *why(const struct nvml *nvml, int result)
{
    return nvml->error ? nvml->error(result) : "unknown error";
}

static int load(struct nvml *nvml, struct err *err)
{
    const char *named = getenv("OCCUTUNE_NVML");
    const char *path = named && *named ? named : "libnvidia-ml.so.1";

    nvml->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library)
        return err_set(err, ERR_MISSING, "no NVML: %s", dlerror());
#define LOAD(field, symbol, parameters) *(void **)&nvml->field = dlsym(nvml->library, symbol);
    FUNCTIONS(LOAD)
#undef LOAD
    *(void **)&nvml->error = dlsym(nvml->library, "nvmlErrorString");
    if (!nvml->init || !nvml->shutdown || !nvml->find)
        return err_set(err, ERR_MISSING, "%s is no NVML", path);
    return 0;
}

int nvml_open(struct nvml **out, const char *pci, struct err *err)
{
    struct nvml *nvml = calloc(1, sizeof *nvml);
    int rc, result;

    *out = NULL;
    if (!nvml)
        return err_memory(err);
    rc = load(nvml, err);
    if (!rc) {
        result = nvml->init();
        if (result)
            rc = err_set(err, ERR_MISSING, "NVML does not start: %s", why(nvml, result));
    }
    if (rc) {
        if (nvml->library)
            dlclose(nvml->library);
        free(nvml);
        return rc;
    }
    result = nvml->find(pci, &nvml->device);
    if (result) {
        err_set(err, ERR_MISSING, "NVML does not find the GPU at %s: %s", pci, why(nvml, result));
        nvml_close(nvml);
        return ERR_MISSING;
    }
    *out = nvml;
    return 0;
}

void nvml_close(struct nvml *nvml)
{
    if (!nvml)
        return;
    nvml->shutdown();
    dlclose(nvml->library);
    free(nvml);
}

int nvml_energy(double *joules, const struct nvml *nvml, struct err *err)
{
    unsigned long long millijoules = 0;
    int result;

    *joules = 0;
    if (!nvml->energy)
        return err_set(err, ERR_MISSING, "this NVML has no counter of energy");
    result = nvml->energy(nvml->device, &millijoules);
    if (result)
        return err_set(err, ERR_MISSING, "this GPU has no counter of energy: %s", why(nvml, result));
    *joules = 1e-3 * (double)millijoules;
    return 0;
}

static double watts(const struct nvml *nvml, int (*ask)(device_handle, unsigned *))
{
    unsigned milliwatts;

    return ask && !ask(nvml->device, &milliwatts) ? 1e-3 * milliwatts : NAN;
}

static double hertz(const struct nvml *nvml, int (*ask)(device_handle, enum nvml_clock, unsigned *),
                    enum nvml_clock which)
{
    unsigned mhz;

    return ask && !ask(nvml->device, which, &mhz) ? 1e6 * mhz : NAN;
}

void nvml_describe(struct power *out, const struct nvml *nvml)
{
    power_init(out);
    out->limit_w = watts(nvml, nvml->limit);
    out->default_limit_w = watts(nvml, nvml->default_limit);
    out->sm_clock_hz = hertz(nvml, nvml->clock, NVML_CLOCK_SM);
    out->sm_clock_most_hz = hertz(nvml, nvml->clock_most, NVML_CLOCK_SM);
    out->memory_clock_hz = hertz(nvml, nvml->clock, NVML_CLOCK_MEMORY);
}

static int lock(const struct nvml *nvml, int (*set)(device_handle, unsigned, unsigned), unsigned mhz,
                const char *what, struct err *err)
{
    int result;

    if (!mhz)
        return 0;
    if (!set)
        return err_set(err, ERR_USAGE, "this NVML does not lock the %s clock", what);
    result = set(nvml->device, mhz, mhz);
    if (result)
        return err_set(err, ERR_USAGE, "the %s clock cannot be set to %u MHz: %s%s", what, mhz,
                       why(nvml, result),
                       result == NVML_NO_PERMISSION ? " (it takes root, or an administrator's leave)" : "");
    return 0;
}

int nvml_lock(const struct nvml *nvml, const struct clock_setting *clocks, struct err *err)
{
    const struct clock_setting sm = {.sm_mhz = clocks->sm_mhz};
    int rc = lock(nvml, nvml->lock_sm, clocks->sm_mhz, "SM", err);

    if (rc)
        return rc;
    rc = lock(nvml, nvml->lock_memory, clocks->memory_mhz, "memory", err);
    if (rc)
        nvml_unlock(nvml, &sm);
    return rc;
}

void nvml_unlock(const struct nvml *nvml, const struct clock_setting *clocks)
{
    if (clocks->sm_mhz && nvml->unlock_sm)
        nvml->unlock_sm(nvml->device);
    if (clocks->memory_mhz && nvml->unlock_memory)
        nvml->unlock_memory(nvml->device);
}
