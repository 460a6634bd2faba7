/* The pretended GPU's NVML, as far as gpu/nvml.c uses it: OCCUTUNE_NVML names the same library as
 * OCCUTUNE_CUDA_DRIVER. FAKE_NVML=none: it does not start; =uncounted: no counter of energy; =refused: clocks may
 * not be set. FAKE_NVML_S: so many seconds pass until it has started. Calls that set something are appended to the file that FAKE_NVML_LOG names. */
#include "fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, UNINITIALIZED = 1, NOT_SUPPORTED = 3, NO_PERMISSION = 4, NOT_FOUND = 6 };

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int result);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts);
int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *milliwatts);
int nvmlDeviceGetClockInfo(void *device, int which, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int which, unsigned *mhz);
int nvmlDeviceSetGpuLockedClocks(void *device, unsigned least, unsigned most);
int nvmlDeviceResetGpuLockedClocks(void *device);
int nvmlDeviceSetMemoryLockedClocks(void *device, unsigned least, unsigned most);
int nvmlDeviceResetMemoryLockedClocks(void *device);

static bool pretends(const char *what)
{
    const char *named = getenv("FAKE_NVML");

    return named && !strcmp(named, what);
}

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    const char *path = getenv("FAKE_NVML_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    va_list args;

    if (!file)
        return;
    va_start(args, format);
    vfprintf(file, format, args);
    va_end(args);
    fclose(file);
}

int nvmlInit_v2(void)
{
    const char *seconds = getenv("FAKE_NVML_S");

    if (seconds)
        usleep((useconds_t)(1e6 * strtod(seconds, NULL)));
    return pretends("none") ? UNINITIALIZED : SUCCESS;
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

const char *nvmlErrorString(int result)
{
    static const char *const texts[] = {[SUCCESS] = "Success",
                                        [UNINITIALIZED] = "Uninitialized",
                                        [NOT_SUPPORTED] = "Not Supported",
                                        [NO_PERMISSION] = "Insufficient Permissions",
                                        [NOT_FOUND] = "Not Found"};

    return result >= 0 && result <= NOT_FOUND && texts[result] ? texts[result] : "Unknown Error";
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device)
{
    *device = &fake;
    return strncmp(pci, "0000:", 5) ? NOT_FOUND : SUCCESS;
}

/* Joules up to a moment: what idles, and what was queued less what is not done by then. */
static double joules_at(uint64_t ns)
{
    const double waiting_s = fake.busy_until_ns > ns ? 1e-9 * (double)(fake.busy_until_ns - ns) : 0;

    return FAKE_IDLE_WATTS * 1e-9 * (double)ns + fake.queued_joules - fake.watts * waiting_s;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    const uint64_t now = fake_wall_ns();

    if (pretends("uncounted"))
        return NOT_SUPPORTED;
    if (!fake.paced) {
        fake.paced = true;
        fake.busy_until_ns = now;
    }
    *millijoules = (unsigned long long)(1e3 * joules_at(now / FAKE_UPDATE_NS * FAKE_UPDATE_NS));
    return SUCCESS;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts)
{
    *milliwatts = 700000;
    return SUCCESS;
}

int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *milliwatts)
{
    *milliwatts = 750000;
    return SUCCESS;
}

int nvmlDeviceGetClockInfo(void *device, int which, unsigned *mhz)
{
    *mhz = which == 1 ? 345 : 1000;
    return SUCCESS;
}

int nvmlDeviceGetMaxClockInfo(void *device, int which, unsigned *mhz)
{
    *mhz = which == 1 ? 1500 : 1000;
    return SUCCESS;
}

static int set(const char *what, unsigned least, unsigned most)
{
    if (pretends("refused"))
        return NO_PERMISSION;
    note("%s %u %u\n", what, least, most);
    return SUCCESS;
}

int nvmlDeviceSetGpuLockedClocks(void *device, unsigned least, unsigned most)
{
    return set("sm", least, most);
}

int nvmlDeviceResetGpuLockedClocks(void *device)
{
    note("sm free\n");
    return SUCCESS;
}

int nvmlDeviceSetMemoryLockedClocks(void *device, unsigned least, unsigned most)
{
    return set("memory", least, most);
}

int nvmlDeviceResetMemoryLockedClocks(void *device)
{
    note("memory free\n");
    return SUCCESS;
}
