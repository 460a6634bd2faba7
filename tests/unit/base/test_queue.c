#include "check.h"

#include "base/queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { COMPILE, GPU };

static struct queue *open_queue(unsigned compile, unsigned gpu)
{
    const unsigned threads[] = {compile, gpu};
    struct err err = {0};
    struct queue *queue;

    check_ok(queue_open(&queue, threads, 2, &err), &err);
    return queue;
}

static void square(void *argument)
{
    int *value = argument;

    *value *= *value;
}

static void every_job_comes_back_once(void **state)
{
    enum { JOBS = 2000 };
    struct queue *queue = open_queue(4, 1);
    static int values[JOBS];
    static bool seen[JOBS];
    void *argument;

    for (int i = 0; i < JOBS; i++) {
        values[i] = i;
        assert_int_equal(queue_submit(queue, i % 8 ? COMPILE : GPU, square, &values[i], NULL), 0);
    }
    assert_true(queue_pending(queue, GPU) <= JOBS / 8);
    for (int i = 0; i < JOBS; i++) {
        assert_true(queue_wait(queue, &argument, -1));
        assert_false(seen[(int *)argument - values]);
        seen[(int *)argument - values] = true;
    }
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(values[i], i * i);
    assert_false(queue_wait(queue, &argument, -1));
    assert_null(argument);
    assert_int_equal(queue_pending(queue, COMPILE), 0);
    queue_close(queue);
}

/* A gate that holds jobs until the test opens it. */
struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    int entered;
    bool open;
};

static struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false};

static void pass_gate(void *argument)
{
    struct gate *g = argument;

    pthread_mutex_lock(&g->mutex);
    g->entered++;
    pthread_cond_broadcast(&g->moved);
    while (!g->open)
        pthread_cond_wait(&g->moved, &g->mutex);
    pthread_mutex_unlock(&g->mutex);
}

static void wait_entered(struct gate *g, int count)
{
    pthread_mutex_lock(&g->mutex);
    while (g->entered < count)
        pthread_cond_wait(&g->moved, &g->mutex);
    pthread_mutex_unlock(&g->mutex);
}

static void set_gate(struct gate *g, bool open)
{
    pthread_mutex_lock(&g->mutex);
    g->open = open;
    g->entered = 0;
    pthread_cond_broadcast(&g->moved);
    pthread_mutex_unlock(&g->mutex);
}

static void lanes_do_not_wait_for_each_other(void **state)
{
    struct queue *queue = open_queue(2, 1);
    void *argument;
    int value = 7;

    set_gate(&gate, false);
    queue_submit(queue, COMPILE, pass_gate, &gate, NULL);
    queue_submit(queue, COMPILE, pass_gate, &gate, NULL);
    wait_entered(&gate, 2); /* both threads of the lane are in use */
    queue_submit(queue, GPU, square, &value, NULL);
    assert_true(queue_wait(queue, &argument, -1));
    assert_ptr_equal(argument, &value);
    assert_int_equal(value, 49);
    assert_false(queue_wait(queue, &argument, 0));
    assert_false(queue_wait(queue, &argument, 0.01));
    assert_int_equal(queue_pending(queue, COMPILE), 2);
    set_gate(&gate, true);
    assert_true(queue_wait(queue, &argument, -1));
    assert_true(queue_wait(queue, &argument, -1));
    queue_close(queue);
}

static void collect(void *argument, void *context)
{
    int *const *dropped = context;

    assert_int_equal(*(int *)argument, **dropped);
    ++**dropped;
}

static void jobs_of_a_key_wait_for_the_first(void **state)
{
    struct queue *queue = open_queue(2, 1);
    void *argument;
    int like = 2, other = 3;

    set_gate(&gate, false);
    queue_submit_keyed(queue, COMPILE, 5, pass_gate, &gate, NULL);
    wait_entered(&gate, 1);
    queue_submit_keyed(queue, COMPILE, 5, square, &like, NULL);
    queue_submit_keyed(queue, COMPILE, 6, square, &other, NULL);
    assert_true(queue_wait(queue, &argument, -1));
    assert_ptr_equal(argument, &other); /* the second thread was free for it */
    assert_false(queue_wait(queue, &argument, 0.05));
    set_gate(&gate, true);
    assert_true(queue_wait(queue, &argument, -1));
    assert_ptr_equal(argument, &gate);
    assert_true(queue_wait(queue, &argument, -1));
    assert_ptr_equal(argument, &like);
    set_gate(&gate, false); /* from now on they go side by side */
    queue_submit_keyed(queue, COMPILE, 5, pass_gate, &gate, NULL);
    queue_submit_keyed(queue, COMPILE, 5, pass_gate, &gate, NULL);
    wait_entered(&gate, 2);
    set_gate(&gate, true);
    queue_close(queue);
}

