/* What gpu/kernels.cu needs of a GPU, on the host, with one thread. The including file defines HOST_BLOCK
 * (the thread block that runs), HOST_NOW_NS (the time) and HOST_COOL_NS (when the clock falls), and includes gpu/kernels.cu next. */
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

/* It falls by a third at HOST_COOL_NS. */
static inline unsigned long long cycle_clock(void)
{
    const unsigned long long now = HOST_NOW_NS, cool = HOST_COOL_NS;

    return now <= cool ? now * 3 / 2 : cool * 3 / 2 + (now - cool);
}

static inline unsigned long long time_ns(void)
{
    return HOST_NOW_NS;
}
