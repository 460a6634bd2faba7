/* The loop between a search and what compiles and times for it. */
#include "check.h"

#include "tuner/drive/drive.h"

enum { JOBS = 12, CORES = 4 };

/* Compiles that end together, CORES at a time. */
struct cluster {
    struct evaluator_job *submitted[JOBS], *ended[JOBS];
    size_t submitted_count, ended_count;
};

static struct cluster cluster;

static int open_cluster(void **state, const struct evaluator_options *options, struct err *err)
{
    (void)options, (void)err;
    cluster = (struct cluster){0};
    *state = &cluster;
    return 0;
}

static void close_cluster(void *state)
{
}

static int submit(void *state, struct evaluator_job *job, struct err *err)
{
    cluster.submitted[cluster.submitted_count++] = job;
    return 0;
}

static struct evaluator_job *wait(void *state, double timeout_s)
{
    if (!cluster.ended_count && timeout_s != 0) {
        memcpy(cluster.ended, cluster.submitted, sizeof cluster.submitted);
        cluster.ended_count = cluster.submitted_count;
        cluster.submitted_count = 0;
    }
    return cluster.ended_count ? cluster.ended[--cluster.ended_count] : NULL;
}

static size_t gpus(const void *state)
{
    return 1;
}

static unsigned cores(const void *state)
{
    return CORES;
}

static double now_s(const void *state)
{
    return 0;
}

static double spent_s(const struct evaluator_job *job)
{
    return 1;
}

static const struct evaluator_type pretended = {.name = "pretended",
                                                .open = open_cluster,
                                                .submit = submit,
                                                .wait = wait,
                                                .gpus = gpus,
                                                .cores = cores,
                                                .now_s = now_s,
                                                .spent_s = spent_s,
                                                .close = close_cluster};

/* A search that compiles JOBS configurations in order, and counts how often it is asked after it was told. */
struct asked {
    uint64_t drawn, told, untaught, turns;
};

static struct asked asked;

static int open_search(void **state, const struct search_options *options, struct err *err)
{
    (void)options, (void)err;
    asked = (struct asked){0};
    *state = &asked;
    return 0;
}

static void close_search(void *state)
{
}

static int next(struct search_step *out, void *state, struct search_capacity capacity, struct err *err)
{
    asked.turns += asked.untaught > 0;
    asked.untaught = 0;
    out->action = asked.told == JOBS                       ? SEARCH_STOP
                  : capacity.compile && asked.drawn < JOBS ? SEARCH_COMPILE
                                                           : SEARCH_WAIT;
    out->audit = false;
    out->index = asked.drawn;
    asked.drawn += out->action == SEARCH_COMPILE;
    return 0;
}

static int tell(void *state, uint64_t index, const struct search_facts *facts, struct err *err)
{
    (void)index, (void)facts, (void)err;
    asked.told++;
    asked.untaught++;
    return 0;
}

static const struct strategy counting = {.name = "counting",
                                         .trials_ahead = 1,
                                         .ready_most = JOBS,
                                         .open = open_search,
                                         .next = next,
                                         .tell = tell,
                                         .close = close_search};

struct run {
    struct evaluator *evaluator;
    struct search *search;
    struct evaluator_job jobs[JOBS];
};

static int compile(void *context, uint64_t index, struct err *err)
{
    struct run *run = context;

    run->jobs[index].kind = EVALUATOR_COMPILE;
    return evaluator_submit(run->evaluator, &run->jobs[index], err);
}

static int finish(void *context, struct evaluator_job *job, struct err *err)
{
    const struct run *run = context;

    return search_tell(run->search, (uint64_t)(job - run->jobs), &(struct search_facts){0}, err);
}

static void run_counting(const struct strategy *strategy)
{
    const struct evaluator_options evaluator = {
        .type = &pretended, .cores = 1, .trials_ahead = (unsigned)strategy->trials_ahead};
    const struct search_options search = {.strategy = strategy, .count = JOBS};
    struct run run = {0};
    size_t ready = 0;
    struct driver driver = {
        .strategy = strategy, .ready = &ready, .compile = compile, .finish = finish, .context = &run};

    assert_int_equal(evaluator_open(&run.evaluator, &evaluator, NULL), 0);
    assert_int_equal(search_open(&run.search, &search, NULL), 0);
    driver.evaluator = run.evaluator;
    driver.search = run.search;
    assert_int_equal(drive(&driver, NULL), 0);
    assert_int_equal(asked.told, JOBS);
    evaluator_close(run.evaluator);
    search_close(run.search);
}

/* What has ended together is told before the search says what next: it learns from all of it at once. */
static void tells_all_that_has_ended_before_it_asks(void **state)
{
    run_counting(&counting);
    assert_true(asked.turns <= JOBS / CORES);
}

/* What may wait for its trial is no limit to many cores where the search chooses trials, which passes over much of it. */
static void many_cores_have_room_for_what_they_compile(void **state)
{
    struct strategy narrow = counting;

    narrow.ready_most = 1;
    run_counting(&narrow);
    assert_true(asked.turns <= JOBS / CORES);
    narrow.trials_ahead = 2;
    run_counting(&narrow);
    assert_true(asked.turns >= JOBS - 1);
}

int main(void)
{
    return RUN_TESTS(tells_all_that_has_ended_before_it_asks, many_cores_have_room_for_what_they_compile);
}