/* Those that wait can be dropped, and what comes then begins anew. */
static void waiting_for_the_first_ends(void **state)
{
    struct queue *queue = open_queue(1, 1);
    int dropped = 0, *next = &dropped, values[3] = {0, 1, 4};
    void *argument;

    set_gate(&gate, false);
    queue_submit(queue, COMPILE, pass_gate, &gate, NULL);
    wait_entered(&gate, 1);
    for (int i = 0; i < 2; i++)
        queue_submit_keyed(queue, COMPILE, 5, square, &values[i], NULL);
    queue_cancel(queue, COMPILE, collect, &next);
    assert_int_equal(dropped, 2);
    queue_submit_keyed(queue, COMPILE, 5, square, &values[2], NULL);
    set_gate(&gate, true);
    assert_true(queue_wait(queue, &argument, -1));
    assert_true(queue_wait(queue, &argument, -1));
    assert_int_equal(values[2], 16);
    queue_close(queue);
}

/* The same key in another lane is another one. */
static void keys_are_of_their_lane(void **state)
{
    struct queue *queue = open_queue(1, 1);
    void *argument;
    int value = 7;

    set_gate(&gate, false);
    queue_submit_keyed(queue, COMPILE, 5, pass_gate, &gate, NULL);
    wait_entered(&gate, 1);
    queue_submit_keyed(queue, GPU, 5, square, &value, NULL);
    assert_true(queue_wait(queue, &argument, 10));
    assert_ptr_equal(argument, &value);
    set_gate(&gate, true);
    queue_close(queue);
}

enum { KEYS = 40 };

struct keyed {
    unsigned key;
    atomic_int *running, *ended; /* of the key */
    atomic_int *early;           /* that ran beside the first of their key */
};

static void run_keyed(void *argument)
{
    struct keyed *job = argument;

    if (atomic_fetch_add(job->running, 1) > 0 && !atomic_load(job->ended))
        atomic_fetch_add(job->early, 1);
    for (volatile unsigned k = 0; k < 50 * job->key; k++)
        ;
    atomic_store(job->ended, 1);
    atomic_fetch_sub(job->running, 1);
}

static void count_dropped(void *argument, void *context)
{
    ++*(int *)context;
}

/* Many threads, keys that come again and again, jobs dropped in between, and a queue that closes over jobs
 * that wait. */
static void keyed_jobs_all_come_back(void **state)
{
    enum { JOBS = 3000, ROUNDS = 4 };
    static struct keyed jobs[JOBS];
    unsigned random = 1;

    for (int round = 0; round < ROUNDS; round++) {
        atomic_int running[KEYS] = {0}, ended[KEYS] = {0}, early = 0;
        struct queue *queue = open_queue(32, 1);
        int returned = 0, dropped = 0;
        void *argument;

        for (int i = 0; i < JOBS; i++) {
            const unsigned key = (random = random * 1664525 + 1013904223) >> 16 & 0xffff;

            jobs[i] = (struct keyed){key % KEYS, &running[key % KEYS], &ended[key % KEYS], &early};
            assert_int_equal(queue_submit_keyed(queue, COMPILE, key % KEYS + 1, run_keyed, &jobs[i], NULL),
                             0);
            if (key % 7 == 0)
                returned += queue_wait(queue, &argument, key % 2 ? 0 : 1e-4);
            if (key % 501 == 0)
                queue_cancel(queue, COMPILE, count_dropped, &dropped);
        }
        while (round + 1 < ROUNDS && queue_wait(queue, &argument, 60))
            returned++;
        assert_true(round + 1 == ROUNDS || returned + dropped == JOBS);
        queue_close(queue);
        assert_int_equal(early, 0);
        for (int k = 0; k < KEYS; k++)
            assert_int_equal(running[k], 0);
    }
}

