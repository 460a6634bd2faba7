// What warps of sm_90 wait for asynchronously, for tests/unit/model/test_mbarrier.c. Compiled with
//   nvcc -arch=sm_90a -cubin -o async_sm90.cubin async.cu
#include <stdint.h>

#define KERNEL extern "C" __global__ void

enum { STAGES = 3, TILE = 128, WARP = 32 };

typedef unsigned long long barrier;

static __device__ uint32_t at(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}

static __device__ void init(barrier *b, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(count) : "memory");
}

static __device__ void arrive(barrier *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(b)) : "memory");
}

static __device__ void expect(barrier *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes) : "memory");
}

static __device__ void wait(barrier *b, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(at(b)),
                 "r"(parity)
                 : "memory");
}

static __device__ void load(void *to, const void *from, unsigned bytes, barrier *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     at(to)),
                 "l"(from), "r"(bytes), "r"(at(b))
                 : "memory");
}

struct ring {
    float data[STAGES][TILE];
    barrier full[STAGES], empty[STAGES];
    int tile[STAGES];
};

static __device__ void open(ring *r, unsigned consumers)
{
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++) {
            init(&r->full[s], 1);
            init(&r->empty[s], consumers);
        }
    __syncthreads();
}

// Warp 0 loads tiles, the others double them: no warp waits for the whole block. Persistent: a block takes every
// gridDim.x-th tile.
KERNEL pipeline(float *out, const float *in, int tiles, int lost)
{
    __shared__ __align__(128) ring r;
    const unsigned consumers = blockDim.x - WARP;
    unsigned stage = 0, parity = 0;

    open(&r, consumers);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (threadIdx.x < WARP) {
            wait(&r.empty[stage], parity ^ 1);
            if (threadIdx.x == 0) {
                expect(&r.full[stage], sizeof r.data[0] + lost);
                load(r.data[stage], in + tile * TILE, sizeof r.data[0], &r.full[stage]);
            }
        } else {
            wait(&r.full[stage], parity);
            for (int i = threadIdx.x - WARP; i < TILE; i += consumers)
                out[tile * TILE + i] = 2 * r.data[stage][i];
            arrive(&r.empty[stage]);
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
}

// The same with tiles handed out by an atomic: which one a stage holds stands in shared memory.
KERNEL handed_out(float *out, const float *in, int tiles, int *next)
{
    __shared__ __align__(128) ring r;
    const unsigned consumers = blockDim.x - WARP;
    unsigned stage = 0, parity = 0;

    open(&r, consumers);
    for (;;) {
        int tile;

        if (threadIdx.x < WARP) {
            if (threadIdx.x == 0) {
                wait(&r.empty[stage], parity ^ 1);
                r.tile[stage] = tile = atomicAdd(next, 1);
                expect(&r.full[stage], tile < tiles ? sizeof r.data[0] : 0);
                if (tile < tiles)
                    load(r.data[stage], in + tile * TILE, sizeof r.data[0], &r.full[stage]);
            }
            tile = __shfl_sync(0xffffffff, tile, 0);
        } else {
            wait(&r.full[stage], parity);
            tile = r.tile[stage];
            for (int i = threadIdx.x - WARP; i < TILE && tile < tiles; i += consumers)
                out[tile * TILE + i] = 2 * r.data[stage][i];
            arrive(&r.empty[stage]);
        }
        if (tile >= tiles)
            break;
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
}

// What an mbarrier counts, seen by one warp.
KERNEL counts(int *out)
{
    __shared__ barrier b, c;
    unsigned long long state;
    unsigned pending, over;

    if (threadIdx.x == 0) {
        init(&b, 40);
        init(&c, 2);
    }
    __syncwarp();
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at(&b)) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[threadIdx.x] = (int)pending;
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("{.reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over)
                     : "r"(at(&b)), "l"(state)
                     : "memory");
        out[32] = (int)over;
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(at(&b)), "r"(8) : "memory");
        asm volatile("{.reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over)
                     : "r"(at(&b)), "l"(state)
                     : "memory");
        out[33] = (int)over;
        // One of two threads leaves for good: the next phase needs one.
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(at(&c)) : "memory");
        arrive(&c);
        wait(&c, 0);
        // Bytes announced without an arrival keep the phase open.
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at(&c)), "r"(64) : "memory");
        arrive(&c);
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 1; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over)
                     : "r"(at(&c))
                     : "memory");
        out[34] = (int)over;
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at(&c)), "r"(64) : "memory");
        wait(&c, 1);
        out[35] = 1;
    }
}

// Copies of single threads arrive at an mbarrier when they are done.
KERNEL copied(int *out, const int *in)
{
    __shared__ int data[WARP];
    __shared__ barrier b;

    if (threadIdx.x == 0)
        init(&b, 2 * WARP);
    __syncwarp();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&data[threadIdx.x])), "l"(in + threadIdx.x)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(at(&b)) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at(&b)) : "memory");
    arrive(&b);
    wait(&b, 0);
    out[threadIdx.x] = data[threadIdx.x ^ 1];
}

