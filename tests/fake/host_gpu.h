/* What gpu/kernels.cu needs of a GPU, on the host, with one thread. The including file defines HOST_BLOCK
 * (the thread block that runs) and HOST_NOW_NS (the time), and includes gpu/kernels.cu next. */
#define KERNEL static void
#define DEVICE static inline

static inline unsigned long long first_index(void)
{
    return 0;
}

static inline unsigned long long index_step(void)
{
    return 1;
}

static inline unsigned block_index(void)
{
    return HOST_BLOCK;
}

static inline unsigned thread_index(void)
{
    return 0;
}

static inline unsigned thread_count(void)
{
    return 1;
}

static inline void lower(unsigned long long *place, unsigned long long value)
{
    if (value < *place)
        *place = value;
}

static inline unsigned sm_index(void)
{
    return HOST_BLOCK;
}

static inline double product(double a, double b)
{
    return a * b;
}

/* When the clock falls: after 10 ms with FAKE_LIMITED, after so many with FAKE_WARM_MS; else never. */
static inline unsigned long long cool_until_ns(void)
{
    const char *warm_ms = getenv("FAKE_WARM_MS");

    return getenv("FAKE_LIMITED") ? 10000000 : warm_ms ? strtoull(warm_ms, NULL, 10) * 1000000 : ~0ull;
}

/* By a third. */
static inline unsigned long long cycle_clock(void)
{
    const unsigned long long now = HOST_NOW_NS, full = cool_until_ns();

    return now <= full ? now * 3 / 2 : full * 3 / 2 + (now - full);
}

static inline unsigned long long time_ns(void)
{
    return HOST_NOW_NS;
}
