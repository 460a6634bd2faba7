/* What L1 and L2 do for local memory. */
#include "check.h"
#include "traffic_fixture.h"

enum { R1 = 1, SMS = 10, WARPS = 32 /* resident on an SM */ };

static double random_hits(double times)
{
    double h = 0;

    for (int k = 0; k < 1000 && times > 1; k++)
        h = exp(-(1 - h) * times);
    return times > 1 ? h : 1;
}

static struct sass local_access(enum sass_op op, unsigned how, unsigned base, int offset)
{
    struct sass out = fixture_access(op, how);

    out.accesses[0].space = SASS_SPACE_LOCAL;
    out.accesses[0].index = (uint8_t)base;
    out.accesses[0].offset = offset;
    return out;
}

/* A warp loads from local memory, loads again and stores, by the addresses of `base` and these offsets. */
static struct traffic go(struct fixture *f, unsigned base, const int offsets[3], double frame)
{
    static const unsigned places[3] = {INDEX, GATHER, STORE};

    fixture_set_up(f, 4);
    for (unsigned k = 0; k < 3; k++) {
        const unsigned i = places[k];

        f->code[i] = local_access(i == STORE ? SASS_STL : SASS_LDL, i == STORE ? SASS_WRITES : SASS_READS,
                                  base, offsets[k]);
        f->counts[i] = (struct emulate_count){.issued = 10,
                                              .requests = 10,
                                              .lanes = 320,
                                              .bytes = 1280,
                                              .sectors = 40,
                                              .lines = 10,
                                              .passes = 10};
        f->touches[i] = (struct emulate_touch){0};
    }
    f->caches.local_bytes = frame;
    return fixture_find(f);
}

static void stores_go_through_to_l2(void **state)
{
    struct fixture f;
    struct traffic traffic = go(&f, R1, (const int[]){0, 0, 0}, 16);

    check_near(traffic.stores.sectors, 40, 1e-9);
    check_near(traffic.stores.filled, 40, 1e-9);
    check_near(traffic.loads.l2_read, 0, 1e-9);
    check_near(traffic.counts[INDEX].waits, 0, 1e-9);
    check_near(traffic.dram.written, traffic.dram.read, 1e-9);
    fixture_tear_down(&f, &traffic);
}

/* A word of all resident threads takes 4096 bytes. Where places are computed any word of the frame may come next. */
static void l1_holds_what_is_reached_in_between(void **state)
{
    static const struct {
        unsigned base;
        int offsets[3];
        double frame, l1, hit_index, hit_gather;
    } cases[] = {
        {R1, {0, 4, 0}, 8000, 8192, 1, 1},    {R1, {0, 4, 0}, 8000, 4096, 1, 2},
        {R1, {0, 0, 0}, 8000, 2048, 2, 2},    {4, {0, 0, 0}, 64, 16 * 4096.0, 1, 1},
        {4, {0, 0, 0}, 64, 8 * 4096.0, 2, 2}, {R1, {9000, 0, 0}, 8000, 2048, 2, 2},
    };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double l1 = cases[c].l1;
        struct fixture f;
        struct traffic traffic;

        traffic = go(&f, cases[c].base, cases[c].offsets, cases[c].frame);
        traffic_release(&traffic);
        f.caches.l1_bytes = l1;
        traffic = fixture_find(&f);
        check_near(traffic.counts[INDEX].l1_hit, random_hits(cases[c].hit_index), 1e-6);
        check_near(traffic.counts[GATHER].l1_hit, random_hits(cases[c].hit_gather), 1e-6);
        check_near(traffic.loads.l2_read,
                   40 * (2 - traffic.counts[INDEX].l1_hit - traffic.counts[GATHER].l1_hit), 1e-6);
        fixture_tear_down(&f, &traffic);
    }
}

/* Of frames one and a half times as large as L2 half is in DRAM. */
static void l2_holds_what_fits(void **state)
{
    const double words = 64, all = words * 4 * 32 * WARPS * SMS;
    struct fixture f;
    struct traffic traffic = go(&f, 4, (const int[]){0, 0, 0}, words * 4);
    double missed;

    traffic_release(&traffic);
    f.caches.l1_bytes = 1;
    f.caches.l2_bytes = f.caches.l2_holds = all / 1.5;
    traffic = fixture_find(&f);
    missed = traffic.loads.l2_read;
    check_near(missed, 80, 1e-3);
    check_near(traffic.dram.read, missed / 2 * 32, 1e-3);
    check_near(traffic.dram.written, 40 / 2 * 32, 1e-3);
    check_near(traffic.counts[INDEX].waits_dram, 0.5, 1e-9);
    fixture_tear_down(&f, &traffic);
}

/* A warp loads a line of global memory, loads a line of its frame of one word and stores to it: between two visits of that an SM
 * brings 4,096 bytes to L1, and 4,096 times all SMs come from DRAM. */
static void what_passes_by_displaces(void **state)
{
    const double frames = 4096.0 * SMS, visits = 2;

    for (int displaced = 0; displaced < 2; displaced++) {
        const double l2 = displaced ? (frames + 4096.0 * SMS / visits) / 1.5 : 50e6;
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 4);
        f.code[GATHER] = local_access(SASS_LDL, SASS_READS, R1, 0);
        f.code[STORE] = local_access(SASS_STL, SASS_WRITES, R1, 0);
        f.touches[GATHER] = f.touches[STORE] = (struct emulate_touch){0};
        footprint_release(&f.block.written);
        f.caches.local_bytes = 4;
        f.caches.l1_bytes = 4096 + 4096 / visits / 2;
        f.caches.l2_bytes = f.caches.l2_holds = f.caches.l2_holds_once = l2;
        traffic = fixture_find(&f);
        check_near(traffic.counts[INDEX].dram_read, 128, 1e-9);
        check_near(traffic.counts[GATHER].l1_hit, random_hits(6144 / f.caches.l1_bytes), 1e-3);
        check_near(traffic.counts[GATHER].waits_dram, displaced ? 0.5 : 0, 1e-9);
        check_near(traffic.dram.written, displaced ? fmin(fmax(8192.0 * SMS / l2 - 1, 0), 1) * 128 : 0, 1e-9);
        fixture_tear_down(&f, &traffic);
    }
}

int main(void)
{
    return RUN_TESTS(what_passes_by_displaces, stores_go_through_to_l2, l1_holds_what_is_reached_in_between,
                     l2_holds_what_fits);
}