static void cancelled_jobs_are_handed_back(void **state)
{
    struct queue *queue = open_queue(1, 1);
    int values[5] = {0, 1, 2, 3, 4}, next = 0, *dropped = &next;
    void *argument;

    set_gate(&gate, false);
    queue_submit(queue, COMPILE, pass_gate, &gate, NULL);
    wait_entered(&gate, 1);
    for (int i = 0; i < 5; i++)
        queue_submit(queue, COMPILE, square, &values[i], NULL);
    queue_cancel(queue, COMPILE, collect, &dropped);
    assert_int_equal(next, 5);
    assert_int_equal(queue_pending(queue, COMPILE), 1);
    set_gate(&gate, true);
    assert_true(queue_wait(queue, &argument, -1));
    assert_ptr_equal(argument, &gate);
    assert_false(queue_wait(queue, &argument, -1));
    assert_int_equal(values[4], 4);
    queue_close(queue);
}

static void sleep_a_little(void *argument)
{
    usleep(20000);
    *(int *)argument = 1;
}

static void closing_waits_for_running_jobs_only(void **state)
{
    struct queue *queue = open_queue(1, 1);
    int ran = 0, not_started = 3, started = 0;
    void *argument;

    queue_submit(queue, GPU, square, &started, NULL);
    assert_true(queue_wait(queue, &argument, -1));
    queue_submit(queue, COMPILE, sleep_a_little, &ran, NULL);
    while (queue_busy_s(queue, COMPILE) == 0)
        usleep(100);
    queue_submit(queue, COMPILE, square, &not_started, NULL);
    queue_close(queue);
    assert_int_equal(ran, 1);
    assert_int_equal(not_started, 3);
    queue_close(NULL);
}

static void busy_time_adds_up_over_threads(void **state)
{
    struct queue *queue = open_queue(2, 1);
    int done[4];
    void *argument;

    for (int i = 0; i < 4; i++)
        queue_submit(queue, COMPILE, sleep_a_little, &done[i], NULL);
    while (queue_wait(queue, &argument, -1))
        continue;
    assert_true(queue_busy_s(queue, COMPILE) >= 0.08);
    assert_true(queue_busy_s(queue, GPU) == 0);
    queue_close(queue);
}

static atomic_int at_work, most_at_work;

static void count_at_work(void *argument)
{
    const int now = atomic_fetch_add(&at_work, 1) + 1;
    int most = atomic_load(&most_at_work);

    while (now > most && !atomic_compare_exchange_weak(&most_at_work, &most, now))
        ;
    usleep(3000);
    atomic_fetch_sub(&at_work, 1);
}

/* No more at a time than there are cores, and one queue does not wait for all that another began earlier. */
static void cores_are_shared_by_queues(void **state)
{
    enum { JOBS = 40 };
    struct queue *first = open_queue(2, 1), *second = open_queue(2, 1);
    struct share share;
    void *argument;
    int value;

    share_init(&share, 2);
    queue_share(first, COMPILE, &share);
    queue_share(second, COMPILE, &share);
    for (int i = 0; i < 4 * JOBS; i++)
        queue_submit(first, COMPILE, count_at_work, &value, NULL);
    for (int i = 0; i < JOBS; i++)
        queue_submit(second, COMPILE, count_at_work, &value, NULL);
    for (int i = 0; i < JOBS; i++)
        assert_true(queue_wait(second, &argument, -1));
    for (int i = 0; i < JOBS; i++)
        assert_true(
            queue_wait(first, &argument, -1)); /* as many, or a few: the rest comes when they wait no more */
    assert_true(queue_busy_s(second, COMPILE) < 2 * queue_busy_s(first, COMPILE));
    queue_close(second);
    for (int i = JOBS; i < 4 * JOBS; i++)
        assert_true(queue_wait(first, &argument, -1));
    assert_true(atomic_load(&most_at_work) == 2);
    queue_close(first);
    share_release(&share);
}

int main(void)
{
    return RUN_TESTS(every_job_comes_back_once, lanes_do_not_wait_for_each_other,
                     jobs_of_a_key_wait_for_the_first, waiting_for_the_first_ends, keys_are_of_their_lane,
                     keyed_jobs_all_come_back, cancelled_jobs_are_handed_back,
                     closing_waits_for_running_jobs_only, busy_time_adds_up_over_threads,
                     cores_are_shared_by_queues);
}
