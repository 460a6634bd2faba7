/* A GPU's power and clocks as NVML states them: plain data, for decisions and journals. */
#ifndef GPU_POWER_H
#define GPU_POWER_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

/* NaN where NVML does not say. */
struct power {
    double idle_w;                        /* mean, with a context and nothing running; only where asked for */
    double limit_w, default_limit_w;      /* power limit in force, and the one that the board came with */
    double sm_clock_hz, sm_clock_most_hz; /* when it was read, with nothing running; the highest there is */
    double memory_clock_hz;
    double counter_update_s;               /* between two changes of the energy counter; with idle_w only */
    double locked_sm_hz, locked_memory_hz; /* set by us for this run */
};

/* Clocks that are to be set for a run. */
struct clock_setting {
    unsigned sm_mhz, memory_mhz; /* 0: left alone */
};

void power_init(struct power *power); /* nothing known */
bool power_known(const struct power *power);

/* What is not known is left out; null when memory ends. */
struct json *power_to_json(const struct power *power);
int power_from_json(struct power *out, const struct js_at *at, struct err *err);

#endif