// A group of producers gives registers to two groups of consumers, which take turns at named barriers.
KERNEL __launch_bounds__(384, 1) turns(float *out, int times, uint64_t factors)
{
    const unsigned group = threadIdx.x / 128;
    float a[4] = {0, 0, 0, 0};

    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        asm volatile("bar.arrive 1, 256;" ::: "memory");
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    for (int i = 0; i < times; i++) {
        asm volatile("bar.sync %0, 256;" ::"r"(group) : "memory");
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;\n"
                     "wgmma.commit_group.sync.aligned;"
                     : "+f"(a[0]), "+f"(a[1]), "+f"(a[2]), "+f"(a[3])
                     : "l"(factors));
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (group == 1 || i + 1 < times)
            asm volatile("bar.arrive %0, 256;" ::"r"(3 - group) : "memory");
    }
    out[blockIdx.x * 256 + threadIdx.x - 128] = a[0] + a[1] + a[2] + a[3];
}

// Each lane copies 16 bytes of its own.
KERNEL each(int *out, const int *in)
{
    __shared__ __align__(16) int data[4 * WARP];
    __shared__ barrier b;

    if (threadIdx.x == 0) {
        init(&b, 1);
        expect(&b, sizeof data);
    }
    __syncwarp();
    load(data + 4 * threadIdx.x, in + 4 * threadIdx.x, 16, &b);
    wait(&b, 0);
    for (int k = 0; k < 4; k++)
        out[4 * threadIdx.x + k] = data[4 * (threadIdx.x ^ 1) + k];
}

struct __align__(64) map {
    uint64_t opaque[16];
};

static __device__ void load_box(void *to, const map *tensor, int x, int y, barrier *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                 "[%4];" ::"r"(at(to)),
                 "l"(tensor), "r"(x), "r"(y), "r"(at(b))
                 : "memory");
}

// A box of 8 rows of 64 halves as it lies in shared memory, and back to another place of another tensor.
KERNEL boxes(int *seen, const __grid_constant__ map from, const __grid_constant__ map to, int x, int y,
             const uint16_t *, uint16_t *)
{
    __shared__ __align__(1024) int box[8 * WARP];
    __shared__ barrier b;

    if (threadIdx.x == 0) {
        init(&b, 1);
        expect(&b, sizeof box);
        load_box(box, &from, x, y, &b);
    }
    __syncwarp();
    wait(&b, 0);
    for (int i = threadIdx.x; i < 8 * WARP; i += WARP)
        seen[i] = box[i];
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
                     "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&to),
                     "r"(x + 8), "r"(y + 1), "r"(at(box))
                     : "memory");
    }
}

// Each of two blocks loads half of a tile for both, round after round; neither goes on before both have used it.
// cluster.y tells the pairs apart.
KERNEL __cluster_dims__(1, 2, 1) shared_tiles(int *out, const int *in, int rounds)
{
    __shared__ __align__(128) int tile[2 * WARP];
    __shared__ int mail;
    __shared__ barrier full, empty;
    unsigned rank, parity = 0;

    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, 2);
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    for (int round = 0; round < rounds; round++, parity ^= 1) {
        const int pair = (blockIdx.y / 2 * rounds + round) * 2 * WARP;

        if (threadIdx.x == 0) {
            wait(&empty, parity ^ 1);
            expect(&full, sizeof tile);
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                         "[%1], %2, [%3], %4;" ::"r"(at(tile + rank * WARP)),
                         "l"(in + pair + rank * WARP), "r"(128), "r"(at(&full)), "h"((uint16_t)3)
                         : "memory");
        }
        wait(&full, parity);
        out[(blockIdx.y * rounds + round) * WARP + threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + WARP];
        __syncwarp();
        if (threadIdx.x < 2)
            asm volatile("{.reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
                         "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];}" ::"r"(at(&empty)),
                         "r"(threadIdx.x)
                         : "memory");
    }
    if (threadIdx.x == 0)
        asm volatile("{.reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; st.shared::cluster.u32 [there], %2;}" ::"r"(
                         at(&mail)),
                     "r"(rank ^ 1), "r"(100 + rank)
                     : "memory");
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    out[(gridDim.y * rounds + blockIdx.y) * WARP + threadIdx.x] = mail;
}

static __device__ void load_and_wait(void *to, const map *tensor, int y, barrier *b, unsigned *parity)
{
    if (threadIdx.x == 0) {
        expect(b, 1024);
        load_box(to, tensor, 0, y, b);
    }
    __syncwarp();
    wait(b, *parity);
    *parity ^= 1;
}

// Boxes of 1024 bytes: the tensor changes behind the first, the second is stored to and half of it loaded over, the
// fourth is loaded over whole, half of the fifth is. Nothing is read before the end.
KERNEL boxes_in_turn(int *seen, const __grid_constant__ map from, uint16_t *data)
{
    __shared__ __align__(1024) int box[6][8 * WARP];
    __shared__ barrier b;
    unsigned parity = 0;

    if (threadIdx.x == 0)
        init(&b, 1);
    __syncwarp();
    load_and_wait(box[0], &from, 0, &b, &parity);
    if (threadIdx.x == 0)
        data[0] = 999;
    load_and_wait(box[4], &from, 0, &b, &parity);
    load_and_wait(&box[4][4 * WARP], &from, 8, &b, &parity);
    load_and_wait(box[1], &from, 0, &b, &parity);
    if (threadIdx.x == 0)
        *(volatile int *)box[1] = 77;
    load_and_wait(&box[1][4 * WARP], &from, 8, &b, &parity);
    load_and_wait(box[3], &from, 0, &b, &parity);
    load_and_wait(box[3], &from, 4, &b, &parity);
    for (int i = threadIdx.x; i < 11 * 4 * WARP; i += WARP)
        seen[i] = ((volatile int *)box)[i];
}
