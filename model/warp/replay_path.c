/* The replay of a path, step by step, and the account of what its instructions cost. */
#include "model/warp/replay_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATIENCE = 24, /* iterations after which a loop that found no steady state is taken to repeat ... */
    PERIOD = 8     /* ... so many of them */
};

/* Account ------------------------------------------------------------------ */

int replay_account_init(struct replay_account *out, size_t count, struct err *err)
{
    *out = (struct replay_account){.count = count};
    out->waited = calloc(2 * count + 1, sizeof *out->waited);
    out->blamed = out->waited + count;
    return out->waited ? 0 : err_memory(err);
}

void replay_account_release(struct replay_account *account)
{
    free(account->waited);
    *account = (struct replay_account){0};
}

/* Both halves lie in one piece. */
static double *account_copy(const struct replay_account *account)
{
    double *copy = malloc((2 * account->count + 1) * sizeof *copy);

    return copy ? memcpy(copy, account->waited, 2 * account->count * sizeof *copy) : NULL;
}

static void account_repeat(struct replay_account *account, const double *before, double times)
{
    for (size_t i = 0; i < 2 * account->count; i++)
        account->waited[i] += times * (account->waited[i] - before[i]);
}

/* Paths -------------------------------------------------------------------- */

struct replayer {
    struct replay *warp;
    const struct replay_code *code;
    struct replay_account *account;
    struct err *err;
};

/* `jumps`: the last instruction is followed by one that stands elsewhere. */
static int issue_run(struct replayer *replayer, uint32_t first, uint32_t count, bool jumps)
{
    struct replay_issue issue;

    for (uint32_t i = first; i < first + count; i++) {
        const struct replay_op *op = &replayer->code->ops[i];
        struct replay_op taken;

        if (jumps && i + 1 == first + count && op->pipe == SASS_PIPE_BRANCH) {
            taken = *op;
            taken.stall = fmax(op->stall, replayer->code->taken_stall);
            op = &taken;
        }
        if (replay_step(&issue, replayer->warp, op, replayer->err))
            return ERR_USAGE;
        if (replayer->account) {
            replayer->account->waited[i] += issue.waited;
            if (issue.cause == REPLAY_SLOT)
                replayer->account->blamed[issue.blamed] += issue.waited;
        }
        if (replayer->code->barriers[i])
            replay_barrier(&replayer->warp, 1, replayer->code->barrier_cycles);
    }
    return 0;
}

static int issue_steps(struct replayer *replayer, const struct emulate_step *steps, size_t count);

static int issue_times(struct replayer *replayer, const struct emulate_step *body, size_t count,
                       uint64_t times)
{
    int rc = 0;

    while (times-- && !rc)
        rc = issue_steps(replayer, body, count);
    return rc;
}

/* Executes the body until it repeats itself, then multiplies. A body that does not settle soon goes on as it
 * did over PERIOD iterations. */
static int issue_loop(struct replayer *replayer, const struct emulate_step *body, size_t count,
                      uint64_t repeats)
{
    struct replay before;
    double *accounted = NULL;
    uint64_t period, times;
    int rc = 0;

    for (uint64_t done = 0; done < repeats && !rc; done += times * period) {
        period = done < PATIENCE ? 1 : repeats - done < PERIOD ? repeats - done : PERIOD;
        before = *replayer->warp;
        if (replayer->account && !(accounted = account_copy(replayer->account)))
            return err_memory(replayer->err);
        rc = issue_times(replayer, body, count, period);
        times = 1;
        if (!rc && (period > 1 || replay_is_steady(&before, replayer->warp))) {
            times = (repeats - done) / period;
            replay_repeat(replayer->warp, &before, times - 1);
            if (replayer->account)
                account_repeat(replayer->account, accounted, (double)(times - 1));
        }
        free(accounted);
        accounted = NULL;
    }
    return rc;
}

/* Where the step at `at` begins, looking into loops. */
static bool starts_at(const struct emulate_step *steps, size_t at, size_t count, uint32_t instruction)
{
    while (at < count && steps[at].body)
        at++;
    return at < count && steps[at].first == instruction;
}

static int issue_steps(struct replayer *replayer, const struct emulate_step *steps, size_t count)
{
    size_t s = 0;
    int rc = 0;

    while (s < count && !rc) {
        const struct emulate_step *step = &steps[s];

        if (step->body) {
            rc = issue_loop(replayer, step + 1, step->body, step->repeats);
            s += step->body + 1;
        } else {
            rc = issue_run(replayer, step->first, step->count,
                           !starts_at(steps, s + 1, count, step->first + step->count));
            s++;
        }
    }
    return rc;
}

int replay_path(struct replay *out, const struct replay_code *code, const struct emulate_path *path,
                struct replay_account *account, struct err *err)
{
    struct replayer replayer = {out, code, account, err};

    replay_init(out, code->loads_per_warp);
    out->products = code->products;
    if (path->cut)
        return err_set(err, ERR_MISSING, "a warp's path is too irregular to be kept");
    return issue_steps(&replayer, path->steps, path->count);
}
