/* Who took part. */
#include "tuner/tune/tuning.h"

#include "tuner/remote/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct tuned_host host_of(const struct host *host, size_t kind)
{
    const struct host_work *work = &host->work[kind];
    struct tuned_host out = {.cores = work->most_cores,
                             .gpus = work->most_gpus,
                             .drops = host->drops,
                             .compiled = work->compiled,
                             .timed = work->timed,
                             .compile_s = work->compile_s,
                             .measure_s = work->measure_s};

    snprintf(out.name, sizeof out.name, "%s", *host->name ? host->name : host->command);
    snprintf(out.reason, sizeof out.reason, "%s", host->reason);
    return out;
}

/* What the others did not do. */
static struct tuned_host here(const struct tuning *tuning)
{
    const struct tuned *tuned = tuning->out;
    struct tuned_host out = {.cores = tuning->environment->jobs,
                             .gpus = tuning->environment->worker_count,
                             .compiled = tuned->counts.compiled - tuned->counts.cached,
                             .timed = tuned->counts.timed + tuned->counts.audited,
                             .compile_s = tuned->compile_busy_s,
                             .measure_s = tuned->measure_busy_s};

    if (gethostname(out.name, sizeof out.name - 1) || !*out.name)
        snprintf(out.name, sizeof out.name, "here");
    return out;
}

static uint64_t less(uint64_t all, uint64_t others)
{
    return all > others ? all - others : 0;
}

int tuning_take_hosts(struct tuning *tuning, struct err *err)
{
    const struct fleet *fleet = tuning->environment->fleet;
    struct tuned *out = tuning->out;
    struct tuned_host *first;

    if (!fleet || !out->evaluator->measures)
        return 0;
    out->hosts = calloc(1 + fleet_count(fleet), sizeof *out->hosts);
    if (!out->hosts)
        return err_memory(err);
    first = &out->hosts[0];
    *first = here(tuning);
    for (size_t i = 0; i < fleet_count(fleet); i++) {
        const struct tuned_host host = out->hosts[1 + i] =
            host_of(fleet_host(fleet, i), tuning->environment->kind);

        first->compiled = less(first->compiled, host.compiled);
        first->timed = less(first->timed, host.timed);
        first->compile_s -= host.compile_s;
        first->measure_s -= host.measure_s;
    }
    out->host_count = 1 + fleet_count(fleet);
    return 0;
}
